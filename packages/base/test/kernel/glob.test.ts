import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { compileGlob, globMatches } from '../../src/kernel/glob.ts';

function matches(source: string, path: string, folder = ''): boolean {
  const result = compileGlob(source, folder);
  if (!result.ok) throw new Error(`${source} ${result.said}`);
  return globMatches(result.glob, path);
}

type Row = readonly [glob: string, matched: readonly string[], notMatched: readonly string[]];

const ROWS: readonly Row[] = [
  ['a.py', ['a.py'], ['b.py', 'x/a.py', 'a.pyc', 'a.py/b']],
  ['src/a.py', ['src/a.py'], ['a.py', 'src/b/a.py', 'x/src/a.py']],
  ['*', ['a', 'a.py', '.env'], ['a/b']],
  ['*.py', ['a.py', '.py', '.x.py'], ['a/b.py', 'a.pyc', 'apy']],
  ['a*', ['a', 'ab', 'a.b'], ['ba', 'a/b']],
  ['a*c*e', ['ace', 'abcde', 'acccee'], ['abcd', 'ac/e']],
  ['a**b', ['ab', 'axb'], ['a/b']],
  ['***', ['a'], ['a/b']],
  ['?', ['a', '.', 'é', '\u{1f600}'], ['', 'ab', '\u{1f600}\u{1f600}']],
  ['a?c', ['abc', 'a\u{1f600}c'], ['ac', 'abbc', 'a/c']],
  ['**', ['a', 'a/b', '.git/x', 'a/.b/c'], []],
  ['**/*', ['a', 'a/b', 'a/.b/.c'], []],
  ['**/a.py', ['a.py', 'x/a.py', 'x/y/a.py', '.x/a.py'], ['xa.py', 'x/a.pyc']],
  ['**/*.py', ['a.py', 'x/a.py', 'x/y/.py'], ['a.pyc', 'a.py/b']],
  ['**/*a*.py', ['a.py', 'x/bab.py'], ['x/b.py', 'a/b.py']],
  ['**/test_?.py', ['test_a.py', 'x/test_b.py'], ['test_.py', 'x/test_ab.py']],
  ['a/**', ['a/b', 'a/b/c', 'a/.b'], ['a', 'ab/c', 'b/a/c']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab', 'a/b/c', 'x/a/b']],
  ['a/**/*.py', ['a/b.py', 'a/x/b.py'], ['b.py', 'ab.py', 'a.py']],
  ['**/a/**', ['a/b', 'x/a/b', 'x/a/y/b'], ['a', 'x/a', 'xa/b']],
  ['**/a/**/b', ['a/b', 'x/a/b', 'x/a/y/b', 'a/a/b/b'], ['a/b/c', 'b']],
  ['a/**/**/b', ['a/b', 'a/x/b'], ['a/b/c']],
  ['a/*/b', ['a/x/b'], ['a/b', 'a/x/y/b']],
  ['src/', ['src/a', 'src/a/b'], ['src', 'src2/a', 'x/src/a']],
  ['src/**/', ['src/a', 'src/a/b'], ['src']],
  ['./x', ['x'], ['a/x']],
  ['/x', ['x'], ['a/x']],
  ['a//b', ['a/b'], ['a', 'ab']],
  ['a/./b', ['a/b'], ['a/x/b']],
  ['[a-z]', ['a', 'm', 'z'], ['A', '0', 'ab', '-']],
  ['[!a]', ['b', '!', '\u{1f600}'], ['a', 'bb']],
  ['[^a]', ['b', '^'], ['a']],
  ['[]a]', [']', 'a'], ['b', '[']],
  ['[!]a]', ['b'], [']', 'a']],
  ['[a-]', ['a', '-'], ['b']],
  ['[a\\-z]', ['a', '-', 'z'], ['b']],
  ['[\\]]', [']'], ['\\']],
  ['[*?{]', ['*', '?', '{'], ['a']],
  ['[{a,b}]', ['{', 'a', ',', 'b', '}'], ['ab']],
  ['x[0-9a-f]y', ['x0y', 'xfy'], ['xgy', 'xy', 'x0fy']],
  ['[\u{1f600}-\u{1f64f}].py', ['\u{1f600}.py', '\u{1f610}.py'], ['a.py', '\u{1f680}.py', '\ud83d.py']],
  ['[!\u{1f600}]', ['\u{1f601}', 'a'], ['\u{1f600}']],
  ['*\u{1f600}.py', ['\u{1f600}.py', 'a\u{1f600}.py'], ['\u{1f601}.py']],
  ['{a,b}', ['a', 'b'], ['ab', '{a,b}', 'a,b']],
  ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.t', 'a.ts,tsx']],
  ['a{,b}', ['a', 'ab'], ['b', 'abb']],
  ['a{,.test}.ts', ['a.ts', 'a.test.ts'], ['a..ts']],
  ['{a,{b,c}d}', ['a', 'bd', 'cd'], ['ad', 'b', 'd']],
  ['{a,b{c,{d,e}}}f', ['af', 'bcf', 'bdf', 'bef'], ['bf', 'cf']],
  ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd'], ['ab', 'a']],
  ['{src,lib}/**/*.py', ['src/a.py', 'lib/x/a.py'], ['a.py', 'test/a.py']],
  ['{a/b,c}/d', ['a/b/d', 'c/d'], ['a/d', 'b/d']],
  ['{src/,x}', ['src/a', 'x'], ['src', 'x/a']],
  ['{[a,b],c}', ['a', 'b', ',', 'c'], ['[a', 'b]']],
  ['{a\\,b,c}', ['a,b', 'c'], ['a', 'b']],
  ['{a}', ['{a}'], ['a']],
  ['{{a,b}}', ['{a}', '{b}'], ['a', '{{a,b}}']],
  ['{}', ['{}'], ['']],
  ['a}', ['a}'], ['a']],
  ['{1..3}', ['{1..3}'], ['1', '2']],
  ['\\*', ['*'], ['a', '\\*']],
  ['\\!a', ['!a'], ['a']],
  ['\\{a,b\\}', ['{a,b}'], ['a', 'b']],
  ['\\a', ['a'], ['\\a']],
  ['app/\\[id\\]/page.tsx', ['app/[id]/page.tsx'], ['app/i/page.tsx', 'app/id/page.tsx']],
  ['@(a|b)', ['@(a|b)'], ['a', 'b']],
];

describe('a glob', () => {
  test.each(ROWS)('%s', (glob, matchingPaths, otherPaths) => {
    expect(matchingPaths.filter((path) => !matches(glob, path))).toEqual([]);
    expect(otherPaths.filter((path) => matches(glob, path))).toEqual([]);
  });

  test('is relative to its folder', () => {
    expect(matches('*.py', 'a/b/x.py', 'a/b')).toBe(true);
    expect(matches('/x.py', 'a/b/x.py', 'a/b')).toBe(true);
    expect(matches('**', 'a/b/c/x.py', 'a/b')).toBe(true);
    expect(['x.py', 'a/x.py', 'a/bx.py', 'z/a/b/x.py'].filter((path) => matches('**/*.py', path, 'a/b'))).toEqual([]);
  });

  test('takes the name of its folder literally', () => {
    expect(matches('*.py', '[id]*/x.py', '[id]*')).toBe(true);
    expect(matches('*.py', 'id/x.py', '[id]*')).toBe(false);
  });
});

const ABOVE = 'reaches above its folder with ".."';
const NO_BRACKET = 'has a "[" without "]" (write "\\[" for the character itself)';
const NO_BRACE = 'has a "{" without "}" (write "\\{" for the character itself)';
const choices = (count: number) => `{${'a,'.repeat(count - 1)}b}`;

describe('a bad glob is rejected with a reason', () => {
  test.each([
    ['!x', 'starts with "!"; put what is left out under exclude'],
    ['../x', ABOVE],
    ['a/../b', ABOVE],
    ['{a,../b}', ABOVE],
    ['[a', NO_BRACKET],
    ['[]', NO_BRACKET],
    ['[a/b]', NO_BRACKET],
    ['{a,[b}', NO_BRACKET],
    ['{a', NO_BRACE],
    ['{a,{b,c}', NO_BRACE],
    ['{a,b\\}', NO_BRACE],
    ['a\\', 'ends with a lone "\\"'],
    ['', 'is empty'],
    ['/', 'is empty'],
    ['.', 'is empty'],
    ['{,a}', 'is empty'],
  ])('%s', (source, message) => {
    expect(compileGlob(source, 'folder')).toEqual({ ok: false, said: message });
  });

  test('more than 1000 choices', () => {
    const message = 'stands for more than 1000 globs';
    expect(compileGlob('{a,b}'.repeat(10), '')).toEqual({ ok: false, said: message });
    expect(compileGlob(choices(1001), '')).toEqual({ ok: false, said: message });
  });

  test('more than 4096 characters', () => {
    expect(compileGlob('a'.repeat(4097), '')).toEqual({ ok: false, said: 'is longer than 4096 characters' });
  });

  test('the limits themselves are allowed', () => {
    expect(compileGlob('{a,b}'.repeat(9), '').ok).toBe(true);
    expect(compileGlob(choices(1000), '').ok).toBe(true);
    expect(compileGlob('a'.repeat(4096), '').ok).toBe(true);
  });
});

// Left out, because ours differs on purpose: "a/**" does not match a itself; "{a}" and "{1..3}" are literal; an empty
// choice next to "/" or "*" is expanded first; "[!a]" is "[^a]"; "*.*" matches a name that ends with ".".
const name = fc
  .array(fc.constantFrom('a', 'b', '.'), { minLength: 1, maxLength: 3 })
  .map((chars) => chars.join(''))
  .filter((text) => !text.endsWith('.'));
const pieces = ['a', 'b', '.', '*', '*', '?', '[ab]', '[^a]', '[a-b]', '{a,b*}', '{.b,a}', 'a{,.}', '{a,{b,?}}', '\\*'];
const wild = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''))
  .filter((text) => !/\*\*|^\.{1,2}$/.test(text));
