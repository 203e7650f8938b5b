/** Two places with the same thing, the first in one list, the second in the other. */
export type Pair = readonly [number, number];

type Range = { readonly from: Pair; readonly to: Pair };

/** Pairs that are compared one by one; a larger stretch without a landmark has nothing in common. */
const MOST_PAIRS = 250_000;

/**
 * What two lists have in common, in order: ends first, then landmarks that occur once, then one by one; in time that does not
 * explode with their lengths.
 */
export function commonPairs(old: readonly string[], now: readonly string[]): readonly Pair[] {
  const ids = new Map<string, number>();
  const idOf = (text: string) => ids.get(text) ?? ids.set(text, ids.size).size - 1;
  const a = old.map(idOf);
  const b = now.map(idOf);
  const pairs: Pair[] = [];
  const left: Range[] = [{ from: [0, 0], to: [a.length, b.length] }];
  for (let range = left.pop(); range !== undefined; range = left.pop()) {
    const { ends, rest } = trimEnds(a, b, range);
    for (const pair of ends) pairs.push(pair);
    if (rest === null) continue;
    const marks = landmarks(a, b, rest);
    if (marks.length === 0) {
      for (const pair of oneByOne(a, b, rest)) pairs.push(pair);
      continue;
    }
    let [i, j] = rest.from;
    for (const mark of [...marks, rest.to]) {
      left.push({ from: [i, j], to: mark });
      [i, j] = [mark[0] + 1, mark[1] + 1];
    }
    for (const mark of marks) pairs.push(mark);
  }
  return pairs.sort(([one], [other]) => one - other);
}

function trimEnds(a: readonly number[], b: readonly number[], { from, to }: Range) {
  const ends: Pair[] = [];
  let [i, j] = from;
  let [m, n] = to;
  for (; i < m && j < n && a[i] === b[j]; i += 1, j += 1) ends.push([i, j]);
  for (; m > i && n > j && a[m - 1] === b[n - 1]; m -= 1, n -= 1) ends.push([m - 1, n - 1]);
  return { ends, rest: i < m && j < n ? ({ from: [i, j], to: [m, n] } as const) : null };
}

/** Sentences that occur once on either side, as many as keep their order. */
function landmarks(a: readonly number[], b: readonly number[], { from, to }: Range): readonly Pair[] {
  const onceA = positions(a, from[0], to[0]);
  const onceB = positions(b, from[1], to[1]);
  const shared: Pair[] = [];
  for (const [id, i] of onceA) {
    const j = onceB.get(id);
    if (i !== TWICE && j !== undefined && j !== TWICE) shared.push([i, j]);
  }
  return longestRising(shared.sort(([one], [other]) => one - other));
}

const TWICE = -1;

function positions(list: readonly number[], from: number, to: number): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (let n = from; n < to; n += 1) {
    const id = list[n] as number;
    found.set(id, found.has(id) ? TWICE : n);
  }
  return found;
}

/** The longest run of pairs whose second parts rise, found by patience. */
function longestRising(pairs: readonly Pair[]): readonly Pair[] {
  const tops: number[] = [];
  const before: number[] = [];
  pairs.forEach(([, j], n) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tops[middle] as number] as Pair)[1] < j) low = middle + 1;
      else high = middle;
    }
    before[n] = low === 0 ? -1 : (tops[low - 1] as number);
    tops[low] = n;
  });
  const rising: Pair[] = [];
  for (let n = tops.at(-1) ?? -1; n >= 0; n = before[n] as number) rising.push(pairs[n] as Pair);
  return rising.reverse();
}

/** The longest common run of two short stretches; of long ones none. */
function oneByOne(a: readonly number[], b: readonly number[], { from, to }: Range): readonly Pair[] {
  const [rows, columns] = [to[0] - from[0], to[1] - from[1]];
  if (rows * columns > MOST_PAIRS) return [];
  const width = columns + 1;
  const longest = new Uint32Array((rows + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] as number;
  const isSame = (i: number, j: number) => a[from[0] + i] === b[from[1] + j];
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      longest[i * width + j] = isSame(i, j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let [i, j] = [0, 0]; i < rows && j < columns; ) {
    if (isSame(i, j)) {
      pairs.push([from[0] + i, from[1] + j]);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
