import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PromptUse } from './cache/entries.ts';
import type { JsonObject } from './json.ts';
import type { Target } from './route.ts';
import type { Answer } from './script.ts';

/** One request, and the simulator's decision about it. */
export type LoggedRequest = {
  /** Counted from 1 over all labels. */
  readonly n: number;
  readonly label: string;
  /** By the simulator's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  /** A digest of the sent key, never the key. */
  readonly account: string;
  /** Null if the body is not a JSON object. */
  readonly body: JsonObject | null;
  readonly raw: Buffer;
  /** Whether the agent sent a request of its own outside the conversation, for example for a title. */
  readonly aside: boolean;
  readonly outcome: Answer['kind'] | 'rejected' | 'served';
  /** The division of the prompt's tokens; null if no model would have run. */
  readonly use: PromptUse | null;
  /** The reported usage, in the provider's form. */
  readonly usage: JsonObject | null;
};

const HEADERS = [
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'openai-beta',
  'session_id',
  'user-agent',
  'x-app',
  'x-goog-api-client',
  'x-stainless-retry-count',
  'x-stainless-timeout',
];

const SECRET_HEADERS = ['x-api-key', 'authorization', 'x-goog-api-key'];

/** The headers that describe the agent; none that could contain a secret. */
export function headersOfInterest(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

/** The owner of the cache of a request: a digest of its key. */
export function accountOf(headers: IncomingHttpHeaders, url: string): string {
  const query = new URLSearchParams(url.split('?')[1] ?? '').get('key') ?? '';
  const secrets = SECRET_HEADERS.map((name) => String(headers[name] ?? '')).join('\0');
  return createHash('sha256').update(secrets).update('\0').update(query).digest('hex').slice(0, 12);
}

/** Returns the requests of a label's conversation, in order. */
export function conversationOf(requests: readonly LoggedRequest[], label: string): readonly LoggedRequest[] {
  return requests.filter(
    (one) => one.label === label && one.target.kind === 'generate' && !one.aside && one.outcome !== 'rejected',
  );
}

/** Returns the sum of all token usage. */
export function totalUse(requests: readonly LoggedRequest[]): PromptUse {
  const zero: PromptUse = { total: 0, read: 0, write: 0, write1h: 0, input: 0 };
  return requests.reduce((sum, { use }) => (use === null ? sum : added(sum, use)), zero);
}

/** Formats a request as one line of a log file, with the length and digest of its body instead of the bytes. */
export function logLine(request: LoggedRequest): string {
  const { raw, ...rest } = request;
  const digest = createHash('sha256').update(raw).digest('hex');
  return `${JSON.stringify({ ...rest, raw: { bytes: raw.length, sha256: digest } })}\n`;
}

function added(a: PromptUse, b: PromptUse): PromptUse {
  return {
    total: a.total + b.total,
    read: a.read + b.read,
    write: a.write + b.write,
    write1h: a.write1h + b.write1h,
    input: a.input + b.input,
  };
}
