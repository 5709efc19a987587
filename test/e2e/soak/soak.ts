/**
 * The soak: a fleet of schedules in the real runtime, and havoc all the while: `kill -9`, a ledger that fails, queues
 * that fail, edits, pauses, runs by hand. Afterwards every slot has to be accounted for, exactly once.
 */
import { call } from "../../../scripts/api.ts";
import { type Account, accountOf } from "./account.ts";
import { type Arena, openArena } from "./arena.ts";
import { type Dice, diceOf, pick } from "../../dice.ts";
import { fleetOf, type Member, triggerOf } from "./fleet.ts";

export interface Plan {
  seed: number;
  schedules: number;
  seconds: number;
  /** Between two disasters. */
  calmSeconds: number;
  say?: (line: string) => void;
}

export interface Outcome {
  accounts: Account[];
  disasters: { [what: string]: number };
  meddlings: number;
  refused: number;
  /** The scheduler's own word on it. */
  audited: Audit;
}

export interface Audit {
  expected: number;
  accounted: number;
  discrepancies: unknown[];
}

const SETTLE_MS_MAX = 120_000;
const SWEEP_MS = 10_000;
const AUDIT_AFTER_MS = 16_000;
const AT_ONCE = 8;

export async function soak(plan: Plan): Promise<Outcome> {
  const { seed, schedules, seconds, say = () => {} } = plan;
  const dice = diceOf(seed);
  const arena = await openArena();
  try {
    const startedAt = Date.now();
    const fleet = fleetOf(dice, schedules, startedAt, seconds * 1_000);
    await each(fleet, ({ name, definition }) => call(arena.api, "PUT", `/v1/schedules/${name}`, definition));
    say(`${fleet.length} schedules; havoc for ${seconds} s, seed ${seed}`);
    const havoc = await wreak(arena, fleet, dice, plan);
    await arena.fail();
    await comeToRest(arena, fleet);
    say("no slot is due any more; waiting for what is open");
    const accounts = await settledAccounts(arena, fleet);
    return { accounts, ...havoc, audited: await audit(arena, startedAt) };
  } finally {
    await arena.close();
  }
}

async function wreak(
  arena: Arena,
  fleet: Member[],
  dice: Dice,
  { seconds, calmSeconds, say = () => {} }: Plan,
) {
  const until = Date.now() + seconds * 1_000;
  const havoc = { disasters: {} as Outcome["disasters"], meddlings: 0, refused: 0 };
  let disasterAt = Date.now() + calmSeconds * 1_000;
  let mendAt = Number.POSITIVE_INFINITY;
  let sweepAt = 0;
  while (Date.now() < until) {
    const now = Date.now();
    if (now >= sweepAt) {
      sweepAt = now + SWEEP_MS;
      await arena.sweep();
    }
    if (now >= mendAt) {
      mendAt = Number.POSITIVE_INFINITY;
      await arena.fail();
    }
    if (now >= disasterAt) {
      disasterAt = now + calmSeconds * 1_000 * (0.6 + 0.8 * dice());
      const what = await strike(arena, dice);
      if (what !== "kill") mendAt = now + calmSeconds * 1_000 * (0.2 + 0.3 * dice());
      havoc.disasters[what] = (havoc.disasters[what] ?? 0) + 1;
      say(`${Math.round((until - now) / 1_000)} s left: ${what}`);
    }
    havoc.meddlings++;
    if (!(await meddle(arena, pick(dice, fleet), dice))) havoc.refused++;
    await rest(500 + 1_000 * dice());
  }
  return havoc;
}

async function strike(arena: Arena, dice: Dice): Promise<string> {
  const what = pick(dice, ["kill", "ledger", "queue", "kill", "ledger and queue"]);
  if (what === "kill") await arena.kill();
  else await arena.fail(...(what.split(" and ") as ("ledger" | "queue")[]));
  return what;
}

/** What people do meanwhile. A refusal is part of the game: the ledger may be down, the schedule paused already. */
async function meddle({ api }: Arena, { name, kind, definition }: Member, dice: Dice): Promise<boolean> {
  const path = `/v1/schedules/${name}`;
  const deed = pick(dice, ["edit", "edit", "retime", "pause", "resume", "resume", "trigger"] as const);
  const isRepeated = kind === "every" || kind === "cron";
  // A completed schedule passes over what it does not run; the account from outside knows only revisions.
  const mayComplete = "maxOccurrences" in definition;
  try {
    if (deed === "edit" && !mayComplete)
      await call(api, "PATCH", path, { payload: { deed: pick(dice, ["ok", "flaky", "slow"]) } });
    else if (deed === "retime" && isRepeated && !mayComplete)
      await call(api, "PATCH", path, { trigger: triggerOf(kind, dice, 0, 0) });
    else if (deed === "pause") await call(api, "POST", `${path}/pause`, { note: "soak" });
    else if (deed === "resume") {
      await call(
        api,
        "POST",
        `${path}/resume`,
        dice() < 0.5 ? {} : { catchUp: pick(dice, ["skip", "latest", "all"]) },
      );
    } else await call(api, "POST", `${path}/trigger`, {});
    return true;
  } catch {
    return false;
  }
}

/** Everything is paused, so that what is due has an end. */
async function comeToRest({ api }: Arena, fleet: Member[]): Promise<void> {
  await each(fleet, async ({ name }) => {
    const { state } = await call<{ state: string }>(api, "GET", `/v1/schedules/${name}`);
    if (state === "active") await call(api, "POST", `/v1/schedules/${name}/pause`, {});
  });
}

/** Once all is settled and on record; or as it is when patience ends. */
async function settledAccounts(arena: Arena, fleet: Member[]): Promise<Account[]> {
  const until = Date.now() + SETTLE_MS_MAX;
  for (;;) {
    await arena.sweep();
    const accounts = await each(fleet, (member) => accountOf(arena.api, member));
    const isClean = accounts.every(({ discrepancies }) => discrepancies.length === 0);
    if (isClean || Date.now() > until) return accounts;
    await rest(3_000);
  }
}

/** What became due just now is not judged yet: a little later all of it is. */
async function audit({ api }: Arena, from: number): Promise<Audit> {
  const range = `from=${new Date(from).toISOString()}&to=${new Date().toISOString()}`;
  const sum: Audit = { expected: 0, accounted: 0, discrepancies: [] };
  await rest(AUDIT_AFTER_MS);
  let cursor = "";
  do {
    const page: Audit & { nextCursor: string | null } = await call(api, "GET", `/v1/audit?${range}${cursor}`);
    sum.expected += page.expected;
    sum.accounted += page.accounted;
    sum.discrepancies.push(...page.discrepancies);
    cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  return sum;
}

async function each<T, R>(items: T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map(act))));
  }
  return results;
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
