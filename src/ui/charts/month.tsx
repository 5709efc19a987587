/** A month as a table of days: how many slots each has, and where the clock is changed. */
import { localTimeIn } from "../../core/zone.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const DAY_MS = 86_400_000;

interface Day {
  date: string;
  times: string[];
  lost: string[];
  /** `+01:00 → +02:00` where the clock is changed on that day. */
  change: string | null;
}

/** Local times as `2027-03-28T03:00:00+02:00`, those that make no slot without the offset. */
export interface MonthProps {
  year: number;
  /** 1 to 12. */
  month: number;
  zone: string;
  slots: string[];
  lost: string[];
}

export function Month({ year, month, zone, slots, lost }: MonthProps) {
  const days = daysOf({ year, month, zone, slots, lost });
  const lead = (new Date(`${days[0]!.date}T00:00:00Z`).getUTCDay() + 6) % 7;
  const cells: (Day | null)[] = [...Array.from({ length: lead }, () => null), ...days];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => cells[week * 7 + day] ?? null),
  );
  return (
    <table class="month">
      <caption>{`${MONTHS[month - 1]} ${year}`}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr>{week.map((day) => (day ? <Cell day={day} /> : <td></td>))}</tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ day: { date, times, lost, change } }: { day: Day }) {
  const kinds = [times.length > 0 ? "has" : "", change ? "change" : "", lost.length > 0 ? "loses" : ""];
  const told = [
    times.slice(0, 12).join(", ") + (times.length > 12 ? ` and ${times.length - 12} more` : ""),
    lost.length > 0 ? `no slot: ${lost.join(", ")}` : "",
    change ? `the clock goes from ${change}` : "",
  ].filter(Boolean);
  return (
    <td class={kinds.filter(Boolean).join(" ") || undefined} title={told.join("; ") || undefined}>
      <b>{Number(date.slice(8))}</b>
      {change && <i aria-hidden="true">◷</i>}
      <span>
        {times.length === 0
          ? ""
          : times.length <= 2
            ? times.map((time) => <em>{time}</em>)
            : `${times.length}×`}
        {times.length === 0 && lost.length > 0 && <s>{lost[0]}</s>}
      </span>
      {change && <span class="hidden">{`, the clock goes from ${change}`}</span>}
    </td>
  );
}

function daysOf({ year, month, zone, slots, lost }: MonthProps): Day[] {
  const first = Date.UTC(year, month - 1, 1);
  const count = Math.round((Date.UTC(year, month, 1) - first) / DAY_MS);
  const timesOf = (all: string[], date: string) =>
    all.filter((local) => local.startsWith(date)).map((local) => local.slice(11, 16));
  return Array.from({ length: count }, (_, i) => {
    const at = first + i * DAY_MS;
    const date = new Date(at).toISOString().slice(0, 10);
    return { date, times: timesOf(slots, date), lost: timesOf(lost, date), change: changeOn(zone, date) };
  });
}

/** Between one local noon and the next, in UTC: what matters is that every change lies between two of them. */
function changeOn(zone: string, date: string): string | null {
  const noon = Date.parse(`${date}T12:00:00Z`);
  const [before, after] = [noon - DAY_MS, noon].map((at) => localTimeIn(zone, at).slice(19));
  return before === after ? null : `${before} to ${after}`;
}
