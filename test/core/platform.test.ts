/**
 * What we assume of the runtime's zone database. If one of these fails after an update of the runtime, the
 * slots of some schedules have changed: say so in the release notes before changing the expectation.
 */
import { describe, expect, it } from "vitest";
import { isTimezone, localTimeIn, zoneOf } from "../../src/core/zone.ts";
import { ms } from "./ask.ts";

/** The spans around an instant, as offsets in minutes with the instant of the change. */
function changeNear(zone: string, at: string): string {
  const span = zoneOf(zone)!.spanAt(ms(at) / 1000);
  const when = new Date(span.from * 1000).toISOString().replace(".000Z", "Z");
  return `${when} ${span.before / 60} → ${span.offset / 60}`;
}

describe("offsets come from the zone database, for the instant in question", () => {
  it.each([
    ["Australia/Lord_Howe", "2026-10-04T00:00:00Z", "2026-10-03T15:30:00Z 630 → 660", "half an hour"],
    ["Australia/Lord_Howe", "2026-04-05T00:00:00Z", "2026-04-04T15:00:00Z 660 → 630", "and back"],
    ["Pacific/Apia", "2011-12-31T00:00:00Z", "2011-12-30T10:00:00Z -600 → 840", "Samoa's skipped day"],
    ["Africa/Casablanca", "2025-02-25T00:00:00Z", "2025-02-23T02:00:00Z 60 → 0", "Ramadan"],
    ["Africa/Casablanca", "2025-04-07T00:00:00Z", "2025-04-06T02:00:00Z 0 → 60", "and after"],
    ["Antarctica/Troll", "2026-03-30T00:00:00Z", "2026-03-29T01:00:00Z 0 → 120", "two hours"],
    ["America/Sao_Paulo", "2018-11-05T00:00:00Z", "2018-11-04T03:00:00Z -180 → -120", "no midnight"],
    ["America/Sao_Paulo", "2019-02-18T00:00:00Z", "2019-02-17T02:00:00Z -120 → -180", "two 23:00"],
    ["Pacific/Chatham", "2026-04-05T00:00:00Z", "2026-04-04T14:00:00Z 825 → 765", "quarters of an hour"],
    ["Asia/Gaza", "2040-10-22T00:00:00Z", "2040-10-20T00:00:00Z 120 → 180", "seven days apart"],
    ["America/Recife", "2000-10-10T00:00:00Z", "2000-10-08T03:00:00Z -180 → -120", "a week of summer"],
    ["Europe/Dublin", "2026-10-26T00:00:00Z", "2026-10-25T01:00:00Z 60 → 0", "negative DST in winter"],
    ["Africa/Monrovia", "1972-02-01T00:00:00Z", "1972-01-07T00:44:30Z -44.5 → 0", "an offset with seconds"],
  ])("%s %s", (zone, at, expected) => {
    expect(changeNear(zone, at)).toBe(expected);
  });

  it("Brazil and Iran have stopped, and Istanbul stayed ahead", () => {
    for (const zone of ["America/Sao_Paulo", "Asia/Tehran", "Europe/Istanbul"]) {
      const { from, until } = zoneOf(zone)!.spanAt(ms("2027-06-01T00:00:00Z") / 1000);
      expect(
        [from, until].map((second) => new Date(second * 1000).toISOString().slice(0, 10)),
        zone,
      ).toEqual(["2027-01-01", "2028-01-01"]);
    }
  });

  it("standing rules go on to the end of the years", () => {
    expect(localTimeIn("Europe/Berlin", ms("2199-07-01T12:00:00Z"))).toBe("2199-07-01T14:00:00+02:00");
    expect(localTimeIn("America/New_York", ms("2199-12-01T12:00:00Z"))).toBe("2199-12-01T07:00:00-05:00");
  });

  it("both passes of a repeated hour can be told apart", () => {
    expect(localTimeIn("Europe/Berlin", ms("2026-10-25T00:30:00Z"))).toBe("2026-10-25T02:30:00+02:00");
    expect(localTimeIn("Europe/Berlin", ms("2026-10-25T01:30:00Z"))).toBe("2026-10-25T02:30:00+01:00");
  });

  it("local times carry a numeric offset, in UTC too, and milliseconds if any", () => {
    expect(localTimeIn("UTC", 0)).toBe("1970-01-01T00:00:00+00:00");
    expect(localTimeIn("America/St_Johns", ms("2026-01-01T00:00:00.250Z"))).toBe(
      "2025-12-31T20:30:00.250-03:30",
    );
  });

  it("knows the names of the database and no bare offsets", () => {
    for (const zone of ["UTC", "Europe/Berlin", "EST5EDT", "Etc/GMT+5", "Cuba", "CET", "US/Pacific"])
      expect(isTimezone(zone), zone).toBe(true);
    for (const zone of ["", "+01:00", "-05", "Mars/Olympus", "GMT+1", "Europe", "Europe/Berlin ", "☃"])
      expect(isTimezone(zone), zone).toBe(false);
  });
});

describe("looking every six days sees every change", () => {
  // The walker's own zones look every day and agree (zones.test.ts); here the whole range of years counts.
  it("no two changes of the closest zones are lost, 1970–2199", () => {
    for (const zone of ["Asia/Gaza", "America/Recife", "Africa/El_Aaiun", "America/Argentina/Tucuman"]) {
      const format = new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        timeZoneName: "longOffset",
        year: "numeric",
      });
      const seen = (second: number) => format.format(second * 1000).replace(/^.*GMT/, "");
      let changes = 0;
      let looked = 0;
      let { offset } = zoneOf(zone)!.spanAt(0);
      for (let at = 0; at < 7_258_118_400; at = zoneOf(zone)!.spanAt(at).until) {
        const span = zoneOf(zone)!.spanAt(at);
        if (span.offset !== offset) changes++;
        ({ offset } = span);
      }
      let last = seen(0);
      for (let at = 0; at < 7_258_118_400; at += 86_400) {
        const now = seen(at);
        if (now !== last) looked++;
        last = now;
      }
      expect(changes, zone).toBe(looked);
    }
  });
});
