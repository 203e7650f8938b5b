import type { AgentFailure, RequestFigures, Usage } from '@onceover/base/kernel/agent';
import { isRecord } from '@onceover/base/kernel/json';
import { isAmount } from '@onceover/base/kernel/shape';
import { parseJson } from '@onceover/base/platform/private-files';
import type { AgentEvents } from './agent.ts';

/** Returns the JSON object in a line of output; `null` if the line contains anything else. */
export function readEvent(line: string): Readonly<Record<string, unknown>> | null {
  const value = line.startsWith('{') ? parseJson(line) : null;
  return isRecord(value) ? value : null;
}

function valueAt(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

/** Returns the object at a key; an empty object if there is none. */
export function objectAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const field = valueAt(value, key);
  return isRecord(field) ? field : {};
}

export function stringAt(value: unknown, key: string): string | null {
  const field = valueAt(value, key);
  return typeof field === 'string' ? field : null;
}

/** Returns the number at a key; 0 if there is none or if it is negative. */
export function numberAt(value: unknown, key: string): number {
  const field = valueAt(value, key);
  return isAmount(field) ? field : 0;
}

export function arrayAt(value: unknown, key: string): readonly unknown[] {
  const field = valueAt(value, key);
  return Array.isArray(field) ? field : [];
}

/** Returns the figures about the requests of a call, with one more request added. */
export function withRequest(before: RequestFigures | null, usage: Usage): RequestFigures {
  return {
    count: (before?.count ?? 0) + 1,
    firstRead: before === null ? usage.cachedInputTokens : before.firstRead,
    lastSent: usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens,
    lastOutput: usage.outputTokens,
  };
}

/**
 * Returns the state of the call after the agent used a tool. The text before it becomes a draft, because the answer
 * comes after the last use of a tool.
 */
export function withToolCall(events: AgentEvents, doing: string | null, filesRead: readonly string[]): AgentEvents {
  return { ...withProgress(asDraft(events)), doing, filesRead: [...events.filesRead, ...filesRead] };
}

/** Returns the state of the call with all text so far turned into a draft, which is not part of the answer. */
export function asDraft(events: AgentEvents): AgentEvents {
  return { ...events, text: '', draft: joinTexts(events.draft, events.text) };
}

/**
 * Returns the state of the call after the agent used its tool `name`. `reader` is the name of the tool that reads
 * files.
 */
export function withFileTool(
  events: AgentEvents,
  {
    name,
    path,
    pattern = null,
  }: { readonly name: string; readonly path: string | null; readonly pattern?: string | null },
  reader: string,
): AgentEvents {
  const doing = `${name} ${path ?? pattern ?? ''}`.trimEnd();
  return withToolCall(events, doing, name === reader && path !== null ? [path] : []);
}

/** Returns the state of the call after a part of the answer arrived, which shows that earlier errors are over. */
export function withProgress(events: AgentEvents): AgentEvents {
  return { ...events, begun: true, trouble: null, retriesInARow: 0 };
}

/** Returns the state of the call after an error that the agent retries by itself. */
export function withRetry(events: AgentEvents, trouble: AgentFailure): AgentEvents {
  const reason = 'said' in trouble ? `: ${trouble.said}` : '';
  return {
    ...events,
    trouble,
    retries: events.retries + 1,
    retriesInARow: events.retriesInARow + 1,
    doing: shorten(`retrying after an error${reason}`),
  };
}

/**
 * Returns the state of the call after the agent's final error. If that does not say when a usage limit ends, an earlier
 * error may.
 */
export function withFailure(events: AgentEvents, failure: AgentFailure): AgentEvents {
  const { trouble } = events;
  if (failure.kind !== 'limit' || trouble?.kind !== 'limit') return { ...events, failure };
  return { ...events, failure: { ...failure, resetAt: failure.resetAt ?? trouble.resetAt } };
}

/** Returns the state of the call after the model stopped for another reason than having completed its answer. */
export function withBadEnd(events: AgentEvents, reason: string | null): AgentEvents {
  const failure: AgentFailure =
    reason === 'length'
      ? { kind: 'unreadable-answer', why: 'truncated', said: shorten(events.text) }
      : { kind: 'agent-error', said: `the model's answer ended as "${reason ?? 'unknown'}"` };
  return { ...events, failure };
}

/** Returns the state of the call after a message. Messages without a use of a tool in between form one answer. */
export function withText(events: AgentEvents, text: string | null): AgentEvents {
  return { ...events, text: joinTexts(events.text, text ?? '') };
}

