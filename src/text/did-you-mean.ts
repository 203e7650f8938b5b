/** What a name that nobody knows may have been meant to be; where nothing is near, what there is. */
export function didYouMean(key: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const far = (one: string) => distance(one.toLowerCase(), key.toLowerCase());
  const near = [...known].sort((a, b) => far(a) - far(b)).find((one) => far(one) <= 2);
  return near === undefined ? `; known here: ${known.join(', ')}` : `; did you mean "${near}"?`;
}

/** How many single-character edits lie between two keys. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
