import { compileGlob, globMatches } from '@onceover/base/kernel/glob';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolWrittenGlobs } from '../../../src/setup/starter-settings.ts';

test.each([
  [[], []],
  [['src/a.ts', 'README.md', 'package.json'], []],
  [['package-lock.json', 'src/a.ts'], ['package-lock.json']],
  [['web/yarn.lock'], ['**/yarn.lock']],
  [
    ['yarn.lock', 'web/yarn.lock', 'go.sum'],
    ['**/yarn.lock', 'go.sum'],
  ],
  [
    ['src/a.snap', 'src/b.snap', 'x.min.js'],
    ['**/*.min.js', '**/*.snap'],
  ],
  [
    ['dist/a.js', 'vendor/x/y.go', 'api/x.pb.go'],
    ['**/*.pb.go', 'dist/**', 'vendor/**'],
  ],
  // A file is not a folder, and a folder deeper down may be source code.
  [['dist', 'src/dist/a.ts', 'distance/a.ts', 'src/vendor/a.go'], []],
])('excludes from %j: %j', (paths, globs) => {
  expect(toolWrittenGlobs(paths)).toEqual(globs);
});

test('returns valid globs that match one of the paths', () => {
  const part = fc.constantFrom('a', 'dist', 'vendor', 'yarn.lock', 'x.snap', 'x.min.css', 'node_modules', 'b.ts');
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.array(path), (paths) => {
      for (const source of toolWrittenGlobs(paths)) {
        const result = compileGlob(source, '');
        expect(result.ok && paths.some((candidate) => globMatches(result.glob, candidate))).toBe(true);
      }
    }),
  );
});
