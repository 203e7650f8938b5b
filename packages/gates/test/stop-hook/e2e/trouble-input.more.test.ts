import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI, onceover } from '@onceover/testing/cli.ts';
import { failing } from '@onceover/testing/gates.ts';
import { hookRepo, stop } from '@onceover/testing/hook.ts';
import { cleanEnvironment, repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { snoozeSchema } from '../../../src/result/json-schema.ts';

const OBJECTION = failing('src/a.ts', 'export const b = 2;', { line: 2 });

describe('what is said of the stop', () => {
  test.each([
    ['nothing', ''],
    ['no JSON', 'stop!'],
    ['null', 'null'],
    ['a list', '[1]'],
    ['other types', '{"cwd":1,"session_id":{}}'],
    ['megabytes', JSON.stringify({ last_assistant_message: 'x'.repeat(3_000_000) })],
    ['a name that every object has', '{"session_id":"__proto__"}'],
  ])('%s: it is a stop all the same', async (_, input) => {
    const repo = await hookRepo();
    repo.answers('one', OBJECTION);
    expect((await stop(repo, { input })).blocked).toContain('id: F1\n');
    expect((await stop(repo, { input })).blocked).toContain('id: F1\n');
    expect(repo.calls()).toHaveLength(1);
  });

  test('standard input need not be closed', async () => {
    const repo = await hookRepo();
    const child = spawn(process.execPath, [CLI, 'hook', 'stop'], {
      cwd: repo.root,
      env: cleanEnvironment(dirname(repo.root)),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.write(`${JSON.stringify({ cwd: repo.root })}\n`);
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    expect(repo.calls()).toHaveLength(1);
  });

  test.each([[['--deadline', 'soon']], [['--deadline']], [['--what']], [['--deadline', '0']]])(
    'does not block for unknown options: %j',
    async (args) => {
      const repo = await hookRepo();
      const end = await onceover(repo.root, ['hook', 'stop', ...args], { input: '{}' });
      expect([end.code, end.stderr]).toEqual([0, '']);
      expect(JSON.parse(end.stdout)).toEqual({ systemMessage: expect.stringContaining('--deadline') });
    },
  );

  test('an agent that has gone elsewhere is asked about the project that it was started in', async () => {
    const repo = await hookRepo();
    repo.answers('one', OBJECTION);
    const away = { cwd: temporaryFolder(), env: { CLAUDE_PROJECT_DIR: repo.root } };
    expect((await stop({ root: away.cwd }, away)).blocked).toContain('id: F1\n');
  });
});

describe('hook snooze', () => {
  test('lets agents stop unjudged for a while, and says so', async () => {
    const repo = await hookRepo();
    repo.answers('one', OBJECTION);
    const asleep = await onceover(repo.root, ['hook', 'snooze', '5', '--json']);
    const { snoozed_until: until } = snoozeSchema.strict().parse(JSON.parse(asleep.stdout));
    const minutes = (Date.parse(until ?? '') - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(4);
    expect(minutes).toBeLessThanOrEqual(5);
    const { blocked, message } = await stop(repo);
    expect([blocked, message]).toEqual([
      null,
      expect.stringMatching(/snoozed until \d\d:\d\d, so this change was not reviewed\.$/),
    ]);
    expect(repo.calls()).toHaveLength(0);

    writeFileSync(join(repo.root, '.git/onceover/hook/snoozed'), `${Date.now() - 1}\n`);
    expect((await stop(repo)).blocked).toContain('id: F1\n');
    expect((await onceover(repo.root, ['hook', 'snooze'])).stdout).toMatch(
      /^The stop hook is snoozed until \d\d:\d\d: /,
    );
    const awake = await onceover(repo.root, ['hook', 'snooze', 'off', '--json']);
    expect(snoozeSchema.strict().parse(JSON.parse(awake.stdout))).toEqual({ snoozed_until: null });
    expect((await onceover(repo.root, ['hook', 'snooze', 'off'])).stdout).toBe('The stop hook is active.\n');
    expect((await stop(repo)).blocked).toContain('id: F1\n');
  });

  test.each(['-1', '1.5', '1441', 'later'])('a time that is none: %s', async (minutes) => {
    const repo = repoWith({ a: '' });
    const end = await onceover(repo.root, ['hook', 'snooze', '--', minutes]);
    expect([end.code, end.stdout]).toEqual([2, '']);
    expect(end.stderr).toContain('number of minutes');
  });
});
