/** The next slots, on the clock of the schedule and on the viewer's, with what the clock changes do to them. */
import type { PreviewResponse, PreviewSlot } from "../core/preview.ts";
import type { Suppressed } from "../core/rule.ts";
import { Since, Time } from "./parts.tsx";
import { noteWords, suppressedWords } from "./reasons.ts";
import type { Viewer } from "./viewer.ts";
import { span } from "./when.ts";

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const SUPPRESSED = 12;

type Line = { at: string; slot: PreviewSlot } | { at: string; lost: Suppressed };

export function Upcoming({
  slots,
  suppressed,
  viewer,
}: Pick<PreviewResponse, "slots" | "suppressed"> & { viewer: Viewer }) {
  const lines = inOrder(slots, suppressed);
  const zones = new Set(slots.flatMap(({ timezones }) => timezones));
  const [zone = "UTC"] = zones;
  const isElsewhere = slots.some(({ timezones }) => timezones.some((zone) => zone !== viewer.zone));
  return (
    <div class="scroll">
      <table class="slots">
        <thead>
          <tr>
            <th>{isElsewhere ? (zones.size === 1 ? zone : "On its own clock") : "At"}</th>
            {isElsewhere && <th>{`On yours, ${viewer.zone}`}</th>}
            <th class="wide">In</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) =>
            "slot" in line ? (
              <Slot slot={line.slot} viewer={viewer} isElsewhere={isElsewhere} isNamed={zones.size > 1} />
            ) : (
              <tr class="lost">
                <td colspan={isElsewhere ? 3 : 2}>
                  <s>
                    {weekday(line.lost.localTime)}{" "}
                    <bdi>{line.lost.localTime.replace("T", " ").slice(0, 19)}</bdi>
                  </s>{" "}
                  <small>{line.lost.timezone}</small>
                  <p class="note">{suppressedWords(line.lost.reason)}</p>
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Slot({
  slot,
  viewer,
  isElsewhere,
  isNamed,
}: {
  slot: PreviewSlot;
  viewer: Viewer;
  isElsewhere: boolean;
  isNamed: boolean;
}) {
  const { scheduledFor, effectiveAt, localTime, timezones, notes } = slot;
  const late = Date.parse(effectiveAt) - Date.parse(scheduledFor);
  const own = timezones[0] ?? "UTC";
  return (
    <tr>
      <td>
        {weekday(localTime)} <Time at={scheduledFor} viewer={viewer} zone={own} />
        {isNamed && <small class="zones">{timezones.join(", ")}</small>}
        {notes
          .filter((note) => note !== "jittered")
          .map((note) => (
            <p class="note">{noteWords(note)}</p>
          ))}
        {late > 0 && <p class="note idle">{`Jitter adds ${span(late)}`}</p>}
      </td>
      {isElsewhere && (
        <td>
          <Time at={scheduledFor} viewer={viewer} />
        </td>
      )}
      <td class="muted wide">
        <Since at={effectiveAt} viewer={viewer} />
      </td>
    </tr>
  );
}

/** A local time that does not exist stands where its clock would have shown it. */
function inOrder(slots: PreviewSlot[], suppressed: Suppressed[]): Line[] {
  const lost = suppressed.slice(0, SUPPRESSED).map((one): Line => ({ at: one.localTime, lost: one }));
  const all = [...slots.map((slot): Line => ({ at: slot.localTime, slot })), ...lost];
  return all.toSorted((a, b) => (a.at.slice(0, 19) < b.at.slice(0, 19) ? -1 : 1));
}

function weekday(localTime: string): string {
  return WEEKDAYS[new Date(`${localTime.slice(0, 10)}T00:00:00Z`).getUTCDay()] ?? "";
}
