const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function whole(number: number): string {
  return NUMBER.format(number);
}

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${NUMBER.format(number)} ${number === 1 ? singular : plural}`;
}

/** Counts calls. If an agent had to be asked several times in a call, also counts the requests. */
export function countCalls(calls: number, requests: number): string {
  return requests > calls ? `${count(calls, 'call')}, ${NUMBER.format(requests)} with retries` : count(calls, 'call');
}

export function tokens(number: number): string {
  return SHORT.format(number).replace('K', 'k');
}

export function dollars(usd: number | null): string {
  if (usd === null) return 'unknown';
  return usd !== 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export function duration(ms: number | null): string {
  if (ms === null) return '';
  const seconds = ms / 1000;
  if (seconds < 0.1) return '< 0.1 s';
  if (seconds < 60) return `${NUMBER.format(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.round(seconds % 60)} s`;
}

/** Returns the time since `since` as a running clock, such as "0:07" or "12:30". */
export function elapsed(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return Number.isNaN(seconds) ? '' : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a time in the time zone of the person who views the page; an empty text if it is not a time. */
export function when(at: string | null): string {
  const time = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(time) ? '' : DAY.format(time);
}

type Usage = {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
} | null;

export function allTokens(usage: Usage): number {
  if (usage === null) return 0;
  return usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens + usage.output_tokens;
}

export function describeUsage(usage: Usage): string {
  if (usage === null) return 'tokens unknown';
  const cacheNote = usage.cached_input_tokens > 0 ? ` (${tokens(usage.cached_input_tokens)} cached)` : '';
  const price = usage.cost_usd === null ? '' : `, ${dollars(usage.cost_usd)}`;
  return `${tokens(allTokens(usage))} tokens${cacheNote}${price}`;
}

export const GATE_WORDS = {
  pass: 'passed',
  holds: 'passed',
  fail: 'failed',
  error: 'error',
  not_run: 'not run',
} as const;

/** The words that pages show for the results of calls and transcripts. */
export const STATUS_WORDS: Readonly<Record<string, string>> = { ...GATE_WORDS, done: 'done', skipped: 'skipped' };

export const TONES = {
  pass: 'good',
  holds: 'good',
  fail: 'bad',
  error: 'warn',
  not_run: 'idle',
  skipped: 'idle',
  skipped_prior_pass: 'idle',
  done: 'good',
} as const;

export type Tone = 'good' | 'bad' | 'warn' | 'idle';

/** Returns the colour tone in which a run's status is shown. */
export function toneOf(status: string): Tone {
  if (status === 'passed' || status === 'approved') return 'good';
  if (status === 'passed_with_warnings') return 'warn';
  if (status === 'no_changes' || status === 'no_applicable_gates') return 'idle';
  return status === 'failed' || status === 'retry_limit_exceeded' || status === 'needs_work' ? 'bad' : 'warn';
}

export const LEVERS = {
  pass: 'Skipped reviews of unchanged code',
  slot: 'Skipped reviewers that had passed',
  session: 'Resumed sessions',
  prefix: 'Shared prompts',
  reading: 'Shared reading of files',
} as const;

/** The baseline with which each estimate of saved tokens is compared. */
export const BASELINES = {
  pass: 'the last review of that reviewer in this clone',
  slot: 'the last review of that reviewer in this clone',
  session: 'a new session that gets the whole prompt and opens the files again',
  prefix: 'the tokens that the agent caches by itself',
  reading: 'a session that opens the files itself',
} as const;

export const SESSIONS = { fresh: 'new session', resumed: 'resumed session', none: 'no call' } as const;
