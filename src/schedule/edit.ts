/**
 * What people change of a definition: create, replace, patch. Every edit first settles all slots up to
 * now under the revision in force, then changes it; so it neither loses nor repeats a slot.
 */
import { affordably, metered } from "../core/effort.ts";
import { fail, ok, type Err, type Result } from "../core/errors.ts";
import { BOUNDS } from "../core/limits.ts";
import { complete, type DefinitionInput } from "../core/schedule.ts";
import { secretsAfter, type Sealed } from "../core/secrets.ts";
import type { SecretsSaid } from "../core/target.ts";
import {
  compile,
  effectiveAt,
  refuseDear,
  resolveTrigger,
  tooSparse,
  type Timetable,
} from "../core/trigger.ts";
import { keepChain } from "./settle.ts";
import {
  definitionOf,
  isGone,
  notFound,
  queueChange,
  ruleInForce,
  ruleOf,
  touch,
  type Draft,
} from "./draft.ts";
import { freshHealth, scheduleKey } from "./state.ts";
import type { Actor, PatchCommand, PutCommand, PutReply } from "./stub.ts";
import { viewSchedule } from "./view.ts";
import { settleAll, settlePaused, settleSlots, wake } from "./wake.ts";

/** Secrets in their boxes, by what the target says of each. */
type WithSecrets = { secrets?: SecretsSaid<Sealed> };

/** Creates, replaces or leaves alone. An identical definition changes nothing, whatever the preconditions say. */
export function put(
  draft: Draft,
  command: Omit<PutCommand, "input"> & WithSecrets & { input: DefinitionInput },
): Result<PutReply> {
  const { state, now } = draft;
  const exists = state.revision > 0 && state.status !== "deleted";
  const previous = exists ? draft.revisions[state.revision] : undefined;
  const input = { ...command.input, trigger: resolveTrigger(command.input.trigger, now, previous?.trigger) };
  const valid = affordably(BOUNDS.DEFINED_STEPS_MAX, () => complete(input));
  if (!valid.ok) return valid;
  const secrets = secretsAfter(
    { target: previous?.target, secrets: state.secrets },
    input.target,
    command.secrets,
  );
  if (!secrets.ok) return secrets;
  const edit = { input, secrets: secrets.value };
  if (!exists) return create(draft, command, edit);
  if (command.createOnly) return fail("precondition_failed", `The schedule ${state.name} exists already.`);
  if (isSame(draft, edit)) return ok({ outcome: "unchanged", schedule: viewSchedule(draft) });
  if (command.ifMatch === undefined) {
    return fail(
      "precondition_required",
      `The schedule ${state.name} exists. To replace it, send If-Match with its ETag.`,
      {
        hint: `If-Match: "${state.revision}"`,
      },
    );
  }
  return replace(draft, command, edit);
}

export function patch(
  draft: Draft,
  command: Omit<PatchCommand, "patch"> &
    WithSecrets & { patch: { [K in keyof DefinitionInput]?: DefinitionInput[K] | null } },
): Result<PutReply> {
  const current = draft.revisions[draft.state.revision];
  if (!current || draft.state.status === "deleted") return notFound(draft);
  const merged = merge(current, command.patch);
  const input = { ...merged, trigger: resolveTrigger(merged.trigger, draft.now, current.trigger) };
  const valid = affordably(BOUNDS.DEFINED_STEPS_MAX, () => complete(input));
  if (!valid.ok) return valid;
  const before = { target: current.target, secrets: draft.state.secrets };
  const secrets = secretsAfter(before, input.target, command.secrets);
  if (!secrets.ok) return secrets;
  const edit = { input, secrets: secrets.value };
  if (isSame(draft, edit) && command.paused === undefined) {
    return stale(draft, command) ?? ok({ outcome: "unchanged", schedule: viewSchedule(draft) });
  }
  return replace(draft, command, edit);
}

/** What an edit makes of a schedule. */
interface Edit {
  input: DefinitionInput;
  secrets: Sealed[];
}

const MERGED_FIELDS = ["catchUp", "retry", "timeouts", "alerts"] as const;

/** Merge patch by top-level field; four fields merge one level deep. Null restores the default, but a null payload is a value. */
function merge(current: DefinitionInput, change: object): DefinitionInput {
  const merged: Record<string, unknown> = { ...current };
  for (const [field, value] of Object.entries(change)) {
    const deep = MERGED_FIELDS.some((name) => name === field);
    if (value === null && field !== "payload") delete merged[field];
    else merged[field] = deep ? { ...(merged[field] as object | undefined), ...(value as object) } : value;
  }
  return merged as unknown as DefinitionInput;
}

