/** Why did, or didn't, it run at that instant? One verdict, a few plain sentences, and what they rest on. */
import { sentencesOf } from "./explain-words.ts";
import { find, type Evidence, type Finding, type Verdict } from "./finding.ts";
import { presentDefinition } from "./present.ts";
import type { Json } from "./schedule.ts";
import { formatInstant } from "./time.ts";

export { VERDICTS, type Evidence, type Gap, type Standing, type Verdict } from "./finding.ts";

export interface Explanation {
  at: string;
  verdict: Verdict;
  sentences: string[];
  evidence: { [fact: string]: Json };
  nearest: { previous: string | null; next: string | null };
}

export function explain(evidence: Evidence): Explanation {
  const finding = find(evidence);
  return {
    at: formatInstant(evidence.at),
    verdict: evidence.wall ? "dst_gap" : finding.verdict,
    sentences: sentencesOf(finding),
    evidence: factsOf(finding),
    nearest: nearestOf(finding),
  };
}

function factsOf(finding: Finding): Explanation["evidence"] {
  const { era, evidence, pause } = finding;
  const revision = evidence.occurrence?.revision ?? evidence.gap?.revision ?? era?.revision ?? null;
  const ruled = finding.eras.find((one) => one.revision === revision) ?? era;
  const shown = ruled && presentDefinition(ruled.definition);
  const names = ruled?.timetable.describe(evidence.at);
  return {
    revision,
    definedAt: ruled ? formatInstant(ruled.begun.at) : null,
    definedBy: ruled?.begun.who ?? null,
    rule: ruled?.timetable.description ?? null,
    policy: shown && {
      overlap: shown.overlap!,
      maxConcurrent: shown.maxConcurrent!,
      maxBuffered: shown.maxBuffered!,
      catchUp: shown.catchUp!,
    },
    localTime: names?.localTime ?? null,
    notes: names?.notes ?? [],
    effectiveAt: finding.effectiveAt === null ? null : formatInstant(finding.effectiveAt),
    pause: pause && {
      from: formatInstant(pause.from),
      to: pause.to === null ? null : formatInstant(pause.to),
      until: pause.until === null ? null : formatInstant(pause.until),
      who: pause.who,
      note: pause.note,
    },
    beside: evidence.beside.map(({ variant, state }) => ({ variant, state })),
  };
}

function nearestOf({ evidence, eras }: Finding): Explanation["nearest"] {
  const { at } = evidence;
  const before = eras.flatMap(({ timetable, after, upTo }) => {
    const slot = timetable.prev(Math.min(at - 1, upTo));
    return slot !== null && slot > after ? [slot] : [];
  });
  const behind = eras.flatMap(({ timetable, after, upTo }) => {
    const slot = timetable.next(Math.max(at, after));
    return slot !== null && slot <= upTo ? [slot] : [];
  });
  const shown = (slot: number | undefined) => (slot === undefined ? null : formatInstant(slot));
  return {
    previous: shown(before.toSorted((a, b) => a - b).at(-1)),
    next: shown(behind.toSorted((a, b) => a - b)[0]),
  };
}
