/** The namespace in five numbers. */
import type { PropsWithChildren } from "hono/jsx";
import { atMost } from "./charts/lateness.tsx";
import type { Counts, Day } from "./overview.tsx";
import { count } from "./when.ts";

const ILL = ["late", "failing", "stalled"] as const;

export function Tiles({ counts, day }: { counts: Counts; day: Day }) {
  const { standing, alerts } = counts;
  const { behind, ahead } = day;
  const inState = (state: string) => sum(standing.filter((one) => one.state === state));
  const ill = ILL.map((health) => ({
    health,
    count: sum(standing.filter((one) => one.state === "active" && one.health === health)),
  })).filter((one) => one.count > 0);
  const open = sum(alerts);
  const needs = sum(ill) + open;
  const { succeeded = 0, failed = 0, expired = 0, skipped = 0, dispatched = 0 } = behind.byState;
  const ended = succeeded + failed + expired;
  return (
    <dl class="tiles">
      <Tile name="Schedules" value={count(sum(standing))}>
        {`${count(inState("active"))} active`}
        {inState("paused") > 0 && `, ${count(inState("paused"))} paused`}
        {inState("completed") > 0 && `, ${count(inState("completed"))} completed`}
      </Tile>
      <Tile name="Need attention" value={count(needs)} tone={needs > 0 ? "bad" : undefined}>
        {needs === 0 && "all is well"}
        {[
          ...(open > 0 ? [`${count(open)} alert${open === 1 ? "" : "s"}`] : []),
          ...ill.map((one) => `${count(one.count)} ${one.health}`),
        ].join(", ")}
      </Tile>
      <Tile name="Ended well, 24 h" value={ended === 0 ? "–" : share(succeeded, ended)}>
        {`${count(succeeded + dispatched)} ran, ${count(failed + expired)} failed, ${count(skipped)} skipped`}
      </Tile>
      <Tile name="Lateness, 24 h" value={behind.late.p50 === null ? "–" : atMost(behind.late.p50)}>
        {behind.late.p99 === null ? "nothing was dispatched" : `99 of 100 ${atMost(behind.late.p99)}`}
      </Tile>
      <Tile name="Due within the hour" value={count(ahead.hour.slots)}>
        {`${count(ahead.hour.peak)} in the fullest minute`}
      </Tile>
    </dl>
  );
}

function Tile({
  name,
  value,
  tone,
  children,
}: PropsWithChildren<{ name: string; value: string; tone?: string }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={tone}>{value}</dd>
      <dd class="muted small">{children}</dd>
    </div>
  );
}

function sum(counted: { count: number }[]): number {
  return counted.reduce((total, one) => total + one.count, 0);
}

/** Never rounded up to all of them. */
function share(part: number, whole: number): string {
  return `${Math.floor((part / whole) * 1_000) / 10} %`;
}