function isSame(draft: Draft, { input, secrets }: Edit): boolean {
  const [mine, theirs] = [definitionOf(draft, draft.state.revision), complete(input)];
  const isAsSecret = canonical(draft.state.secrets) === canonical(secrets);
  return isAsSecret && theirs.ok && canonical(mine) === canonical(theirs.value);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    v !== null && typeof v === "object" && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );
}

function create(
  draft: Draft,
  command: Omit<PutCommand, "input">,
  { input, secrets }: Edit,
): Result<PutReply> {
  const { state, now } = draft;
  if (command.ifMatch !== undefined) {
    return fail("precondition_failed", `There is no schedule ${state.name} to replace.`, {
      hint: "Leave If-Match out to create it.",
    });
  }
  const settledUpTo = state.revision === 0 ? -1 : state.cursor;
  const past = refusePast(draft, input, settledUpTo);
  if (past) return past;
  Object.assign(state, {
    status: command.paused ? "paused" : "active",
    pause: command.paused ? { from: now, until: null, note: "created paused", who: command.who } : null,
    createdAt: now,
    cursor: Math.max(now, state.cursor),
    delayDueAt: null,
    lastGap: null,
    claimed: 0,
    previous: null,
    lastSucceededSlot: null,
    everStarted: false,
    health: freshHealth(),
    secrets,
  });
  addRevision(draft, input);
  begin(draft, input, settledUpTo);
  queueChange(draft, "create", command.who, {
    body: {
      definition: input,
      cursor: state.cursor,
      dueAt: state.delayDueAt,
      ...(command.paused ? { paused: true } : {}),
    },
  });
  settleSlots(draft, null);
  return ok({ outcome: "created", schedule: viewSchedule(draft) });
}

function replace(
  draft: Draft,
  command: Actor & { ifMatch?: number; paused?: boolean },
  edit: Edit,
): Result<PutReply> {
  const { input, secrets } = edit;
  const { state } = draft;
  const refused =
    stale(draft, command) ?? refusePause(draft, command.paused) ?? refusePast(draft, input, state.cursor);
  if (refused) return refused;
  if (isSame(draft, edit)) return ok({ outcome: "unchanged", schedule: viewSchedule(draft) });
  settleBefore(draft);
  // The last run may have ended with that, and a completed schedule with it.
  if (isGone(draft)) return notFound(draft);
  const before = ruleInForce(draft);
  keepHeld(draft);
  addRevision(draft, input);
  const note = secretsChanged(state.secrets, secrets);
  state.secrets = secrets;
  // What a completed schedule's rule went on to name were no slots: it counts from the edit like a new one.
  const isOver = state.status === "completed";
  if (isOver) state.status = "active";
  if (isOver || timeRule(before.definition) !== timeRule(ruleInForce(draft).definition)) {
    const settledUpTo = state.cursor;
    state.cursor = Math.max(state.cursor, draft.now);
    state.delayDueAt = null;
    begin(draft, input, settledUpTo);
  }
  queueChange(draft, "edit", command.who, {
    note,
    body: { definition: input, cursor: state.cursor, dueAt: state.delayDueAt },
  });
  settleSlots(draft, null);
  return ok({ outcome: "replaced", schedule: viewSchedule(draft) });
}

/**
 * A secret that changes makes a revision, though the definition reads as before: so the ETag moves, two who change it
 * at once don't overwrite each other, and the record says who did and when.
 */
function secretsChanged(before: readonly Sealed[], after: readonly Sealed[]): string | null {
  const fields = new Set([...before, ...after].map(({ field }) => field));
  const boxOf = (secrets: readonly Sealed[], field: string) => secrets.find((it) => it.field === field)?.box;
  const changed = [...fields].filter((field) => boxOf(before, field) !== boxOf(after, field));
  return changed.length > 0 ? `secrets: ${changed.join(", ")}` : null;
}

/** The same secrets under another key: no edit, but for the ledger to hear of. */
export function reseal(draft: Draft, anew: { old: Sealed; sealed: Sealed }[]): Result<null> {
  const { state } = draft;
  state.secrets = state.secrets.map((kept) => anew.find(({ old }) => old.box === kept.box)?.sealed ?? kept);
  touch(draft);
  return ok(null);
}

