/** Lines as they stand in real tables: distributions' own, hosting manuals', and what people ask about. */
import { describe, expect, it } from "vitest";
import { importTable } from "../../src/cli/crontab.ts";
import { nameOf } from "../../src/cli/crontab-name.ts";

const OPTIONS = { timezone: "Europe/Berlin", queue: "EXTERNAL", hasUsers: false };

interface Row {
  line: string;
  cron?: string;
  name?: string;
  /** Imported, unless told otherwise. */
  verdict?: "changed" | "refused" | "left out";
  /** Part of what is said about it. */
  about?: string;
  command?: string;
  system?: boolean;
}

const ROWS: Row[] = [
  // plain
  {
    line: "0 2 * * * /usr/local/bin/backup.sh",
    cron: "0 2 * * *",
    name: "backup",
    about: "At 02:00 every day",
  },
  {
    line: "*/5 * * * * /usr/bin/php /var/www/app/artisan schedule:run >> /dev/null 2>&1",
    cron: "*/5 * * * *",
    name: "artisan-schedule-run",
  },
  {
    line: "*/15\t*\t*\t*\t*\tcd /srv/app && bundle exec rake jobs:work",
    cron: "*/15 * * * *",
    name: "bundle-exec",
  },
  {
    line: "30 4 1,15 * 5 /usr/bin/find /tmp -mtime +7 -delete",
    cron: "30 4 1,15 * 5",
    about: "day_fields_or",
  },
  {
    line: "0 9-17 * * 1-5 python3 manage.py send_reminders",
    cron: "0 9-17 * * 1-5",
    name: "manage-send_reminders",
  },
  { line: "0 9-17/2 * * mon-fri node /srv/report.js", cron: "0 9-17/2 * * mon-fri", name: "report" },
  { line: "15 3 * * sun /usr/sbin/logrotate /etc/logrotate.conf", cron: "15 3 * * sun", name: "logrotate" },
  { line: "0 0 1 jan * /bin/true", cron: "0 0 1 jan *" },
  { line: "0 22 * * 0-4 /opt/nightly", cron: "0 22 * * 0-4" },
  { line: "0 12 * * 7 certbot renew --quiet", cron: "0 12 * * 7", name: "certbot-renew" },
  { line: "0 12 * * 5-7 x", cron: "0 12 * * 5-7" },
  {
    line: "0,30 8,20 * * * curl -fsS https://example.com/cron.php?key=s3cret",
    cron: "0,30 8,20 * * *",
    name: "example.com-cron",
  },
  {
    line: "01 04 * * * wget -q -O - https://shop.example.org/jobs/clean",
    cron: "01 04 * * *",
    name: "shop.example.org-jobs-clean",
  },
  { line: "  5 0 * * *   $HOME/bin/daily.job >> $HOME/tmp/out 2>&1", cron: "5 0 * * *", name: "daily.job" },
  { line: "0 5 29 2 * /opt/leap", cron: "0 5 29 2 *", about: "leap_years_only" },
  { line: "*/90 * * * * /opt/odd", cron: "*/90 * * * *", about: "step_larger_than_field" },
  { line: "0 0 31 * * /opt/monthly", cron: "0 0 31 * *", about: "months_skipped" },
  // helpers before the program
  {
    line: "0 3 * * * sudo -u www-data nice -n 19 ionice -c 3 /opt/reindex",
    cron: "0 3 * * *",
    name: "reindex",
  },
  { line: "* * * * * flock -n /tmp/sync.lock timeout 50 /opt/sync --fast", cron: "* * * * *", name: "sync" },
  { line: "@daily env LANG=C bash -lc 'rake db:cleanup'", cron: "@daily", name: "rake-db-cleanup" },
  {
    line: "5-55/10 * * * * [ -x /usr/lib/sysstat/debian-sa1 ] && /usr/lib/sysstat/debian-sa1 1 1",
    cron: "5-55/10 * * * *",
    name: "debian-sa1",
  },
  // nicknames
  { line: "@hourly /opt/a", cron: "@hourly" },
  { line: "@midnight /opt/a", cron: "@midnight" },
  { line: "@weekly /opt/a", cron: "@weekly" },
  { line: "@annually /opt/a", cron: "@annually" },
  { line: "@every_minute /opt/a", cron: "* * * * *" },
  { line: "@every 1h30m /opt/a", verdict: "changed", about: "counts from 1970" },
  { line: "@reboot /opt/daemon", verdict: "refused", about: "no machine that boots" },
  { line: "@fortnightly /opt/a", verdict: "refused" },
  // dialects
  {
    line: "0/15 * * * * /opt/a",
    cron: "0-59/15 * * * *",
    verdict: "changed",
    about: "goes on to the field's end",
  },
  {
    line: "0 0 */2 * 1 /opt/a",
    cron: "0 0 */2 * +1",
    verdict: "changed",
    about: "both day fields must agree (Vixie)",
  },
  { line: "0 0 1-7 * */7 /opt/first-sunday", cron: "0 0 1-7 * +*/7", verdict: "changed", about: "Vixie" },
  { line: "0~59 4 * * * /opt/a", cron: "0 4 * * *", verdict: "changed", about: "jitter up to 59 minutes" },
  { line: "~ 4 * * * /opt/a", cron: "0 4 * * *", verdict: "changed", about: "jitter" },
  {
    line: "-*/15 * * * * root test -x /usr/lib/cron/run-crons && /usr/lib/cron/run-crons",
    system: true,
    cron: "*/15 * * * *",
    verdict: "changed",
    name: "run-crons",
    about: "SUSE",
  },
  { line: "0 0 12 * * ? /opt/quartz", cron: "0 0 12 * * ?", verdict: "changed", about: "seconds first" },
  {
    line: "0 15 10 ? * 6 2027 /opt/quartz",
    cron: "0 15 10 ? * 6 2027",
    verdict: "changed",
    about: "counts weekdays from 1",
  },
  { line: "22-2 * * * * /opt/a", verdict: "refused" },
  { line: "61 * * * * /opt/a", verdict: "refused", about: "61" },
  { line: "0 0 30 2 * /opt/never", verdict: "refused" },
  { line: "0 0 * * /opt/a", verdict: "refused" },
  { line: "0 0 * *", verdict: "refused", about: "4 fields" },
  { line: "0 0 * * *", verdict: "refused", about: "no command" },
  { line: "H 4 * * * /opt/jenkins", verdict: "refused" },
  { line: "*/0 * * * * /opt/a", verdict: "refused" },
  // percent signs
  {
    line: "0 1 * * * pg_dump app > /backup/app-$(date +\\%F).sql",
    cron: "0 1 * * *",
    command: "pg_dump app > /backup/app-$(date +%F).sql",
  },
  {
    line: "0 1 * * * mail -s hello ops%Good morning%all is well",
    cron: "0 1 * * *",
    command: "mail -s hello ops",
    about: "behind the first %",
  },
  // system tables
  {
    line: "17 *\t* * *\troot    cd / && run-parts --report /etc/cron.hourly",
    system: true,
    cron: "17 * * * *",
    name: "cron.hourly",
  },
  {
    line: "25 6 * * * root test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )",
    system: true,
    cron: "25 6 * * *",
    name: "cron.daily",
  },
  {
    line: "0 */12 * * * root perl -e 'sleep int(rand(43200))' && certbot -q renew",
    system: true,
    cron: "0 */12 * * *",
  },
  { line: "0 4 * * * root /opt/a", cron: "0 4 * * *", about: "--system" },
  // zones and variables
  {
    line: "CRON_TZ=America/New_York 30 9 * * 1-5 /opt/open",
    cron: "30 9 * * 1-5",
    about: "America/New_York",
  },
  { line: "CRON_TZ=Mars/Base 30 9 * * 1-5 /opt/open", verdict: "refused", about: "Mars/Base" },
  { line: "MAILTO=ops@example.com", verdict: "left out", about: "alerts" },
  { line: 'PATH="/usr/local/bin:/usr/bin"', verdict: "left out", about: "environment" },
  { line: "TZ=UTC", verdict: "left out", about: "does not go by it" },
  { line: "DB_PASSWORD = hunter2", verdict: "left out", about: "environment" },
  { line: "# 0 4 * * * /opt/old", verdict: "left out", about: "commented out" },
];

