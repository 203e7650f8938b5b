import type { Usage } from '../kernel/agent.ts';
import type { Result } from '../kernel/result.ts';

/** A JSON object as a provider sends or gets it. */
export type WireObject = { readonly [key: string]: unknown };

/** A call of one of our tools, as the model wrote it. `input` is `null` if the arguments are not a JSON object. */
export type ToolCall = { readonly id: string; readonly name: string; readonly input: WireObject | null };

/** The answer of a tool. The model gets the text of a failed call too, which is not a failure of the review. */
export type ToolResult = { readonly id: string; readonly text: string; readonly failed: boolean };

/**
 * One step of a conversation. `model` has the provider's own content, which is sent back unchanged, so that the same
 * conversation always has the same bytes.
 */
export type Turn =
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'model'; readonly content: readonly WireObject[] }
  | { readonly kind: 'tools'; readonly results: readonly ToolResult[] };

/** One request to the API. Everything that the body depends on is here. */
export type ApiRequest = {
  readonly model: string;
  /** The start of the prompt, which several reviewers share. */
  readonly opening: string;
  readonly turns: readonly Turn[];
  /** The JSON schema of the answer. */
  readonly schema: object;
  readonly cacheTtl: '5m' | '1h';
  /** Whether the end of the conversation is left out of the cache, because no request is expected to read it. */
  readonly leavesEndUncached: boolean;
  readonly maxOutputTokens: number;
  /** In a `batch`, the model gets one question and no tools, and its answer does not stream. */
  readonly tier: 'standard' | 'flex' | 'batch';
  /** Whether the address is the provider's own. Other servers may reject fields that only the provider knows. */
  readonly isProvider: boolean;
};

/** Why the model stopped. Only `answer` and `tools` are usable. */
export type EndReason = 'answer' | 'tools' | 'length' | 'refusal' | 'other';

/** The state of an answer, collected from the events of a stream so far. */
export type StreamState = {
  /** Whether the model has begun to answer. From then on, the provider's cache contains the prompt. */
  readonly begun: boolean;
  readonly content: readonly WireObject[];
  readonly stop: EndReason | null;
  /** The provider's own word for `stop`. */
  readonly stopWord: string;
  /** Whether the provider said that the answer is complete. */
  readonly done: boolean;
  readonly usage: Usage | null;
  /** Tokens that were written to the one-hour cache. They are part of `usage` and cost more. */
  readonly hourTokens: number;
  readonly model: string | null;
  /** An error that the provider reported inside the stream. */
  readonly error: { readonly type: string; readonly said: string } | null;
};

export const NO_STREAM: StreamState = {
  begun: false,
  content: [],
  stop: null,
  stopWord: '',
  done: false,
  usage: null,
  hourTokens: 0,
  model: null,
  error: null,
};

/** How one API is called: pure functions from requests to bodies and from events to answers. */
export type Dialect = {
  /** The path after the base address. */
  readonly path: string;
  headers(key: string | null): Readonly<Record<string, string>>;
  body(request: ApiRequest): WireObject;
  /** Returns the state with one more event added. `data` is the parsed JSON of the event. */
  hear(state: StreamState, data: WireObject): StreamState;
  /** Returns the state of an answer that came as one document. */
  whole(answer: WireObject): StreamState;
  /** Returns the text of the model's content, and the tools that it calls. */
  read(content: readonly WireObject[]): { readonly text: string; readonly calls: readonly ToolCall[] };
};

/** A file, symlink or submodule of a git tree. */
export type ListedFile = { readonly path: string; readonly mode: string; readonly id: string; readonly bytes: number };

/** The files under review as git trees. The disk is never read, so nothing outside of the trees can be reached. */
export interface TreeReader {
  /** Returns all entries of a side in the order of git. Hidden folders and names that are not UTF-8 are left out. */
  list(side: 'head' | 'base'): Promise<Result<readonly ListedFile[]>>;
  /** Returns the contents of blobs, in the same order. */
  blobs(ids: readonly string[]): Promise<Result<readonly Buffer[]>>;
  /** Returns the difference of a file between base and head; '' if there is none. */
  diff(path: string, contextLines: number): Promise<Result<string>>;
}
