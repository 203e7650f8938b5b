// What tells an entry of a list from the others.
const TELLING = ['path', 'id', 'name'];
const LONGEST_WORD = 60;

/**
 * What a path inside a file is called: names with dots between them; an entry of a list by its number, from 1, and by what
 * it says: `gates #2 (path src): checks.lint`. `valueAt` knows what is in the file up to there.
 */
export function keyName(
  path: readonly PropertyKey[],
  valueAt: (path: readonly PropertyKey[]) => unknown = () => undefined,
): string {
  let told = '';
  for (const [i, part] of path.entries()) {
    if (typeof part === 'number') told += ` #${part + 1}${tellingWord(valueAt(path.slice(0, i + 1)))}`;
    else told += `${i === 0 ? '' : typeof path[i - 1] === 'number' ? ': ' : '.'}${String(part)}`;
  }
  return told.trimStart();
}

function tellingWord(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return '';
  for (const key of TELLING) {
    const word: unknown = Reflect.get(entry, key);
    if (typeof word === 'string' && word !== '' && word.length <= LONGEST_WORD) return ` (${key} ${word})`;
  }
  return '';
}