/** Every slot up to now is settled under what has been in force until now. */
export function settleBefore(draft: Draft): void {
  wake(draft);
  settleAll(draft);
  if (draft.state.status === "paused") settlePaused(draft);
}

export function stale(draft: Draft, { ifMatch }: { ifMatch?: number }): Err | null {
  if (ifMatch === undefined || ifMatch === draft.state.revision) return null;
  return fail(
    "precondition_failed",
    `If-Match names revision ${ifMatch}; revision ${draft.state.revision} is in force.`,
    {
      hint: "Read the schedule again, and decide again.",
    },
  );
}

function refusePause(draft: Draft, paused: boolean | undefined): Err | null {
  if (paused === undefined || paused === (draft.state.status === "paused")) return null;
  return fail("use_pause_or_resume", "`paused` is state, not definition: it is honoured on creation only.", {
    pointer: "/paused",
    hint: paused ? "POST …/pause" : "POST …/resume",
  });
}

/**
 * A one-off that lies in the past fires at once while it is within `catchUp.grace`, unless this schedule has settled
 * that very slot already; an older one is a mistake.
 */
function refusePast(draft: Draft, input: DefinitionInput, settledUpTo: number): Err | null {
  const { state, now } = draft;
  const definition = complete(input);
  if (!definition.ok) return definition;
  const exists = !isGone(draft);
  if (exists && timeRule(definition.value) === timeRule(definitionOf(draft, state.revision))) return null;
  const compiled = compile(definition.value);
  if (!compiled.ok) return compiled;
  const { graceMs } = definition.value.catchUp;
  const late = now - graceMs - 1;
  const after = isOneOff(input) ? Math.max(settledUpTo, late) : exists ? late : now;
  if (compiled.value.kind === "delay") return null;
  const { value: next, gaveUp } = metered(() => compiled.value.next(after));
  if (next !== null) return refuseDear(compiled.value, after);
  if (gaveUp) return tooSparse();
  return fail(
    "never_fires",
    "The last slot that this trigger names lies in the past, further back than catchUp.grace.",
    {
      pointer: "/trigger",
    },
  );
}

/** Whatever decides which instants are slots. */
function timeRule({
  trigger,
  exclude,
  startAt,
  endAt,
}: Pick<DefinitionInput, "trigger" | "exclude" | "startAt" | "endAt">): string {
  return canonical({ trigger, exclude, startAt, endAt });
}

function addRevision(draft: Draft, input: DefinitionInput): void {
  const { state } = draft;
  state.revision++;
  state.updatedAt = draft.now;
  draft.revisions[state.revision] = input;
}

/** The first slot of a new time rule: of a one-off, the one that was just missed; of fixed delay, one delay away. */
function begin(draft: Draft, input: DefinitionInput, settledUpTo: number): void {
  const { state, now } = draft;
  const rule = ruleOf(draft, state.revision);
  if (rule.timetable.kind === "delay") return keepChain(draft);
  const { graceMs } = rule.definition.catchUp;
  const missed = isOneOff(input) && rule.timetable.next(now) === null ? rule.timetable.prev(now) : null;
  if (missed !== null && missed >= now - graceMs && missed > settledUpTo)
    state.cursor = Math.min(state.cursor, missed - 1);
}

function isOneOff({ trigger }: DefinitionInput): boolean {
  return [trigger].flat().every((one) => "at" in one || "in" in one);
}

/** A slot that is due by name and still held by its jitter keeps its revision and its instant across the edit. */
export function keepHeld(draft: Draft): void {
  const { state, now } = draft;
  const rule = ruleInForce(draft);
  if (state.status !== "active") return;
  const slot = nextSlot(rule.timetable, state.cursor, now);
  if (slot === null) return;
  state.waiting.push({
    kind: "scheduled",
    revision: rule.revision,
    variant: "",
    after: slot - 1,
    upTo: slot,
    count: 1,
    newestFirst: false,
    notBefore: effectiveAt(rule.timetable, scheduleKey(state), rule.definition.jitterMs, slot),
    buffered: false,
    payload: null,
    replayOf: null,
  });
  state.cursor = slot;
}

function nextSlot(timetable: Timetable, after: number, upTo: number): number | null {
  const slot = timetable.next(after);
  return slot !== null && slot <= upTo ? slot : null;
}
