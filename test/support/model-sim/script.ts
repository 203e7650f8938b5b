import type { Json, JsonObject } from './json.ts';

/** The interfaces that the simulator speaks. */
export type Provider = 'anthropic' | 'openai' | 'gemini';

/** A tool that the model asks for, by the name that the request offers it under. */
type ToolCall = { readonly name: string; readonly input: JsonObject };

/** When the parts of an answer are sent. */
export type Pace = {
  /** Waited before anything is sent. */
  readonly delayMs?: number;
  /** Waited between two events of a stream. */
  readonly betweenEventsMs?: number;
};

/** What the model says. */
export type Said = Pace &
  (
    | {
        readonly kind: 'text';
        readonly text: string;
        readonly thinking?: string;
        /** The text ends because the answer may not be longer. */
        readonly atLimit?: true;
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

/** What the provider says instead of an answer. */
export type Trouble =
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly message?: string;
      readonly type?: string;
      /** Sent as `retry-after`, or as the provider's own retry information. */
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

/** What a script may know of the request it answers. */
export type RequestSummary = {
  readonly provider: Provider;
  readonly label: string;
  readonly model: string;
  readonly stream: boolean;
  /** How many requests of this label's conversation came before. */
  readonly turn: number;
  readonly tools: readonly string[];
  /** The schema that the answer must have, where one was sent. */
  readonly schema: Json | null;
  /** The text of the last message that a person or the agent's harness wrote. */
  readonly lastUserText: string;
  /** The outputs of tools in the last message. */
  readonly toolResults: readonly string[];
  readonly body: JsonObject;
};

/** One answer for all requests, answers in order, or a pure function of the request. */
export type Script = Answer | readonly Answer[] | ((request: RequestSummary) => Answer);

/** Answers when a script has no more to say. */
export const DEFAULT_ANSWER: Answer = { kind: 'text', text: 'Simulated answer.' };

/** What a script answers to a request; `otherwise` where the script is at its end. */
export function answerFor(script: Script, request: RequestSummary, otherwise: Answer = DEFAULT_ANSWER): Answer {
  if (typeof script === 'function') return script(request);
  if (isList(script)) return script[request.turn] ?? otherwise;
  return script;
}

function isList(script: Answer | readonly Answer[]): script is readonly Answer[] {
  return Array.isArray(script);
}
