import { paths, rule } from '@onceover/testing/rules.ts';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { matchRules } from '../../src/rules/tasks.ts';

const folders = ['', 'src', 'src/lib', 'docs'];
const globs = [
  '**',
  '**/*.ts',
  '*.ts',
  'src/**',
  '**/{a,b}.*',
  'lib/**/*.ts',
  '**/*.test.ts',
  'a.ts',
  '?.md',
  '**/[ab].ts',
];
const names = ['a.ts', 'b.ts', 'a.test.ts', 'c.md', '.env', 'Makefile', 'x.y.ts'];

const someRule = fc
  .record({
    folder: fc.constantFrom(...folders),
    include: fc.subarray(globs, { minLength: 1, maxLength: 3 }),
    exclude: fc.subarray(globs.slice(3), { maxLength: 1 }),
  })
  .map((given) => rule(given));
const somePath = fc
  .tuple(fc.array(fc.constantFrom('src', 'lib', 'docs', 'x'), { maxLength: 3 }), fc.constantFrom(...names))
  .map(([parts, name]) => [...parts, name].join('/'));

test('finds the same matches as testing every rule against every path', () => {
  fc.assert(
    fc.property(fc.array(someRule, { maxLength: 8 }), fc.uniqueArray(somePath, { maxLength: 30 }), (rules, given) => {
      const found = matchRules(rules, paths(...given));
      for (const one of rules) {
        const test = (list: readonly string[], path: string) => picomatch([...list], { dot: true })(path);
        const expected = given.filter((path) => {
          if (one.folder !== '' && !path.startsWith(`${one.folder}/`)) return false;
          const inside = one.folder === '' ? path : path.slice(one.folder.length + 1);
          return test(one.include, inside) && !(one.exclude.length > 0 && test(one.exclude, inside));
        });
        expect(found.get(one)).toEqual(expected);
      }
    }),
    { numRuns: 300 },
  );
});

test('returns a path once if several globs of a rule match', () => {
  const one = rule({ include: ['**/*.ts', 'src/**', '{src,lib}/a.ts'] });
  expect(matchRules([one], paths('src/a.ts')).get(one)).toEqual(['src/a.ts']);
});

test('matches nothing with an invalid glob', () => {
  const one = rule({ include: ['[', '**/*.ts'], exclude: ['{'] });
  expect(matchRules([one], paths('a.ts', '[')).get(one)).toEqual(['a.ts']);
});
