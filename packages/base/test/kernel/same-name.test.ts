import { looksSecret } from '@onceover/base/kernel/repository';
import { isInsideAnySpelling, nameKey, pathKey, sameName } from '@onceover/base/kernel/same-name';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

/** Names that programs load settings or instructions from. */
const NAMES = ['.opencode', 'opencode.json', 'AGENTS.md', 'CONTEXT.md', '.deepreview', 'skill.md', '.env', 'id_rsa'];

// Each of these changes a name into one that some file system takes for the same.
const NEIGHBOURS: readonly ((letter: string, choice: number) => string)[] = [
  (letter) => letter,
  (letter) => letter.toUpperCase(),
  (letter) => letter.toLowerCase(),
  (letter, choice) => letter + (['\u200b', '\u200d', '\ufeff', '\u00ad', '\u2060', '\u202e'][choice % 6] ?? ''),
  (letter) => ({ s: '\u017f', S: '\u017f', k: '\u212a', K: '\u212a' })[letter] ?? letter,
  (letter) => (/[!-~]/.test(letter) ? String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0x21 + 0xff01) : letter),
];

const neighbour = fc
  .tuple(
    fc.constantFrom(...NAMES),
    fc.array(fc.tuple(fc.nat(NEIGHBOURS.length - 1), fc.nat(9)), { minLength: 20, maxLength: 20 }),
    fc.constantFrom('', '.', ' ', '..'),
  )
  .map(([name, choices, end]) => {
    const letters = [...name].map((letter, i) => {
      const [kind, choice] = choices[i] ?? [0, 0];
      return (NEIGHBOURS[kind] ?? String)(letter, choice);
    });
    return { name, other: letters.join('') + end };
  });

describe('names that some file system takes for the same', () => {
  test('are the same in any spelling of each letter', () => {
    fc.assert(fc.property(neighbour, ({ name, other }) => sameName(name, other)));
  });

  test('are the same composed and decomposed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => sameName(name.normalize('NFC'), name.normalize('NFD'))),
    );
    expect(sameName('Ä.md', 'a\u0308.MD')).toBe(true);
    expect(sameName('straße', 'STRASSE')).toBe(true);
  });

  test('have a key that stays the same', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => nameKey(nameKey(name)) === nameKey(name)));
  });

  test('of different letters or digits are different', () => {
    const plain = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
    fc.assert(fc.property(plain, plain, (a, b) => sameName(a, b) === (a === b)));
  });

  test('hide a secret file in any spelling', () => {
    fc.assert(
      fc.property(neighbour, ({ name, other }) => looksSecret(`config/${other}`) === looksSecret(`config/${name}`)),
    );
  });
});

test.each([
  ['.OpenCode/plugin/x.js', '.opencode', true],
  ['.opencode', '.opencode', true],
  ['.opencode2/x.js', '.opencode', false],
  ['src/.opencode/x.js', '.opencode', false],
  ['A/B\u200b/c', 'a/b', true],
  ['a', 'a/b', false],
])('%s inside %s in any spelling: %s', (path, folder, expected) => {
  expect(isInsideAnySpelling(path, folder)).toBe(expected);
  expect(pathKey(path).split('/')).toHaveLength(path.split('/').length);
});
