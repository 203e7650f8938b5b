import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Functions that have too many branches today. The list may only become shorter. */
const TOO_COMPLEX = [
  'agents/adapters/call-agent.ts failureOf',
  'agents/adapters/call-agent.ts runAgent',
  'agents/api/run-tool.ts search',
  'forges/publish.ts performOne',
  'gates/rules/select-files.ts selectListed',
  'gates/run/read/state.ts readGateStates',
  'loops/phases/do/run-phase.ts runPhase',
  'loops/phases/roles/load.ts parseRole',
  'onceover/cli/commands/run.ts runCommand',
  'onceover/setup/init.ts setupProject',
  'repo/git/locate.ts findRepositoryWith',
  'web/page/findings.tsx Finding',
  'web/page/verdict.tsx Gate',
  'web/progress/state.ts progressAfter',
];

function tooComplex(...paths: readonly string[]): readonly string[] {
  const { stdout } = spawnSync(process.execPath, ['tools/review/complexity.mjs', ...paths], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return stdout.trim().split('\n').slice(0, -1);
}

const conditions = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`);

test.each([
  [
    '20 ways',
    `function f() { ${conditions(19)
      .map((name) => `if (${name}) return;`)
      .join(' ')} }`,
    [],
  ],
  [
    '21 ways',
    `function f() { ${conditions(20)
      .map((name) => `if (${name}) return;`)
      .join(' ')} }`,
    ['f: 21'],
  ],
  ['operators', `const f = () => ${conditions(21).join(' && ')};`, ['f: 21']],
  [
    'cases',
    `function f() { switch (a) { ${conditions(20)
      .map((name) => `case ${name}:`)
      .join(' ')} default: } }`,
    ['f: 21'],
  ],
  [
    'a function inside counts on its own',
    `function f() { if (a) return; g(() => ${conditions(20).join(' || ')}); }`,
    [],
  ],
])('the complexity of %s', (_, text, expected) => {
  const file = join(temporaryFolder(), 'a.ts');
  writeFileSync(file, text);
  expect(tooComplex(file).map((line) => line.slice(line.indexOf(' ') + 1))).toEqual(expected);
});

test('no function of the packages has too many branches', () => {
  const names = tooComplex('packages').map((line) =>
    line.replace(
      /^packages\/(\w+)\/(?:src|(page)\/src)\/([^:]+):\d+ (\w+).*/,
      (_, name: string, page: string | undefined, file: string, owner: string) =>
        `${name}/${page === undefined ? '' : 'page/'}${file} ${owner}`,
    ),
  );
  expect(names.filter((name) => !TOO_COMPLEX.includes(name))).toEqual([]);
});