describe("a line", () => {
  it.each(ROWS)("$line", ({ line, cron, name, verdict = "imported", about, command, system = false }) => {
    const { schedules, report } = importTable(`${line}\n`, { ...OPTIONS, hasUsers: system });
    expect(report).toMatchObject([{ line: 1, verdict }]);
    if (about !== undefined) expect(report[0]!.about.join("\n")).toContain(about);
    expect(schedules).toHaveLength(verdict === "refused" || verdict === "left out" ? 0 : 1);
    if (cron !== undefined) expect(schedules[0]!.trigger).toMatchObject({ cron });
    if (name !== undefined) expect(schedules[0]!.name).toBe(name);
    if (command !== undefined) expect(schedules[0]!.payload).toMatchObject({ command });
  });

  it("shows no value of a variable and no command: passwords stand in both", () => {
    const text = "DB_PASSWORD=hunter2\n0 1 * * * mysqldump -phunter2 app\n0 99 * * * mysql -phunter2\n";
    expect(JSON.stringify(importTable(text, OPTIONS).report)).not.toContain("hunter2");
  });
});

describe("a table", () => {
  it("takes comments as descriptions, CRON_TZ from its line on, and keeps names apart", () => {
    const text = [
      "# m h  dom mon dow   command",
      "# Dumps the database",
      "# before the shop opens",
      "0 2 * * * /opt/dump",
      "",
      "CRON_TZ=Asia/Tokyo",
      "0 2 * * * /opt/dump",
    ].join("\n");
    const { schedules, report } = importTable(text, OPTIONS);
    expect(schedules).toEqual([
      {
        name: "dump",
        description: "Dumps the database before the shop opens",
        trigger: { cron: "0 2 * * *", timezone: "Europe/Berlin" },
        target: { queue: "EXTERNAL" },
        payload: { command: "/opt/dump" },
      },
      {
        name: "dump-2",
        trigger: { cron: "0 2 * * *", timezone: "Asia/Tokyo" },
        target: { queue: "EXTERNAL" },
        payload: { command: "/opt/dump" },
      },
    ]);
    expect(report.at(-1)!.about.join()).toContain("a last line that no newline ends");
  });

  it("keeps what goes to the command's input, its user and a random minute's width", () => {
    const { schedules } = importTable("10~30 6 * * * www-data cat%one%two\n", { ...OPTIONS, hasUsers: true });
    expect(schedules).toMatchObject([
      {
        jitter: "20m",
        trigger: { cron: "10 6 * * *" },
        payload: { command: "cat", user: "www-data", input: "one\ntwo" },
      },
    ]);
  });
});

describe("a name", () => {
  it.each([
    { command: "", name: null },
    { command: "&& || ;", name: null },
    { command: "/opt/Über/Job.sh", name: "job" },
    { command: "sudo -u", name: null },
    { command: "curl", name: "curl" },
    { command: "x".repeat(200), name: "x".repeat(60) },
  ])("of $command is $name", ({ command, name }) => {
    expect(nameOf(command)).toBe(name);
  });
});
