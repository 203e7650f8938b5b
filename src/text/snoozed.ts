/** Until when the stop hook sleeps; null: it is awake. */
export function tellSnoozed(until: Date | null): string {
  if (until === null) return 'The stop hook is awake.';
  const time = until.toTimeString().slice(0, 5);
  return `The stop hook sleeps until ${time}: agents may stop unjudged. "onceover hook snooze off" wakes it.`;
}
