/**
 * The reference model: who holds a token, as the contract has it and no more. The rest of what must hold is
 * asserted on the durable states (invariants.ts); this carries the actions out and judges the answers.
 */
import type { ScheduleState } from "../../src/schedule/state.ts";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { hasUnrecorded, wakeAt } from "../../src/schedule/wake.ts";
import type { Action } from "./actions.ts";
import { START } from "./actions.ts";
import { Bell, type Sent } from "./harness.ts";
import { broken, Invariants } from "./invariants.ts";

/** A lease as its worker remembers it. */
interface Grant {
  slot: number;
  variant: string;
  attempt: number;
  worker: string;
  token: number;
  leaseUntil: number;
  /** The report with which it ended, and those whose answer a crash took: they may have been taken in as well. */
  reported: string | null;
  unanswered: Set<string>;
}

const NO_FAULTS = { queue: false, ledger: false, queueAck: false, ledgerAck: false, binding: false };

type Reply = { ok: true } | { ok: false; error: { code: string } };
const REFUSALS_OF_START = ["busy", "settled", "superseded", "cancelled", "not_due", "not_found"];
const triesOf = ({ open, handOver }: ScheduleState) =>
  open.reduce((sum, { send }) => sum + (send?.tries ?? 0), handOver.tries);
const IMMEDIATE_WAKES_MAX = 12;

export class Model {
  readonly bell = new Bell(START);
  readonly #invariants: Invariants;
  readonly #grants: Grant[] = [];
  /** The highest token ever granted for an occurrence: whoever holds less was replaced. */
  readonly #highest = new Map<string, number>();
  #workers = 0;

  constructor() {
    const invariants = new Invariants(this.bell);
    this.bell.onSave = (before, after, name) => invariants.onSave(before, after, name);
    this.bell.ledger.onReplace = (before, after) => invariants.onReplace(before, after);
    this.#invariants = invariants;
  }

