import type { AgentFailure } from '../domain/agent.ts';

// What agents and providers say when a limit is reached or nobody is logged in; matched against errors, never against
// what a reviewer wrote.
const LIMIT =
  /usage limit|rate.?limit|quota (?:exceeded|will reset)|exceeded your current quota|credit balance is too low|out of (?:extra )?usage|too many requests|resource.?exhausted|\b429\b/i;
const LOGIN =
  /not logged in|please run \/login|failed to authenticate|invalid (?:x-)?api.?key|unauthori[sz]ed|authentication|missing (?:an? )?(?:environment variable|api.?key)|api key not (?:valid|found)|\b401\b|\b403\b/i;

/** The failure that an error's text and status mean; `now` is for times given as "in 5 minutes". */
export function errorFailure(said: string, status: number | null, now: Date): AgentFailure {
  const short = shorten(said);
  if (status === 429 || LIMIT.test(said)) return { kind: 'limit', said: short, resetAt: resetTime(said, now) };
  if (status === 401 || status === 403 || LOGIN.test(said)) return { kind: 'not-logged-in', said: short };
  return { kind: 'agent-error', said: short };
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

/** When a limit ends, where the text tells: a time stamp, "in 3 hours 4 minutes", "after 5h30m12s", "at 3:04 PM". */
export function resetTime(said: string, now: Date): Date | null {
  const stamp = /\|(\d{10})\b/.exec(said);
  if (stamp !== null) return new Date(Number(stamp[1]) * 1000);
  const iso = /\b(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)\b/.exec(said);
  if (iso !== null && !Number.isNaN(Date.parse(iso[1] ?? ''))) return new Date(iso[1] ?? '');
  const span =
    /\b(?:in|after|within)\s+((?:\d+(?:\.\d+)?\s*(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)[\s,]*(?:and\s+)?)+)/i.exec(
      said,
    );
  if (span !== null) {
    let seconds = 0;
    for (const [, amount, unit] of (span[1] ?? '').matchAll(/(\d+(?:\.\d+)?)\s*([dhms])/gi)) {
      seconds += Number(amount) * (UNITS[(unit ?? '').toLowerCase()] ?? 0);
    }
    return new Date(now.getTime() + seconds * 1000);
  }
  const day =
    /\b(?:resets?|try again)(?: (?:at|on))? ((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:,| at)? (\d{1,2}:\d\d(?: ?[ap]m)?)/i.exec(
      said,
    );
  if (day !== null) {
    const date = new Date(`${day[1]}, ${day[2]} ${(day[3] ?? '').replace(/(\d)([ap]m)$/i, '$1 $2')}`);
    if (!Number.isNaN(date.getTime())) return date;
  }
  const clock = /\b(?:resets?|try again)(?: at)? (\d{1,2})(?::(\d\d))?\s*(am|pm)\b/i.exec(said);
  return clock === null ? null : nextTime(clock, now);
}

function nextTime(clock: RegExpExecArray, now: Date): Date {
  const hour = (Number(clock[1]) % 12) + (clock[3]?.toLowerCase() === 'pm' ? 12 : 0);
  const time = new Date(now);
  time.setHours(hour, Number(clock[2] ?? 0), 0, 0);
  if (time <= now) time.setDate(time.getDate() + 1);
  return time;
}

/** What a program said at its end: from the line that speaks of an error, without colours. */
export function lastWords(said: string): string {
  const lines = said
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const error = lines.findIndex((line) => /^\W*(?:error|fatal)/i.test(line));
  return lines.slice(error === -1 ? -5 : error).join('\n');
}

const LONGEST = 400;

/** An error's text in one line of bearable length. */
export function shorten(said: string): string {
  const line = said.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
