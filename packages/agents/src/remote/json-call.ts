import type { AskEnd } from '@onceover/base/kernel/ports';
import * as z from 'zod';
import type { CallRequest, Offer } from './types.ts';

const AMOUNT = z.number().min(0);

const USAGE = z.strictObject({
  inputTokens: AMOUNT,
  cachedInputTokens: AMOUNT,
  cacheWriteTokens: AMOUNT,
  outputTokens: AMOUNT,
  costUsd: AMOUNT.nullable(),
});

const SAID = { said: z.string() };

const SECONDS = { seconds: AMOUNT };

const FAILURE = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('not-found'), program: z.string() }),
  z.strictObject({ kind: z.literal('unprotected'), path: z.string() }),
  z.strictObject({ kind: z.literal('not-logged-in'), ...SAID, logIn: z.string().exactOptional() }),
  z.strictObject({
    kind: z.literal('limit'),
    ...SAID,
    resetAt: z.iso
      .datetime()
      .transform((at) => new Date(at))
      .nullable(),
  }),
  z.strictObject({ kind: z.literal('unreachable'), ...SAID }),
  z.strictObject({ kind: z.literal('timeout'), ...SECONDS }),
  z.strictObject({ kind: z.literal('idle'), ...SECONDS }),
  z.strictObject({ kind: z.literal('session-lost'), ...SAID }),
  z.strictObject({ kind: z.literal('wrong-session'), asked: z.string(), got: z.string().nullable() }),
  z.strictObject({
    kind: z.literal('unreadable-answer'),
    why: z.enum([
      'empty',
      'no-object',
      'truncated',
      'broken-json',
      'duplicate-key',
      'several-answers',
      'extra-text',
      'wrong-shape',
    ]),
    ...SAID,
  }),
  z.strictObject({ kind: z.literal('no-tokens') }),
  z.strictObject({ kind: z.literal('agent-error'), ...SAID }),
  z.strictObject({ kind: z.literal('cancelled') }),
]);

const REQUESTS = z.strictObject({
  count: AMOUNT,
  firstRead: AMOUNT.nullable(),
  lastSent: AMOUNT.nullable(),
  lastOutput: AMOUNT.nullable(),
});

const REPLY = z.strictObject({
  text: z.string(),
  // JSON has no `undefined`, so a missing field means that the agent returned no structured answer.
  structured: z.unknown().default(undefined),
  sessionId: z.null(),
  usage: USAGE.nullable(),
  sessionUsage: z.null(),
  filesRead: z.array(z.string()).nullable(),
  requests: REQUESTS.exactOptional(),
});

const COMMON = { draft: z.string().exactOptional(), durationMs: AMOUNT, retries: AMOUNT.exactOptional() };

const ANSWER = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), reply: REPLY, model: z.string().nullable(), ...COMMON }),
  z.strictObject({ ok: z.literal(false), failure: FAILURE, usage: USAGE.nullable(), ...SAID, ...COMMON }),
]);

const TREE = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

const REQUEST = z.strictObject({
  agent: z.string().min(1),
  made: z.string(),
  model: z.string().nullable(),
  sandbox: z.boolean(),
  mostRetries: AMOUNT.nullable(),
  stable: z.string(),
  dynamic: z.string(),
  schema: z.record(z.string(), z.unknown()),
  cacheTtl: z.enum(['5m', '1h']),
  timeoutSeconds: AMOUNT,
  idleSeconds: AMOUNT,
  tree: TREE,
  baseTree: TREE,
});

const OFFERS = z.array(
  z.object({
    agent: z.string().min(1),
    made: z.string(),
    version: z.string(),
    usualModel: z.string().nullable(),
    account: z.string(),
  }),
);

/** Parses an answer from the team store; returns `null` if the text is not a valid answer. */
export function readAnswerText(text: string): AskEnd | null {
  return parse(ANSWER, text);
}

/** Parses a request from the team store; returns `null` if the text is not a valid request. */
export function readRequestText(text: string): CallRequest | null {
  return parse(REQUEST, text);
}

/** Parses a list of offered agents from the team store; returns none if the text is not a valid list. */
export function readOffersText(text: string): readonly Offer[] {
  return parse(OFFERS, text) ?? [];
}

/** Parses token usage from the team store; returns `null` if there is none or the text is not valid. */
export function readUsageText(text: string | null): z.output<typeof USAGE> | null {
  return text === null ? null : parse(USAGE, text);
}

/**
 * Returns the answer as JSON for the team store, without its session id: the session exists only on the worker's
 * machine.
 */
export function answerText(end: AskEnd): string {
  if (!end.ok) return JSON.stringify(end);
  return JSON.stringify({ ...end, reply: { ...end.reply, sessionId: null, sessionUsage: null } });
}

function parse<T>(schema: z.ZodType<T>, text: string): T | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const result = schema.safeParse(value);
  return result.success ? result.data : null;
}
