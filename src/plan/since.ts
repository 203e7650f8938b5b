const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_DAYS = 36_500;

/** The moment that somebody means by so many days, or by a date, which begins where they are; null where it is neither. */
export function sinceOf(text: string, now: Date): Date | null {
  const [, days] = /^(\d{1,5})(?: ?d(?:ays?)?)?$/.exec(text.trim()) ?? [];
  if (days !== undefined) {
    return Number(days) <= MOST_DAYS ? new Date(now.getTime() - Number(days) * DAY_MS) : null;
  }
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim()) ?? [];
  if (year === undefined) return null;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  const isThatDay = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
  return isThatDay ? date : null;
}
