import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing } from '@onceover/testing/gates.ts';
import { hookRepo, stop } from '@onceover/testing/hook.ts';
import { emptyRepo, repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

const OBJECTION = failing('src/a.ts', 'export const b = 2;', { line: 2 });
const FREE = { blocked: null, message: null };
const UNCONFIGURED = {
  blocked: null,
  message: expect.stringMatching(/^onceover could not judge this change, so nothing was passed: .*"onceover init"/),
};

describe('a change that cannot be judged does not block an agent', () => {
  test.each([
    ['exits with 1', { $exit: 1 }],
    ['answers with nonsense', { $raw: 'looks fine' }],
  ])('a reviewer that %s: it is said, and said again at once', async (_, answer) => {
    const repo = await hookRepo();
    repo.answers('one', answer, answer, answer);
    const { blocked, message } = await stop(repo);
    expect(blocked).toBeNull();
    expect(message).toMatch(/@1 \(one\) .*Run "onceover run" to try again\.$/);
    expect(message).toMatch(
      /^onceover could not judge this change, so nothing was passed: review:src:code-quality: \S/,
    );
    const asked = repo.calls().length;
    expect((await stop(repo)).message).toBe(message);
    expect(repo.calls()).toHaveLength(asked);
    // As soon as something changes it is tried again.
    repo.answers('one');
    repo.write('src/a.ts', 'export const a = 1;\nexport const c = 3;\n');
    expect(await stop(repo)).toMatchObject(FREE);
  });

  test('broken settings are named', async () => {
    const repo = await hookRepo();
    repo.write('onceover.yml', 'gates: [{ path: src, oops: 1 }]\n');
    const { blocked, message } = await stop(repo);
    expect([blocked, message]).toEqual([null, expect.stringMatching(/could not judge.*onceover\.yml:1:\d+/s)]);
  });

  test('an unreadable file name', async () => {
    const repo = await hookRepo();
    expect(await stop(repo)).toMatchObject(FREE);
    writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/`), Buffer.from([0xff, 0xfe])]), '');
    const { blocked, message } = await stop(repo);
    expect([blocked, message]).toEqual([null, expect.stringContaining('could not judge')]);
  });

  test('what is kept in the git folder can neither be read nor written', async () => {
    const repo = await hookRepo();
    repo.answers('one', OBJECTION);
    rmSync(join(repo.root, '.git/onceover'), { recursive: true });
    writeFileSync(join(repo.root, '.git/onceover'), 'in the way');
    const { blocked, message } = await stop(repo);
    expect([blocked, message]).toEqual([null, expect.stringContaining('could not judge')]);
    expect(repo.calls()).toHaveLength(0);
  });

  test('the count of blocks cannot be written', async () => {
    const repo = await hookRepo();
    repo.answers('one', OBJECTION);
    mkdirSync(join(repo.root, '.git/onceover'), { recursive: true });
    writeFileSync(join(repo.root, '.git/onceover/hook'), 'in the way');
    const { blocked, message } = await stop(repo);
    expect([blocked, message]).toEqual([null, expect.stringContaining('it cannot count blocks')]);
  });
});

describe('where there is nothing to judge', () => {
  test('no repository', async () => {
    expect(await stop({ root: temporaryFolder() })).toMatchObject(FREE);
  });

  test('a folder that is gone', async () => {
    const folder = join(temporaryFolder(), 'gone');
    expect(await stop({ root: dirname(folder) }, { cwd: folder })).toMatchObject(FREE);
  });

  test('no settings and no rules: nothing passed, so the user gets a message at every stop, until there are gates', async () => {
    const repo = repoWith({ 'a.ts': '' });
    repo.write('a.ts', 'x');
    for (const again of [false, true, true, true]) expect(await stop(repo, { again })).toMatchObject(UNCONFIGURED);
    repo.write('onceover.yml', 'gates: [{ path: ".", checks: { tests: { run: "false" } } }]\n');
    expect((await onceover(repo.root, ['trust'])).code).toBe(0);
    expect((await stop(repo)).blocked).toContain('check:.:tests');
  });

  test('no commit yet', async () => {
    const repo = emptyRepo();
    repo.write('a.ts', 'x');
    expect(await stop(repo)).toMatchObject(UNCONFIGURED);
  });
});
