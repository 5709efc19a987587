/** A timer in a process: nothing is stored and a restart forgets everything. What is left is the timers. */
import { Cron } from "croner";
import type { Contender } from "../contender.ts";
import { cronOf, slotBefore } from "../rhythm.ts";
import { begin, finish, taken } from "../runs.ts";

export async function croner(): Promise<Contender> {
  return {
    async create(name, rhythm) {
      const ring = () => {
        const slot = slotBefore(rhythm, Date.now());
        begin(`${name}@${slot}`, name, slot);
        finish(`${name}@${slot}`);
      };
      void new Cron(cronOf(rhythm), { timezone: "UTC" }, ring);
    },
    runs: async () => taken(),
  };
}
