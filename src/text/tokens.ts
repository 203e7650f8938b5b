/** A number of tokens in a few characters. */
export function tokensOf(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_500 ? `${(count / 1000).toFixed(count < 99_500 ? 1 : 0)}k` : `${(count / 1_000_000).toFixed(2)}M`;
}
