import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, onceover } from '@onceover/testing/cli.ts';
import { cleanEnvironment, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { DemoDocument } from '../../../src/demo/json.ts';
import { demoSchema } from '../../../src/demo/json.ts';

/** A machine whose git settings and environment would break a new repository. */
function hostileMachine() {
  const home = temporaryFolder();
  const [temporary, here, template] = [join(home, 'tmp'), join(home, 'here'), join(home, 'template')];
  for (const folder of [temporary, here, join(template, 'hooks')]) mkdirSync(folder, { recursive: true });
  const hook = join(template, 'hooks/pre-commit');
  writeFileSync(hook, '#!/bin/sh\nexit 1\n');
  chmodSync(hook, 0o755);
  const settings = join(home, 'gitconfig');
  writeFileSync(
    settings,
    `[init]\n\ttemplateDir = ${template}\n\tdefaultBranch = trunk\n[core]\n\thooksPath = ${template}/hooks\n\tautocrlf = true\n` +
      '[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n[user]\n\tuseConfigOnly = true\n[diff]\n\tnoprefix = true\n\texternal = /bin/false\n',
  );
  chmodSync(here, 0o555);
  const unset = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    ['NAME', 'EMAIL'].map((field) => [`GIT_${role}_${field}`, '']),
  );
  const env = {
    ...Object.fromEntries(unset),
    HOME: home,
    TMPDIR: temporary,
    GIT_CONFIG_GLOBAL: settings,
    GIT_CONFIG_SYSTEM: settings,
    GIT_DIR: join(home, 'elsewhere.git'),
    GIT_INDEX_FILE: join(home, 'index'),
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_BASE_REF: 'develop',
  };
  return { here, temporary, env };
}

const slots = ({ gates }: DemoDocument['runs'][number]) =>
  gates.flatMap(({ id, slots: gateSlots }) =>
    gateSlots.map(({ slot, status, dispatch }) => `${id}@${slot} ${status} ${dispatch}`),
  );

describe('onceover demo', () => {
  test('runs anywhere, with any git settings, and leaves nothing behind', async () => {
    const { here, temporary, env } = hostileMachine();
    const end = await onceover(here, ['demo'], { env: { ...env, LC_ALL: 'C' } });
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(end.stdout).toContain('Passed: all 2 gates (exit code 0)');
    expect(end.stdout).toContain('Reviews: 6 ran (3 in resumed sessions), 6 skipped.');
    expect(end.stdout).toMatch(/^[\x20-\x7e\n]*$/);
    const lines = end.stdout.split('\n').filter((line) => !line.includes(CLI));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(end.stdout).not.toContain('npx');
    expect([readdirSync(temporary), readdirSync(here)]).toEqual([[], []]);
  });

  test('--json --keep returns the documents of the runs, and keeps the repository', async () => {
    const { here, temporary, env } = hostileMachine();
    const end = await onceover(here, ['demo', '--json', '--keep'], { env });
    expect([end.code, end.stderr]).toEqual([0, '']);
    const document = JSON.parse(end.stdout) as DemoDocument;
    expect(demoSchema.strict().parse(document)).toEqual(document);
    expect(document).toMatchObject({ reviewers: 'scripted', as_told: true, paid: { looks: 6, resumed: 3 } });
    expect(document.runs.map((run) => [run.exit_code, run.dispatches, ...slots(run)])).toEqual([
      [1, 3, 'review:src:code@1 fail fresh', 'review:src:code@2 fail fresh', 'review:docs:docs@1 pass fresh'],
      [1, 2, 'review:src:code@1 pass resumed', 'review:src:code@2 fail resumed', 'review:docs:docs@1 pass none'],
      [
        0,
        1,
        'review:src:code@1 skipped_prior_pass none',
        'review:src:code@2 pass resumed',
        'review:docs:docs@1 pass none',
      ],
      [
        0,
        0,
        'review:src:code@1 skipped_prior_pass none',
        'review:src:code@2 pass none',
        'review:docs:docs@1 pass none',
      ],
    ]);
    const { pass, slot, session, prefix } = document.not_paid;
    expect([pass.looks, slot.looks, session.looks, prefix.looks]).toEqual([5, 1, 3, 0]);
    for (const { tokens } of [pass, slot, session, document.shared_beginnings]) expect(tokens).toBeGreaterThan(100);

    const keptFolder = document.repository ?? '';
    expect(readdirSync(temporary)).toEqual([keptFolder.slice(temporary.length + 1)]);
    const cart = join(keptFolder, 'src/cart.ts');
    const [status, explanation, cost] = await Promise.all([
      onceover(keptFolder, ['status']),
      onceover(keptFolder, ['explain', 'F2']),
      onceover(keptFolder, ['cost']),
    ]);
    expect([status.code, explanation.code, cost.code]).toEqual([0, 0, 0]);
    expect(explanation.stdout).toContain('its reviewer confirmed the fix');
    // The demo suggests this: a mistake that comes back is found again.
    writeFileSync(cart, 'export const total = (list: number[]) => list.reduce((a, b) => a + b);\n');
    const run = await onceover(keptFolder, ['run']);
    expect([run.code, run.stdout]).toEqual([1, expect.stringContaining('An empty cart throws')]);
  });

  test.each([
    ['SIGINT', ['demo', '--keep']],
    ['SIGTERM', ['demo', '--json']],
  ] as const)('%s ends the demo and removes the repository: %s', async (signal, args) => {
    const { here, temporary, env } = hostileMachine();
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: here,
      env: { ...cleanEnvironment(here), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    const exitCode = new Promise((resolve) => child.on('close', resolve));
    while (!readdirSync(temporary).some((name) => existsSync(join(temporary, name, 'src/cart.ts')))) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    child.kill(signal);
    expect(await exitCode).toBe(130);
    expect(stderr).toContain('The temporary repository was removed.');
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('a scripted reviewer fails outside the demo', async () => {
    const folder = temporaryFolder();
    const end = await onceover(folder, ['demo-reviewer', 'careful'], { input: 'a prompt' });
    expect([end.code, end.stdout, readdirSync(folder)]).toEqual([1, '', []]);
  });

  test('reports that nothing can be written', async () => {
    const end = await onceover(temporaryFolder(), ['demo'], { env: { TMPDIR: '/nonexistent' } });
    expect([end.code, end.stderr]).toEqual([
      3,
      expect.stringMatching(/^onceover: \/nonexistent could not be written: .+\n.+\n$/),
    ]);
  });
});