export function joinTexts(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

// Error texts of agents and providers about usage limits and missing logins. Match them only against error messages,
// because a review may mention limits and logins too.
const LIMIT =
  /usage limit|rate.?limit|quota (?:exceeded|will reset)|exceeded your current quota|credit balance is too low|out of (?:extra )?usage|too many requests|resource.?exhausted|increase your limits|\b429\b/i;

const LOGIN =
  /not logged in|please run \/login|failed to authenticate|invalid (?:x-)?api.?key|unauthori[sz]ed|authentication|missing (?:an? )?(?:environment variable|api.?key)|api key not (?:valid|found)|\b401\b|\b403\b/i;

// Error texts of agents that could not connect to their service at all. They do not match a connection that was
// interrupted.
const UNREACHABLE =
  /^connection error\.$|connection failed|waiting for network|unable to connect|cannot connect|typo in the url|error sending request|fetch failed|failed to lookup|getaddrinfo|could not resolve|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|connection ?refused|ENETUNREACH|EHOSTUNREACH|network is unreachable/i;

/** Returns the failure that the text and the HTTP status of an error indicate. */
export function errorFailure(
  message: string,
  status: number | null,
  now: Date,
  sessionLost: RegExp | null = null,
): AgentFailure {
  const short = shorten(message);
  if (sessionLost?.test(message) === true) return { kind: 'session-lost', said: short };
  if (status === 429 || LIMIT.test(message)) return { kind: 'limit', said: short, resetAt: resetTime(message, now) };
  if (status === 401 || status === 403 || LOGIN.test(message)) return { kind: 'not-logged-in', said: short };
  if (UNREACHABLE.test(message)) return { kind: 'unreachable', said: short };
  return { kind: 'agent-error', said: short };
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

/**
 * Returns the time at which a usage limit ends, from texts such as "in 3 hours 4 minutes", "after 5h30m" or "at 3:04
 * PM".
 */
export function resetTime(message: string, now: Date): Date | null {
  const stamp = /\|(\d{10})\b/.exec(message);
  if (stamp !== null) return new Date(Number(stamp[1]) * 1000);
  const iso = /\b(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)\b/.exec(message);
  if (iso !== null && !Number.isNaN(Date.parse(iso[1] ?? ''))) return new Date(iso[1] ?? '');
  const span =
    /\b(?:in|after|within)\s+((?:\d+(?:\.\d+)?\s*(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)[\s,]*(?:and\s+)?)+)/i.exec(
      message,
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
      message,
    );
  if (day !== null) {
    const date = new Date(`${day[1]}, ${day[2]} ${(day[3] ?? '').replace(/(\d)([ap]m)$/i, '$1 $2')}`);
    if (!Number.isNaN(date.getTime())) return date;
  }
  const clock = /\b(?:resets?|try again)(?: at)? (\d{1,2})(?::(\d\d))?\s*(am|pm)\b/i.exec(message);
  return clock === null ? null : nextTime(clock, now);
}

function nextTime(clock: RegExpExecArray, now: Date): Date {
  const hour = (Number(clock[1]) % 12) + (clock[3]?.toLowerCase() === 'pm' ? 12 : 0);
  const time = new Date(now);
  time.setHours(hour, Number(clock[2] ?? 0), 0, 0);
  if (time <= now) time.setDate(time.getDate() + 1);
  return time;
}

/**
 * Returns the part of the output that starts with the first line that reports an error. If there is none, returns the
 * last five lines. Removes colour codes.
 */
export function errorLines(output: string): string {
  const lines = output
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const error = lines.findIndex((line) => /^\W*(?:\w*error|fatal)/i.test(line));
  return lines.slice(error === -1 ? -5 : error).join('\n');
}

const LONGEST = 400;

/** Returns a text on one line, cut off after 400 characters. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Returns the files that a shell command prints: the arguments of programs such as `cat` and `sed`. */
export function filesShownBy(command: string): readonly string[] {
  return simpleCommands(command).flatMap(([program = '', ...args]) => {
    const name = program.slice(program.lastIndexOf('/') + 1);
    // Agents run their commands in a shell, as in `bash -lc '…'`, so look inside.
    if (/^\w*sh$/.test(name) && /^-\w*c$/.test(args[0] ?? '')) return filesShownBy(args[1] ?? '');
    return READERS.includes(name) ? args.filter((word) => !word.startsWith('-')) : [];
  });
}

const READERS: readonly string[] = ['awk', 'bat', 'cat', 'head', 'less', 'more', 'nl', 'sed', 'tac', 'tail'];

/** Splits a shell script into commands, and each command into words without quotes. */
function simpleCommands(script: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [token] of script.matchAll(/[\n;&|]+|(?:[^\s;&|'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/g)) {
    if (/^[\n;&|]/.test(token)) commands.push([]);
    else commands.at(-1)?.push(unquote(token));
  }
  return commands;
}

function unquote(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
    (_, single?: string, double?: string, character?: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? character ?? '',
  );
}
