import {
  type KeptSession,
  type NoReading,
  newTokens,
  type RequestFigures,
  type TranscriptEntry,
  type Usage,
} from '@onceover/base/kernel/agent';
import type { AskEnd, Clock, Question } from '@onceover/base/kernel/ports';
import type { Budget } from './limits.ts';
import { isReading, READING_PROMPT } from './prompt-reading.ts';
import { transcriptEntry } from './retry.ts';

/** A session that opened files and judged nothing. Several reviewers continue in copies (forks) of it. */
export type SharedReading = {
  readonly sessionId: string;
  /** The usage of the session so far, from agents that report only this sum. */
  readonly usedBefore: Usage | null;
  /** The files that the session opened, or that an earlier session opened which it continues. */
  readonly opened: readonly string[];
  /** The files whose whole text its prompt showed. */
  readonly given: readonly string[];
  /** The tokens that a reviewer would pay for if it read the same files in a session of its own; `null` if unknown. */
  readonly freshTokens: number | null;
  readonly requests: RequestFigures | null;
};

/** Returns the files that a session contains because it opened them or its prompt showed them. */
export function filesIn({ opened, given }: Pick<SharedReading, 'opened' | 'given'>): readonly string[] {
  return [...new Set([...given, ...opened])];
}

/**
 * How a session that reads for several reviewers ended: with a session to fork, or with the reason why there is none.
 * In both cases its calls have to be counted.
 */
export type ReadingEnd = {
  readonly reading: SharedReading | null;
  readonly why: NoReading | null;
  readonly usage: Usage | null;
  readonly model: string | null;
  readonly requests: number;
  readonly durationMs: number;
  readonly exchanges: readonly TranscriptEntry[];
};

/**
 * The share of a review's time limit for the session that reads the files. The rest is for the reviewers, which
 * continue in copies of that session.
 */
const MOST_OF_TIME = 1 / 3;

export type ReadingRequest = {
  readonly agent: string;
  /**
   * The start of the prompt, which is the same for all reviewers. It must not contain anything from the instructions of
   * a single reviewer.
   */
  readonly stable: string;
  /** The files whose whole text is in `stable`. */
  readonly given: readonly string[];
  readonly options: Pick<Question, 'schema' | 'cacheTtl' | 'timeoutSeconds' | 'idleSeconds'>;
  /**
   * The earlier session to fork, which read files for several reviewers, and the prompt with the later changes; missing
   * if there is none.
   */
  readonly continues?: {
    readonly session: Pick<KeptSession, 'id' | 'usedBefore' | 'freshTokens'>;
    readonly opened: readonly string[];
    readonly dynamic: string;
  };
};

/**
 * Asks an agent to open the files that several reviewers need. A session that failed, opened nothing or judged the
 * change is not returned, so that it cannot influence a reviewer.
 */
export async function readForAll(
  ports: {
    readonly clock: Clock;
    readonly budget: Pick<Budget, 'spend' | 'used' | 'retried'>;
    send(agent: string, question: Question): Promise<AskEnd>;
  },
  { agent, stable, given, options, continues }: ReadingRequest,
): Promise<ReadingEnd> {
  const emptyEnd = { reading: null, usage: null, model: null, requests: 0, durationMs: 0, exchanges: [] };
  if (ports.budget.spend() !== null) return { ...emptyEnd, why: { kind: 'budget' } };
  const timeoutSeconds = Math.max(1, Math.floor(options.timeoutSeconds * MOST_OF_TIME));
  const question: Question = {
    ...options,
    timeoutSeconds,
    idleSeconds: Math.min(options.idleSeconds, timeoutSeconds),
    stable,
    dynamic: continues?.dynamic ?? READING_PROMPT,
    sessionId: null,
    usedBefore: continues?.session.usedBefore ?? null,
    ...(continues === undefined ? {} : { forkOf: continues.session.id }),
  };
  const startedAt = ports.clock.now().getTime();
  const end = await ports.send(agent, question);
  const { retries = 0 } = end;
  ports.budget.retried(retries);
  const usage = end.ok ? end.reply.usage : end.usage;
  if (end.ok || usage !== null) ports.budget.used(agent, usage);
  const why = whyNotShared(end, continues !== undefined || given.length > 0);
  const failure = why?.kind === 'agent' ? why.failure : null;
  return {
    reading: why === null && end.ok ? sharedReading(end.reply, given, continues) : null,
    why,
    usage,
    model: end.ok ? end.model : null,
    requests: 1 + retries,
    durationMs: Math.max(end.durationMs, ports.clock.now().getTime() - startedAt),
    exchanges: [transcriptEntry({ agent, mode: 'fresh' }, question, end, failure)],
  };
}

/** Returns why the session cannot be forked. `hasFiles`: whether it contained files before it opened any. */
function whyNotShared(end: AskEnd, hasFiles: boolean): NoReading | null {
  if (!end.ok) return { kind: 'agent', failure: end.failure };
  if (!isReading(end.reply, end.draft ?? '')) return { kind: 'judged' };
  const { sessionId, filesRead } = end.reply;
  return sessionId === null || (!hasFiles && (filesRead ?? []).length === 0) ? { kind: 'opened-nothing' } : null;
}

function sharedReading(
  { sessionId, sessionUsage, filesRead, usage, requests }: Extract<AskEnd, { ok: true }>['reply'],
  givenPaths: readonly string[],
  continues: ReadingRequest['continues'],
): SharedReading {
  return {
    sessionId: sessionId ?? '',
    usedBefore: sessionUsage,
    opened: [...new Set([...(continues?.opened ?? []), ...(filesRead ?? [])])],
    given: givenPaths,
    freshTokens: continues?.session.freshTokens ?? (usage === null ? null : newTokens(usage)),
    requests: requests ?? null,
  };
}