  run({ what, crash }: Action): void {
    const { bell } = this;
    bell.crashAt = crash;
    this.#invariants.asked = what.do === "trigger" && what.overlap === "allow";
    bell.dying(() => this.#do(what));
    this.#invariants.asked = false;
    this.#invariants.alarm();
  }

  /** At the end, and now and then. */
  settle(): void {
    this.#invariants.accounts();
  }

  /** All faults gone, everything delivered and done: nothing may be left that nobody will ever touch again. */
  finish(): void {
    const { bell } = this;
    Object.assign(bell.faults, NO_FAULTS);
    if (bell.state.revision === 0) return;
    bell.now = Math.max(bell.now, bell.state.cursor);
    if (bell.state.status !== "deleted") bell.remove();
    for (let wakes = 0; bell.alarm !== null; wakes++) {
      if (wakes > 2_000) broken("a deleted schedule never comes to rest");
      this.#ring(bell.alarm);
    }
    const { open, waiting } = bell.state;
    if (open.length + waiting.length > 0 || this.#invariants.owesRows()) broken("something was left behind");
    for (const row of bell.ledger.occurrences.values()) {
      const owed = row.state === "dispatched" ? row.body.tracked : row.state === "claimed";
      if (owed) broken(`the ledger still says ${row.state} of ${row.slot}${row.variant}`);
    }
    this.#invariants.accounts();
  }

  #do(what: Action["what"]): void {
    const { bell } = this;
    switch (what.do) {
      case "put": {
        const exists = bell.state.revision > 0 && bell.state.status !== "deleted";
        bell.put(what.input, exists ? { ifMatch: bell.state.revision } : {});
        return;
      }
      case "patch": {
        const { overlap, catchUp, retry, payload = Math.floor(bell.now / 60_000) } = what.input;
        if (what.whole) bell.patch({ ...what.input, maxConcurrent: what.input.maxConcurrent ?? null });
        else
          bell.patch(
            overlap === "allow" ? { payload } : { catchUp, retry: { ...retry, untilNextSlot: false } },
          );
        return;
      }
      case "pause":
        return void bell.pause(what.forMs === null ? null : bell.now + what.forMs);
      case "resume":
        return void bell.resume(what.catchUp);
      case "remove":
        return void bell.remove();
      case "trigger":
        return void bell.trigger(what.overlap === undefined ? {} : { overlap: what.overlap });
      case "cancel":
        return this.#cancel(what.pick);
      case "ring":
        return bell.alarm === null ? undefined : this.#ring(bell.alarm);
      case "pass":
        return this.#pass(what.ms);
      case "ringEarly":
        return bell.alarm === null ? undefined : this.#ring(Math.max(bell.now, bell.alarm - what.ms));
      case "sleep":
        bell.now += what.ms;
        return;
      case "stepBack":
        bell.now -= what.ms;
        return;
      case "deliver":
        return this.#deliver(what.pick, what.twice);
      case "drop":
        return void this.#takeFromQueue(what.pick, false);
      case "startAgain":
        return this.#startAgain(what.pick);
      case "heartbeat":
        return this.#report(what.whose, "heartbeat", ({ token, ...to }) =>
          bell.command("heartbeat", { ...to, token }),
        );
      case "complete": {
        const { workRemaining } = what;
        return this.#report(what.whose, "complete", (to) =>
          bell.command("complete", { ...to, workRemaining, result: 1 }),
        );
      }
      case "fail": {
        const { retryable, retryAfterMs } = what;
        return this.#report(what.whose, "fail", (to) =>
          bell.command("fail", { ...to, error: "no", retryable, retryAfterMs }),
        );
      }
      case "defer":
        return this.#report(what.whose, "defer", (to) => bell.command("defer", { ...to, forMs: what.forMs }));
      case "deadLetter": {
        const sent = this.#takeFromQueue(what.pick, false);
        if (!sent) return;
        const { slot, variant, attempt } = sent;
        return void bell.command("deadLettered", { slot, variant, attempt });
      }
      case "evict":
        return bell.reload();
      case "fault":
        bell.faults[what.what] = true;
        return;
      case "mend":
        return this.#mend(what.input);
    }
  }

  /** All faults are gone, and the schedule is in service: else most lives would soon be quiet. */
  #mend(input: Partial<DefinitionInput>): void {
    const { bell } = this;
    Object.assign(bell.faults, NO_FAULTS);
    if (bell.state.status === "deleted" || bell.state.revision === 0) bell.put(input);
    else if (bell.state.status === "paused") bell.resume();
    else if (bell.state.status === "completed") bell.put(input, { ifMatch: bell.state.revision });
  }

  /** A wake at its instant gets somewhere: the next one lies ahead, or it has claimed, counted or recorded something. */
  #ring(instant: number): void {
    const { bell } = this;
    bell.now = Math.max(bell.now, instant);
    for (let wakes = 0; ; wakes++) {
      const before = bell.state;
      bell.ring();
      const next = wakeAt(bell.world, bell.now);
      if (!bell.state.again && (next === null || next > bell.now)) return;
      if (wakes > IMMEDIATE_WAKES_MAX) broken("it wakes at once, over and over");
      if (!this.#movedOn(before, bell.state))
        broken("a wake at wakeAt got nowhere, and the next is due at once");
      bell.now++;
    }
  }

  #movedOn(before: ScheduleState, after: ScheduleState): boolean {
    const level = { revisions: {} };
    return (
      after.cursor > before.cursor ||
      after.counter > before.counter ||
      triesOf(after) !== triesOf(before) ||
      (hasUnrecorded({ state: before, ...level }) && !hasUnrecorded({ state: after, ...level }))
    );
  }

  #pass(ms: number): void {
    const { bell } = this;
    const end = bell.now + ms;
    for (let wakes = 0; bell.alarm !== null && bell.alarm <= end && wakes < 8; wakes++)
      this.#ring(bell.alarm);
    bell.now = Math.max(bell.now, end);
  }

  #cancel(pick: number): void {
    const { open, waiting } = this.bell.state;
    const all = [...open, ...waiting.map(({ upTo: slot, variant }) => ({ slot, variant }))];
    const chosen = all[pick % Math.max(1, all.length)];
    if (chosen) this.bell.cancel({ slot: chosen.slot, variant: chosen.variant });
  }

  #deliver(pick: number, twice: boolean): void {
    const sent = this.#takeFromQueue(pick, twice);
    if (sent) this.#start(sent, `worker ${this.#workers++}`);
  }

  /** The newest but `pick`, so that old ones come late; left in the queue where it comes twice. */
  #takeFromQueue(pick: number, twice: boolean): Sent | undefined {
    const { queue } = this.bell;
    const sent = queue[queue.length - 1 - (pick % Math.max(1, queue.length))];
    if (sent && !twice) queue.splice(queue.indexOf(sent), 1);
    return sent;
  }

  #newestGrant(pick: number | "replaced"): Grant | undefined {
    const isReplaced = ({ slot, variant, token }: Grant) =>
      token < (this.#highest.get(`${slot}${variant}`) ?? 0);
    if (pick === "replaced") return this.#grants.findLast(isReplaced) ?? this.#grants.at(-1);
    return this.#grants[this.#grants.length - 1 - (pick % Math.max(1, this.#grants.length))];
  }

  #startAgain(pick: number): void {
    const grant = this.#newestGrant(pick);
    if (grant) this.#start(grant, grant.worker);
  }

  #start({ slot, variant, attempt }: Pick<Sent, "slot" | "variant" | "attempt">, worker: string): void {
    const key = `${slot}${variant}`;
    const reply = this.bell.start({ slot, variant, attempt }, worker);
    if (!reply.ok) {
      if (!REFUSALS_OF_START.includes(reply.error.code)) broken(`start was refused with ${reply.error.code}`);
      return;
    }
    const { token, leaseUntil } = reply.value;
    const known = this.#grants.find((grant) => grant.token === token);
    if (known && (known.worker !== worker || key !== `${known.slot}${known.variant}`))
      broken("I5: a token was granted twice");
    if (token < (this.#highest.get(key) ?? 0)) broken("I5: an older token was granted again");
    this.#highest.set(key, token);
    if (known) known.leaseUntil = Date.parse(leaseUntil);
    else
      this.#grants.push({
        slot,
        variant,
        attempt: reply.value.attempt,
        worker,
        token,
        leaseUntil: Date.parse(leaseUntil),
        reported: null,
        unanswered: new Set(),
      });
  }

  /** I5: a report by a replaced token is told lease_lost; one within its lease, not yet reported, is taken. */
  #report(
    pick: number | "replaced",
    how: string,
    call: (to: { slot: number; variant: string; token: number }) => Reply,
  ): void {
    const { bell } = this;
    const grant = this.#newestGrant(pick);
    if (!grant) return;
    const { slot, variant, token } = grant;
    const key = `${slot}${variant}`;
    const open = bell.open.find((o) => `${o.slot}${o.variant}` === key);
    const holds = open?.state === "running" && open.token === token;
    const inTime = Math.max(bell.now, bell.state.cursor) <= grant.leaseUntil;
    const before = bell.state;
    const mayRepeat = grant.reported === how || grant.unanswered.has(how);
    grant.unanswered.add(how);
    const reply = call({ slot, variant, token });
    if (!mayRepeat || grant.reported === how) grant.unanswered.delete(how);
    const isReplaced = token < (this.#highest.get(key) ?? 0);
    if (reply.ok && isReplaced && !mayRepeat) broken(`I5: a replaced token could ${how}`);
    if (reply.ok && grant.reported !== null && grant.reported !== how)
      broken(`I5: it had ended, and could ${how}`);
    if (!reply.ok && reply.error.code !== "lease_lost") broken(`${how} was refused with ${reply.error.code}`);
    if (!reply.ok && isReplaced && bell.open.some((o) => o.token === token))
      broken("I5: the replaced token holds");
    if (!reply.ok && holds && inTime) broken(`I5: the holder could not ${how} within the lease`);
    if (
      !reply.ok &&
      grant.reported === how &&
      before.finals.some((f) => f.token === token && f.settledBy === how)
    )
      broken(`a repeated ${how} got another answer`);
    if (!reply.ok) return;
    if (how !== "heartbeat") grant.reported = how;
    else grant.leaseUntil = bell.open.find((o) => `${o.slot}${o.variant}` === key)?.leaseUntil ?? 0;
  }
}
