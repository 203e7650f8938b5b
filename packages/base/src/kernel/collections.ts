const MOST_ARGUMENTS = 200;

/** Splits a list into parts of at most 200 items, so that each part fits on a command line. */
export function inChunks<T>(list: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let i = 0; i < list.length; i += MOST_ARGUMENTS) parts.push(list.slice(i, i + MOST_ARGUMENTS));
  return parts;
}

/**
 * Compares two strings by Unicode code point. onceover always uses this order before it hashes, joins or lists strings.
 */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const unitA = a.charCodeAt(i);
    const unitB = b.charCodeAt(i);
    if (unitA !== unitB) return fixup(unitA) - fixup(unitB);
  }
  return a.length - b.length;
}

// Maps a UTF-16 unit so that units compare like code points. `charCodeAt` returns UTF-16 units, in which code points
// above U+FFFF would sort before U+E000.
function fixup(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Groups a list by key. The groups are in the order in which their keys first appear. */
export function grouped<T, Key>(list: readonly T[], keyOf: (one: T) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const element of list) {
    const key = keyOf(element);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [element]);
    else group.push(element);
  }
  return groups;
}