const pattern = fc
  .tuple(fc.array(fc.oneof(wild, fc.constant('**')), { maxLength: 2 }), wild)
  .map(([folders, last]) => [...folders, last].join('/'));
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

test('agrees with picomatch', () => {
  fc.assert(
    fc.property(pattern, path, (glob, file) => {
      const theirs = picomatch.isMatch(file, glob, { dot: true, noextglob: true, nonegate: true });
      expect(matches(glob, file)).toBe(theirs);
    }),
    { numRuns: 5000 },
  );
});

describe('the literal parts of a glob are in every path that it matches', () => {
  function expectFixed(source: string, file: string): void {
    const result = compileGlob(source, '');
    const nameAt = file.lastIndexOf('/') + 1;
    const lastName = file.slice(nameAt);
    for (const alternative of result.ok ? result.glob.alternatives : []) {
      if (!alternative.matches(file, nameAt)) continue;
      expect([null, file.split('/')[0]]).toContain(alternative.first);
      expect([null, lastName.slice(lastName.lastIndexOf('.'))]).toContain(alternative.extension);
    }
  }

  test('for random globs', () => {
    fc.assert(fc.property(pattern, path, expectFixed), { numRuns: 5000 });
  });

  test.each([
    ['src/*.py', 'src/a.py'],
    ['**/*.d.ts', 'x/a.d.ts'],
    ['*.', 'a.'],
    ['.gitignore', '.gitignore'],
    ['src/', 'src/a.py'],
    ['src\\/a.py', 'src/a.py'],
  ])('%s', (glob, file) => {
    expect(matches(glob, file)).toBe(true);
    expectFixed(glob, file);
  });
});

describe('matching is fast for every glob', () => {
  const withinASecond = (work: () => unknown) => {
    const start = performance.now();
    work();
    expect(performance.now() - start).toBeLessThan(5000);
  };

  test.each([
    ['many stars', '*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(5000)],
    ['many folders', '**/a/**/a/**/a/**/a/**/b', Array(300).fill('a').join('/')],
    ['stars in folders', '**/*a*a*a*b/**/*a*a*a*b/**/c', Array(100).fill('a'.repeat(100)).join('/')],
    ['nested braces', `${'{a,'.repeat(12)}b${'}'.repeat(12)}c`, 'a'.repeat(5000)],
    ['braces in a row', '{a,b}'.repeat(9) + 'x'.repeat(4000), 'a'.repeat(4009)],
    ['braces that are characters', '{'.repeat(2000) + 'a'.repeat(90) + '}'.repeat(2000), 'a'],
  ])('%s', (_, glob, file) => {
    withinASecond(() => expect(matches(glob, file)).toBe(false));
  });

  test('rejecting a glob is fast', () => {
    withinASecond(() => expect(compileGlob('['.repeat(1000) + '{a,b}'.repeat(9), '').ok).toBe(false));
  });
});
