import type { CacheEntries, CachePlan, CacheRequest, PromptUse } from '../cache/entries.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Provider, RequestSummary } from '../script.ts';

/** One piece of what the model says, in no provider's form yet. */
export type Content =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: JsonObject };

/** Everything an answer is made of; `id` is unique to the request. */
export type Saying = {
  readonly id: string;
  readonly body: JsonObject;
  readonly content: readonly Content[];
  readonly use: PromptUse;
  /** Whether the answer ends because it may not be longer. */
  readonly atLimit: boolean;
};

/** An answer in a provider's form: whole, and as the events of a stream. */
export type WireAnswer = { readonly whole: JsonObject; readonly events: readonly string[]; readonly usage: JsonObject };

/** Why a provider turns a request down. */
export type Rejection = {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
};

/** A rule that a provider holds requests to; null where it is kept. */
export type Rule = (body: JsonObject) => Rejection | null;

/** What an error answer says. */
export type WireError = Rejection & { readonly retryAfterSeconds?: number; readonly resetsAt?: number };

/** One provider's interface, all of it pure. */
export type Wire = {
  readonly provider: Provider;
  readonly rules: readonly Rule[];
  summarize(body: JsonObject): Pick<RequestSummary, 'model' | 'tools' | 'schema' | 'lastUserText' | 'toolResults'>;
  /** Whether the agent asks for something of its own beside the conversation, such as a title. */
  isAside(body: JsonObject): boolean;
  plan(entries: CacheEntries, request: CacheRequest<JsonObject>): CachePlan;
  answer(saying: Saying): WireAnswer;
  counted(tokens: number): JsonObject;
  error(error: WireError, id: string): { readonly headers: Readonly<Record<string, string>>; readonly body: Json };
};

/** The first rule's objection, or null. */
export function firstRejection(rules: readonly Rule[], body: JsonObject): Rejection | null {
  for (const rule of rules) {
    const rejection = rule(body);
    if (rejection !== null) return rejection;
  }
  return null;
}
