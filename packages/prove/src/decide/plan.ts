import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import { addUsage, totalTokens, type Usage } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { CaseSource, ProofCase, ProofTask, ProofVariant, ReadingMode, SessionMode } from '../types.ts';

/** The share of test cases from each source, relative to the others, if all sources have enough cases. */
const WEIGHTS: Readonly<Record<CaseSource, number>> = {
  own: 100,
  history: 25,
  mutant: 30,
  scenario: 10,
  trap: 10,
  clean: 25,
  set: 100,
};

/**
 * Returns at most `maxCases` of the test cases, from each source in proportion to its weight. Test cases from the same
 * source keep their order.
 */
export function chooseCases(candidates: readonly ProofCase[], maxCases: number): readonly ProofCase[] {
  const sources = [...new Set(candidates.map(({ source }) => source))];
  const remainingCases = new Map(
    sources.map((source) => [source, candidates.filter((candidate) => candidate.source === source)]),
  );
  const takenCounts = new Map(sources.map((source) => [source, 0]));
  const selection: ProofCase[] = [];
  while (selection.length < maxCases) {
    const next = sources
      .filter((source) => (remainingCases.get(source)?.length ?? 0) > 0)
      .sort((a, b) => (takenCounts.get(a) ?? 0) / WEIGHTS[a] - (takenCounts.get(b) ?? 0) / WEIGHTS[b])[0];
    const nextCase = next === undefined ? undefined : remainingCases.get(next)?.shift();
    if (next === undefined || nextCase === undefined) break;
    takenCounts.set(next, (takenCounts.get(next) ?? 0) + 1);
    selection.push(nextCase);
  }
  return selection;
}

/** The options of `onceover prove` that decide which reviews are made. */
export type ProofChoice = {
  /** The numbers of reviewers to compare; empty to use the number in the settings. */
  readonly reviewers: readonly number[];
  readonly sessions: readonly SessionMode[];
  /** The values of the setting `share_reading` to compare; empty to use the configured value. */
  readonly readings: readonly ReadingMode[];
  readonly repeat: number;
};

/**
 * Returns the reviews to make of a test case: one per configuration and repetition. A case with a single round needs
 * only the first session mode, because the modes differ only from the second round on.
 */
export function tasksOf(
  proofCase: ProofCase,
  { reviewers, sessions, readings, repeat }: ProofChoice,
): readonly ProofTask[] {
  const counts = reviewers.length === 0 ? [null] : reviewers;
  const modes = proofCase.rounds.length > 1 ? sessions : sessions.slice(0, 1);
  const ways = readings.length === 0 ? [null] : readings;
  const variants = counts.flatMap((count) =>
    modes.flatMap((mode) => ways.map((way): ProofVariant => ({ reviewers: count, sessions: mode, reading: way }))),
  );
  const numbers = Array.from({ length: repeat }, (_, i) => i + 1);
  return variants.flatMap((variant) => numbers.map((number) => ({ case: proofCase, variant, repeat: number })));
}

/** The number of reviewers of a gate that reviews some files. */
type CoveringGate = { readonly numReviews: number };

/**
 * Returns the maximum number of calls for one review of a test case, without retries: one for each reviewer of each gate
 * in each round.
 */
export function mostCallsOf(
  { case: proofCase, variant }: ProofTask,
  gatesFor: (paths: readonly RepoPath[]) => readonly CoveringGate[],
): number {
  const counts = gatesFor(pathsOf(proofCase)).map((gate) => variant.reviewers ?? gate.numReviews);
  return counts.reduce((sum, count) => sum + count, 0) * proofCase.rounds.length;
}

/** Returns the files that a test case changes; for a case with a bug, only the files that contain the bug. */
export function pathsOf({ rounds, planted }: ProofCase): readonly RepoPath[] {
  if (planted !== null) return planted.places.map(({ file }) => file);
  return rounds.flatMap(({ files, patch }) => [...files.map(({ path }) => path), ...patchedPaths(patch)]);
}

function patchedPaths(patch: string): readonly RepoPath[] {
  return [...patch.matchAll(/^\+\+\+ b\/(.+?)(?:\t.*)?$/gm)].map(([, path = '']) => path as RepoPath);
}

/**
 * The median tokens and the median cost of one call, and the number of calls (`calls`) from which the medians are
 * computed; `null` if the cost ledger has none.
 */
export type CallEstimate = { readonly tokens: number; readonly usd: number | null; readonly calls: number } | null;

export function estimateCall(entries: readonly LedgerEntry[], gates: readonly string[]): CallEstimate {
  const usages = entries.flatMap((entry): readonly Usage[] =>
    entry.kind !== 'run' ? [] : entry.slots.filter(({ gate }) => gates.includes(gate)).flatMap(usedBy),
  );
  // If the gates were never run, use the calls of earlier runs of `onceover prove`. Their entries in the cost ledger
  // name no gate.
  const past = usages.length > 0 ? usages : entries.flatMap((entry) => (entry.kind === 'proof' ? usedBy(entry) : []));
  if (past.length === 0) return null;
  const prices = past.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    tokens: Math.round(median(past.map(totalTokens))),
    usd: prices.length === 0 ? null : median(prices),
    calls: past.length,
  };
}

function usedBy({ usage, asks }: { readonly usage: Usage | null; readonly asks: number }): readonly Usage[] {
  return usage === null || asks === 0 ? [] : [perCall(usage, asks)];
}

function perCall(usage: Usage, asks: number): Usage {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, costUsd } = usage;
  return {
    inputTokens: inputTokens / asks,
    cachedInputTokens: cachedInputTokens / asks,
    cacheWriteTokens: cacheWriteTokens / asks,
    outputTokens: outputTokens / asks,
    costUsd: costUsd === null ? null : costUsd / asks,
  };
}

function median(numbers: readonly number[]): number {
  const sortedNumbers = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sortedNumbers.length / 2);
  const [low, high] = [sortedNumbers[middle - 1] ?? 0, sortedNumbers[middle] ?? 0];
  return sortedNumbers.length % 2 === 1 ? high : (low + high) / 2;
}

/** The cost limit for one run of `onceover prove`; `null` means no limit. */
export type ProofBudget = { readonly usd: number | null; readonly calls: number | null };

/** Parses a budget such as `5`, `$5` or `40 calls`; `null` if the text is not a budget. */
export function parseBudget(text: string): ProofBudget | null {
  const [, calls] = /^(\d{1,6}) ?calls?$/i.exec(text.trim()) ?? [];
  if (calls !== undefined) return { usd: null, calls: Number(calls) };
  const [, usd] = /^\$?(\d{1,6}(?:\.\d{1,4})?)$/.exec(text.trim()) ?? [];
  return usd === undefined ? null : { usd: Number(usd), calls: null };
}

/** The cost of this run of `onceover prove` so far. Answers that were reused from earlier runs cost nothing. */
export type ProofSpending = { readonly calls: number; readonly usage: Usage | null };

export function addSpending(a: ProofSpending, b: ProofSpending): ProofSpending {
  return { calls: a.calls + b.calls, usage: addUsage(a.usage, b.usage) };
}

/** Whether the budget allows no further call. A call counts when it starts; its price is added when it has ended. */
export function isSpent({ calls: callsMade, usage }: ProofSpending, { usd, calls }: ProofBudget): boolean {
  return (calls !== null && callsMade >= calls) || (usd !== null && (usage?.costUsd ?? 0) >= usd);
}
