/** What a dispatch used; `inputTokens` is the part that came from no cache. */
export type Usage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
};
