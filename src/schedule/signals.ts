/**
 * Named points between two durable steps, and the durable steps themselves. Nothing listens in production; the crash
 * tests end the object here, where no message could reach it otherwise, and the simulation watches what is stored.
 */
import type { CommandName } from "./machine.ts";
import type { World } from "./state.ts";

export type Point = "before_T1" | "T1" | "sent" | "before_T2" | "T2";

export interface Saved {
  schedule: string;
  name: CommandName;
  command: unknown;
  world: World;
}

export const signals: {
  reached: ((point: Point, schedule: string) => Promise<void> | void) | null;
  saved: ((saved: Saved) => void) | null;
} = {
  reached: null,
  saved: null,
};

export async function reach(point: Point, schedule: string): Promise<void> {
  if (signals.reached) await signals.reached(point, schedule);
}
