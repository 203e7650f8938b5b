/** A share and the interval that contains the true share with a probability of 95 %. */
export type Share = { readonly share: number; readonly low: number; readonly high: number };

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/**
 * Returns the share of `hits` in `total` with its Wilson score interval, which is also correct for few trials and for
 * shares near 0 and 1; `null` if there were no trials.
 */
export function shareOf(hits: number, total: number): Share | null {
  if (total <= 0) return null;
  const share = hits / total;
  const z2 = (Z * Z) / total;
  const middle = (share + z2 / 2) / (1 + z2);
  const half = (Z / (1 + z2)) * Math.sqrt((share * (1 - share)) / total + z2 / (4 * total));
  // At 0 and 1 the formula gives exactly these limits; without this, rounding errors would show.
  const low = hits === 0 ? 0 : Math.max(0, middle - half);
  const high = hits === total ? 1 : Math.min(1, middle + half);
  return { share, low, high };
}
