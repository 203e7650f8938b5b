/** An amount of money; a small one to a hundredth of a cent. */
export function usdOf(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}
