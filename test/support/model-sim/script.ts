import type { Json, JsonObject } from './json.ts';

/** The APIs that the simulator implements. */
export type Provider = 'anthropic' | 'openai' | 'gemini';

/** A tool call of the model, by the name in the request. */
type ToolCall = { readonly name: string; readonly input: JsonObject };

/** The timing of an answer. */
export type Pace = {
  /** Delay before the answer starts. */
  readonly delayMs?: number;
  /** Delay between two events of a stream. */
  readonly betweenEventsMs?: number;
};

/** The answer of the model. */
export type Said = Pace &
  (
    | {
        readonly kind: 'text';
        readonly text: string;
        readonly thinking?: string;
        /** The text stops at the length limit, or because the model refuses to go on. */
        readonly stops?: 'at-limit' | 'refused';
      }
    | {
        readonly kind: 'tools';
        readonly calls: readonly ToolCall[];
        readonly text?: string;
        readonly thinking?: string;
      }
    /** In the form that the request asks for: a StructuredOutput call where that tool is offered, else JSON text. */
    | { readonly kind: 'structured'; readonly value: Json }
  );

/** The error of the provider instead of an answer. */
export type Trouble =
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly message?: string;
      readonly type?: string;
      /** Sent as `retry-after`, or in the provider's own retry field. */
      readonly retryAfterSeconds?: number;
      /** When the limit ends, by the simulator's clock. */
      readonly resetsAt?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Never answers; ends when the simulator is closed. */
  | { readonly kind: 'hang' }
  /** Begins to answer with this text, then closes the connection. */
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'garbage'; readonly body: 'html' | 'truncated-json' | 'truncated-event' | 'empty' };

/** One scripted answer. */
export type Answer = Said | Trouble;

/** The facts about a request that a script may use. */
export type RequestSummary = {
  readonly provider: Provider;
  readonly label: string;
  readonly model: string;
  readonly stream: boolean;
  /** Number of earlier requests in this label's conversation. */
  readonly turn: number;
  readonly tools: readonly string[];
  /** The schema of the answer, if the request has one. */
  readonly schema: Json | null;
  /** The text of the last message by a user or the agent's harness. */
  readonly lastUserText: string;
  /** The tool outputs in the last message. */
  readonly toolResults: readonly string[];
  readonly body: JsonObject;
};

/** One answer for all requests, answers in order, or a pure function of the request. */
export type Script = Answer | readonly Answer[] | ((request: RequestSummary) => Answer);

/** Answers after the end of a script. */
export const DEFAULT_ANSWER: Answer = { kind: 'text', text: 'Simulated answer.' };

/** Returns the answer of a script to a request; `otherwise` after the script's end. */
export function answerFor(script: Script, request: RequestSummary, otherwise: Answer = DEFAULT_ANSWER): Answer {
  if (typeof script === 'function') return script(request);
  if (isList(script)) return script[request.turn] ?? otherwise;
  return script;
}

function isList(script: Answer | readonly Answer[]): script is readonly Answer[] {
  return Array.isArray(script);
}
