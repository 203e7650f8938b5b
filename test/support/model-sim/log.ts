import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PromptUse } from './cache/entries.ts';
import type { JsonObject } from './json.ts';
import type { Target } from './route.ts';
import type { Answer } from './script.ts';

/** One request as the simulator saw it, and what it made of it. */
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
  /** A digest of the key that was sent, never the key. */
  readonly account: string;
  /** Null where the body is no JSON object. */
  readonly body: JsonObject | null;
  readonly raw: Buffer;
  /** Whether the agent asked for something of its own, such as a title, outside the conversation. */
  readonly aside: boolean;
  readonly outcome: Answer['kind'] | 'rejected' | 'served';
  /** How the prompt's tokens were divided; null where no model would have worked. */
  readonly use: PromptUse | null;
  /** The usage that was reported, in the provider's form. */
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

/** The headers that tell how an agent asks; none that could hold a secret. */
export function headersOfInterest(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

/** Whose cache a request uses: a digest of the key it came with. */
export function accountOf(headers: IncomingHttpHeaders, url: string): string {
  const query = new URLSearchParams(url.split('?')[1] ?? '').get('key') ?? '';
  const secrets = SECRET_HEADERS.map((name) => String(headers[name] ?? '')).join('\0');
  return createHash('sha256').update(secrets).update('\0').update(query).digest('hex').slice(0, 12);
}

/** The requests of a label's conversation: what the model was asked, in order. */
export function conversationOf(requests: readonly LoggedRequest[], label: string): readonly LoggedRequest[] {
  return requests.filter(
    (one) => one.label === label && one.target.kind === 'generate' && !one.aside && one.outcome !== 'rejected',
  );
}

/** All requests' use of tokens in one sum. */
export function totalUse(requests: readonly LoggedRequest[]): PromptUse {
  const zero: PromptUse = { total: 0, read: 0, write: 0, write1h: 0, input: 0 };
  return requests.reduce((sum, { use }) => (use === null ? sum : added(sum, use)), zero);
}

/** A request as one line of a log file; the bytes of its body by length and digest. */
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
