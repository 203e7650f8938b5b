const MOST_ARGUMENTS = 200;

/** A long list in parts that fit a command line. */
export function inParts<T>(list: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let i = 0; i < list.length; i += MOST_ARGUMENTS) parts.push(list.slice(i, i + MOST_ARGUMENTS));
  return parts;
}
