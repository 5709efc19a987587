/** When the bench's schedules are due: slots `everySeconds` apart, of which `first` is one. */
export interface Rhythm {
  first: number;
  everySeconds: number;
}

/** With seconds, in UTC: periods that divide a minute, or an hour. */
export function cronOf({ first, everySeconds: every }: Rhythm): string {
  const second = (first / 1_000) % 60;
  const minute = Math.floor(first / 60_000) % 60;
  if (every === 3_600) return `${second} ${minute} * * * *`;
  const seconds = Array.from({ length: 60 / every }, (_, i) => (second % every) + i * every);
  return `${seconds.join(",")} * * * * *`;
}

/** Where no cron says it. */
export function hasCron({ everySeconds }: Rhythm): boolean {
  return everySeconds === 3_600 || 60 % everySeconds === 0;
}

/** The latest slot at or before an instant, for those who don't say which one they run. */
export function slotBefore({ first, everySeconds }: Rhythm, at: number): number {
  const step = everySeconds * 1_000;
  return first + Math.floor((at - first) / step) * step;
}
