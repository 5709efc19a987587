/**
 * Named points between two durable steps. Nothing listens in production; the crash tests end the object here,
 * where no message could reach it otherwise.
 */

export type Point = "before_T1" | "T1" | "sent" | "before_T2" | "T2";

export const signals: { reached: ((point: Point, schedule: string) => Promise<void> | void) | null } = {
  reached: null,
};

export async function reach(point: Point, schedule: string): Promise<void> {
  if (signals.reached) await signals.reached(point, schedule);
}
