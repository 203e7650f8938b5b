import type { CacheEntries, CachePlan, CacheRequest, PromptUse } from '../cache/entries.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Provider, RequestSummary } from '../script.ts';

/** One piece of an answer, independent of a provider. */
export type Content =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: JsonObject };

/** The parts of an answer; `id` is unique for each request. */
export type Saying = {
  readonly id: string;
  readonly body: JsonObject;
  readonly content: readonly Content[];
  readonly use: PromptUse;
  /** Why the answer stops before its end. */
  readonly stops: 'at-limit' | 'refused' | null;
};

/** An answer in a provider's form: as a whole, and as stream events. */
export type WireAnswer = { readonly whole: JsonObject; readonly events: readonly string[]; readonly usage: JsonObject };

/** Why a provider rejects a request. */
export type Rejection = {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
};

/** A provider's rule for requests; returns null if a request follows it. */
export type Rule = (body: JsonObject) => Rejection | null;

/** The content of an error answer. */
export type WireError = Rejection & { readonly retryAfterSeconds?: number; readonly resetsAt?: number };

/** One provider's API as pure functions. */
export type Wire = {
  readonly provider: Provider;
  readonly rules: readonly Rule[];
  summarize(body: JsonObject): Pick<RequestSummary, 'model' | 'tools' | 'schema' | 'lastUserText' | 'toolResults'>;
  /** Whether the agent sends a request of its own outside the conversation, for example for a title. */
  isAside(body: JsonObject): boolean;
  plan(entries: CacheEntries, request: CacheRequest<JsonObject>): CachePlan;
  answer(saying: Saying): WireAnswer;
  counted(tokens: number): JsonObject;
  error(error: WireError, id: string): { readonly headers: Readonly<Record<string, string>>; readonly body: Json };
};

/** Returns the first broken rule, or null. */
export function firstRejection(rules: readonly Rule[], body: JsonObject): Rejection | null {
  for (const rule of rules) {
    const rejection = rule(body);
    if (rejection !== null) return rejection;
  }
  return null;
}
