/** The time rule of a schedule as data: what a definition stores, and what a timetable answers. */
import type { Fold, Gap } from "./zone.ts";

export type DstChoice = "auto" | { gap: Gap; fold: Fold };

export type Trigger = CronTrigger | EveryTrigger | AfterTrigger | AtTrigger | InTrigger;
export type CronTrigger = {
  cron: string;
  timezone: string | string[];
  dst?: DstChoice;
  monthDay?: "skip" | "clamp";
};
export type EveryTrigger = { every: string; anchor?: string };
export type AfterTrigger = { after: string };
export type AtTrigger = { at: string; timezone?: string; dst?: DstChoice };
/** `dueAt` is ours: given when a revision introduces the trigger, see `resolveTrigger`. */
export type InTrigger = { in: string; dueAt?: string };

export type Exclusion =
  | { date: string; timezone?: string }
  | { from: string; to: string; timezone?: string }
  | { cron: string; timezone?: string };

export interface TimeRule {
  trigger: Trigger | Trigger[];
  exclude: Exclusion[];
  /** Both inclusive, epoch ms. */
  startAt: number | null;
  endAt: number | null;
}

export interface SlotNames {
  /** In the first listed zone that names the slot. */
  localTime: string;
  timezones: string[];
  locals: { timezone: string; localTime: string; businessDate: string }[];
  businessDate: string;
  notes: string[];
}

/** A local time that makes no slot. In a gap it has no offset, since it does not exist. */
export interface Suppressed {
  localTime: string;
  timezone: string;
  reason: "dst_gap" | "excluded";
}

export interface Warning {
  code: "step_larger_than_field" | "day_fields_or" | "leap_years_only" | "months_skipped" | "dst_affected";
  message: string;
}

export interface Timetable {
  /** `delay` is the `after` trigger: its slots come from settlement, so next, prev and count know none. */
  kind: "calendar" | "delay";
  delayMs: number | null;
  /** The least slot after an instant. */
  next(after: number): number | null;
  /** The greatest slot at or before an instant. */
  prev(upTo: number): number | null;
  /** Slots in (after, through]; `through` is `upTo`, or less where the bound was hit: go on from there. */
  count(after: number, upTo: number): { count: number; through: number };
  describe(slot: number): SlotNames;
  /** What made no slot in (after, upTo], in order, at most `limit`. */
  suppressed(after: number, upTo: number, limit: number): Suppressed[];
  readonly description: string;
  readonly warnings: Warning[];
}
