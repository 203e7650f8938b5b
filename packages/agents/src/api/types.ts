import type { Usage } from '@onceover/base/kernel/agent';
import type { Result } from '@onceover/base/kernel/result';

/** A JSON object in a request to or an answer from a provider. */
export type WireObject = { readonly [key: string]: unknown };

/** A call of one of our tools by the model. `input` is `null` if the arguments are not a JSON object. */
export type ToolCall = { readonly id: string; readonly name: string; readonly input: WireObject | null };

/** The result of a tool. If the tool failed, the model gets the error text; the review continues. */
export type ToolResult = { readonly id: string; readonly text: string; readonly failed: boolean };

/**
 * One step of a conversation. For the model's own steps, `content` is sent back to the provider unchanged, so that the
 * same conversation always has the same bytes and stays in the cache.
 */
export type Turn =
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'model'; readonly content: readonly WireObject[] }
  | { readonly kind: 'tools'; readonly results: readonly ToolResult[] };

/** One request to the API, with everything that its body depends on. */
export type ApiRequest = {
  readonly model: string;
  /** The start of the prompt. Several reviewers share this start, so the provider can cache it. */
  readonly opening: string;
  readonly turns: readonly Turn[];
  /** The JSON schema that the answer must match. */
  readonly schema: object;
  readonly cacheTtl: '5m' | '1h';
  /** Whether to leave the end of the conversation out of the cache, because no later request is expected to read it. */
  readonly leavesEndUncached: boolean;
  /** Whether the last question only asks to repeat an unreadable answer. */
  readonly isRepeat: boolean;
  readonly maxOutputTokens: number;
  /**
   * The price level of the request. With `batch`, the model gets one question and no tools, and its answer is not
   * streamed.
   */
  readonly tier: 'standard' | 'flex' | 'batch';
  /**
   * Whether requests go to the provider's own address. Other servers may reject fields that only the provider knows.
   */
  readonly isProvider: boolean;
};

/** Why the model stopped. Only `answer` and `tools` make a usable answer. */
export type EndReason = 'answer' | 'tools' | 'length' | 'refusal' | 'other';

/** The known part of an answer, collected from the events of its stream. */
export type StreamState = {
  /** Whether the model has begun to answer. From then on, the prompt is in the provider's cache. */
  readonly begun: boolean;
  readonly content: readonly WireObject[];
  readonly stop: EndReason | null;
  /** The provider's own name for the reason in `stop`. */
  readonly stopWord: string;
  /** Whether the provider said that the answer is complete. */
  readonly done: boolean;
  readonly usage: Usage | null;
  /** Tokens that were written to the one-hour cache. They are included in `usage` and cost more than other tokens. */
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

/** How to call one model API: pure functions that turn requests into bodies, and events into answers. */
export type Dialect = {
  /** The path of the API, after the base address. */
  readonly path: string;
  headers(key: string | null): Readonly<Record<string, string>>;
  body(request: ApiRequest): WireObject;
  /** Returns the new state after an event of the stream. `data` is the event's parsed JSON. */
  hear(state: StreamState, data: WireObject): StreamState;
  /** Returns the state for an answer that came as one JSON document instead of a stream. */
  whole(answer: WireObject): StreamState;
  /** Returns the text of the model's answer, and the tools that it calls. */
  read(content: readonly WireObject[]): { readonly text: string; readonly calls: readonly ToolCall[] };
};

/** A file, symlink or submodule in a git tree. */
export type ListedFile = { readonly path: string; readonly mode: string; readonly id: string; readonly bytes: number };

/** Reads the files under review from git trees. It never reads the disk, so the model cannot reach other files. */
export interface TreeReader {
  /**
   * Returns all files of one side, in git's order. Leaves out files that reviewers must not see, and names that are not
   * UTF-8.
   */
  list(side: 'head' | 'base'): Promise<Result<readonly ListedFile[]>>;
  /** Returns the contents of git blobs, in the same order as `ids`. */
  blobs(ids: readonly string[]): Promise<Result<readonly Buffer[]>>;
  /** Returns the diff of a file between base and head; an empty text if there is no difference. */
  diff(path: string, contextLines: number): Promise<Result<string>>;
}
