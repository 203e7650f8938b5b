import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ScriptNature, scriptNature, scriptsIn } from '../../../src/setup/detect/script-nature.ts';

const nature = (text: string, otherScripts: Readonly<Record<string, string>> = {}) =>
  scriptNature('it', new Map(Object.entries({ it: text, ...otherScripts })));

describe('the nature of a script', () => {
  test.each<[ScriptNature, string]>([
    ['ends', 'jest'],
    ['ends', 'vitest run'],
    ['ends', 'vitest run --coverage'],
    ['ends', 'vitest --run'],
    ['ends', 'vitest related --run src/a.ts'],
    ['ends', 'vitest --watch=false'],
    ['ends', 'eslint vitest.config.ts'],
    ['ends', 'react-scripts test --watchAll=false'],
    ['ends', 'react-scripts build'],
    ['ends', 'jest --no-watchman --watchman=false'],
    ['ends', 'ng test --no-watch'],
    ['ends', 'karma start --single-run'],
    ['ends', 'cypress run'],
    ['ends', 'npm run test -w packages/a'],
    ['ends', 'jest -w 4'],
    ['ends', 'prettier --check . && eslint --fix-dry-run .'],
    ['ends', 'black --check .'],
    ['ends', 'echo running && jest'],
    ['ends', 'exit-code-of mocha'],
    ['ends-in-ci', 'vitest'],
    ['ends-in-ci', 'vitest --coverage'],
    ['ends-in-ci', 'bun run vitest'],
    ['ends-in-ci', 'tsc --noEmit && NODE_ENV=test npx vitest --dir src'],
    ['ends-in-ci', 'react-scripts test --env=jsdom'],
    ['ends-in-ci', 'craco test'],
    ['watches', 'jest --watch'],
    ['watches', 'jest --watchAll'],
    ['watches', 'node --test --watch-path=src'],
    ['watches', 'vitest watch'],
    ['watches', 'vitest run --watch'],
    ['watches', 'vitest --ui'],
    ['watches', 'ng test'],
    ['watches', 'karma start karma.conf.js'],
    ['watches', 'cypress open'],
    ['watches', 'tsc -p . -w'],
    ['watches', 'nodemon --exec "mocha"'],
    ['watches', 'concurrently "tsc -w" "jest"'],
    ['watches', 'eslint --fix . ; mocha --watch'],
    ['changes-files', 'eslint . --fix'],
    ['changes-files', 'biome check --write .'],
    ['changes-files', 'prettier -w .'],
    ['changes-files', 'rubocop -A'],
    ['changes-files', 'black .'],
    ['changes-files', 'tsc --emitDeclarationOnly'],
    ['changes-files', 'lint-staged'],
    ['changes-files', 'eslint --fix . && vitest'],
    ['empty', 'echo "Error: no test specified" && exit 1'],
    ['empty', 'true'],
    ['empty', ''],
    ['empty', ' \n '],
  ])('is %s: %s', (kind, text) => {
    expect(nature(text)).toBe(kind);
  });

  test('is empty if the script does not exist', () => {
    expect(scriptNature('gone', new Map([['it', 'jest']]))).toBe('empty');
  });

  test.each<[ScriptNature, string]>([
    ['watches', 'npm run other'],
    ['watches', 'npm run -s build && pnpm other'],
    ['watches', 'run-p build other'],
    ['watches', 'concurrently "npm:other"'],
    ['watches', '@other'],
    ['watches', '$(MAKE) other'],
    ['watches', 'yarn between'],
    ['ends', 'eslint other'],
    ['ends', 'npm run build'],
  ])('is %s because of another script: %s', (kind, text) => {
    const otherScripts = { other: 'jest --watch', between: 'npm run other', build: 'tsdown' };
    expect(nature(text, otherScripts)).toBe(kind);
  });

  test('is found for scripts that run each other', () => {
    expect(nature('npm run other', { other: 'npm run it && npm run other' })).toBe('ends');
  });

  test('is found for any text', () => {
    const names = fc.constantFrom('it', 'a', 'b');
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('npm', 'run', 'a', 'b', '&&', '--watch')).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(fc.dictionary(names, text), (scripts) => {
        expect(scriptNature('it', new Map(Object.entries(scripts)))).toMatch(
          /^(empty|ends|ends-in-ci|changes-files|watches)$/,
        );
      }),
    );
  });
});

test.each([
  ['npm run lint && npm test', ['lint', 'test']],
  ['make lint types', ['lint']],
  ['eslint lint && tsc', []],
])('finds in "%s" the scripts %j', (text, names) => {
  expect(scriptsIn(text, new Set(['lint', 'test']))).toEqual(names);
});
