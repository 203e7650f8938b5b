/** A share, and the interval that contains the true share with a probability of 95 %. */
export type Share = { readonly share: number; readonly low: number; readonly high: number };

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/**
 * Returns the share of `hits` in `total` with its 95 % interval (Wilson score interval, which is also correct for few
 * trials and for shares near 0 and 1); `null` if there were no trials.
 */
export function shareOf(hits: number, total: number): Share | null {
  if (total <= 0) return null;
  const share = hits / total;
  const z2 = (Z * Z) / total;
  const middle = (share + z2 / 2) / (1 + z2);
  const half = (Z / (1 + z2)) * Math.sqrt((share * (1 - share)) / total + z2 / (4 * total));
  // For a share of 0 or 1, the formula gives exactly these limits, but rounding errors would show. So set them here.
  const low = hits === 0 ? 0 : Math.max(0, middle - half);
  const high = hits === total ? 1 : Math.min(1, middle + half);
  return { share, low, high };
}

/** Returns the two-sided p-value of the exact sign test for `a` wins against `b` wins; 1 if there are no wins. */
export function signTest(a: number, b: number): number {
  const trials = a + b;
  if (trials === 0) return 1;
  const logs = [0];
  for (let i = 1; i <= trials; i++) logs.push((logs[i - 1] ?? 0) + Math.log(i));
  const logOf = (i: number) => logs[i] ?? 0;
  const chance = (k: number) => Math.exp(logOf(trials) - logOf(k) - logOf(trials - k) - trials * Math.LN2);
  let tail = 0;
  for (let k = 0; k <= Math.min(a, b); k++) tail += chance(k);
  return Math.min(1, 2 * tail);
}
