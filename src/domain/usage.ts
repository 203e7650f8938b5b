/** What a dispatch used; `inputTokens` is the part that came from no cache. */
export type Usage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
};

/** Two dispatches together; a cost that one of them does not tell is left out of the sum. */
export function addUsage(a: Usage | null, b: Usage | null): Usage | null {
  if (a === null || b === null) return a ?? b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
  };
}

/** What a dispatch put into its session's context: everything that did not come from the cache. */
export function newTokens({ inputTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheWriteTokens + outputTokens;
}

/** All tokens of a dispatch, cached or not. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens + usage.outputTokens;
}
