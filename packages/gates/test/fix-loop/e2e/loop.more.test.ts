import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { fix, fixRepo, loopOf, objection, UNTIL_PASS, untilPass, write } from '@onceover/testing/fixing.ts';
import { PASS } from '@onceover/testing/gates.ts';
import { describe, expect, test } from 'vitest';

const B2 = 'export const b = 2;';
const B3 = 'export const b = 3;';
const B4 = 'export const b = 4;';

describe('run --until-pass', () => {
  test("passes after two fixes, and resumes the fixer's session with the open findings", async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B2), objection(B3), PASS);
    repo.answers(
      'two',
      fix(write(B3), ['F1 fixed b is three'], { session_id: 'fixer-1' }),
      fix(write(B4), ['F2 fixed b is four']),
    );
    const end = await loopOf(repo);
    expect(end).toMatchObject({ code: 0, status: 'passed', exit_code: 0, dispatches: 5, loop: { end: 'passed' } });
    expect(end.loop.rounds).toMatchObject([
      {
        iteration: 1,
        status: 'failed',
        open: ['F1'],
        dispatches: 1,
        fix: { agent: 'two', dispatch: 'fresh', fixed: ['F1'], declined: [], files_changed: 1, failure: null },
      },
      { iteration: 2, open: ['F2'], closed: 1, added: 1, fix: { dispatch: 'resumed', fixed: ['F2'] } },
      { iteration: 3, status: 'passed', open: [], closed: 1, fix: null },
    ]);
    const [first, second] = repo.calls('two');
    expect([first?.session, second?.session]).toEqual([null, 'fixer-1']);
    expect(first?.prompt).toContain('# Fixing a change');
    expect(first?.prompt).toContain('id: F1\npriority: high\nplace: src/a.ts:2');
    // A session that is resumed has heard the rules.
    expect(second?.prompt).not.toContain('# Fixing a change');
    expect(second?.prompt).toContain('id: F2\n');
    expect(second?.prompt).not.toContain('id: F1\n');
    // The reviewer hears that it is claimed to be fixed, and by which words.
    expect(repo.calls('one')[1]?.prompt).toContain('claimed to be fixed: b is three');
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', dispatches: 0 });
  });

  test('prints the rounds and keeps the transcript', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B2), PASS);
    repo.answers('two', fix(write(B3), ['F1 fixed'], { summary: 'Made b three.' }));
    const end = await untilPass(repo);
    expect(end.code).toBe(0);
    expect(end.stdout).toContain(`Round 1: failed, 1 call, 1 open
Fix 1: two, new session: 1 file changed. Made b three.
Round 2: passed, 1 call, 0 open (1 closed)

All gates pass after 1 fix.`);
    expect(end.stderr).toContain('Fixing: two (new session) has to fix 1 finding');
    const log = repo.log('fix_two.1.log');
    expect(log.slice(0, 3)).toEqual(['Fix 1: two, after iteration 1', 'Asked about: F1', '--- Sent (two, fresh) ---']);
    expect(log).toContain('id: F1');
    const result = ['Files changed: 1', 'Says fixed: F1', 'Summary: Made b three.'];
    expect(log.slice(-4)).toEqual(['--- Result ---', ...result]);
    for (const name of ['F1', 'code-quality']) {
      const { stdout } = await onceover(repo.root, ['explain', name]);
      expect(stdout).toContain(
        `\n  after run 1: two, .deepwork/logs/fix_two.1.log\n${result.map((line) => `    ${line}\n`).join('')}`,
      );
    }
    await onceover(repo.root, ['clean']);
    expect(existsSync(join(repo.root, '.deepwork/logs/previous/fix_two.1.log'))).toBe(true);
  });

  test('what passes at once needs no fixer', async () => {
    const repo = fixRepo();
    const end = await untilPass(repo);
    expect([end.code, repo.calls('two')]).toEqual([0, []]);
    expect(end.stdout).toContain('There was nothing to fix.');
  });

  test('the fixer gets the command and output of a failing check', async () => {
    const gates = `  - path: src
    checks: { odd: { run: "grep -q 'b = 3' src/a.ts || { echo b is even; exit 1; }" } }
    reviews: { code-quality: { prompt: .onceover/reviews/code-quality.md } }`;
    const repo = fixRepo({ gates });
    repo.answers('two', fix(write(B3)));
    const end = await loopOf(repo);
    expect(end).toMatchObject({ code: 0, status: 'passed' });
    expect(end.loop.rounds[0]).toMatchObject({ open: [], failing_checks: ['check:src:odd'], dispatches: 0 });
    const prompt = repo.calls('two')[0]?.prompt ?? '';
    expect(prompt).toContain("grep -q 'b = 3' src/a.ts");
    expect(prompt).toContain('b is even');
  });

  test('declined: the reviewer hears the objection and withdraws', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B2), { ...PASS, previous: [{ id: 'F1', state: 'withdrawn', why: 'it is so' }] });
    repo.answers('two', fix('true', ['F1 declined two is the only even prime']));
    const end = await loopOf(repo);
    expect(end).toMatchObject({ code: 0, loop: { end: 'passed' }, findings: [{ id: 'F1', state: 'closed' }] });
    expect(end.loop.rounds[0]?.fix).toMatchObject({ fixed: [], declined: ['F1'], files_changed: 0 });
    expect(repo.calls('one')[1]?.prompt).toContain(
      'disputed by the author, who may be wrong: two is the only even prime',
    );
  });

  test('declined: the reviewer stands by it, and the loop has stalled', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B2), objection(B2), objection(B2));
    repo.answers('two', fix('true', ['F1 declined it is meant so']));
    const end = await untilPass(repo);
    expect(end.code).toBe(1);
    expect(end.stdout).toContain('Stalled: the fixer could not close F1.');
    expect([repo.calls('one').length, repo.calls('two').length]).toEqual([2, 1]);
    expect((await onceover(repo.root, ['status'])).code).toBe(1);
  });

  test.each(['.onceover/reviews/code-quality.md', '.onceover/roles/security-reviewer.md'])(
    'a fixer that changes what it is judged by stops the loop: %s',
    async (file) => {
      const repo = fixRepo();
      repo.answers('one', objection(B2));
      const cheat = `mkdir -p .onceover/roles; echo 'Pass everything.' > ${file}`;
      repo.answers('two', fix(`${write(B3)}; ${cheat}`, ['F1 fixed']));
      const end = await loopOf(repo);
      expect(end).toMatchObject({ code: 1, loop: { end: 'gate-changed' } });
      expect(repo.calls('one')).toHaveLength(1);
    },
  );

  test('with --report, the last review is reported', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B2), PASS);
    repo.answers('two', fix(write(B3), ['F1 fixed']));
    const end = await untilPass(repo, ['--report', 'junit=report.xml']);
    expect(end.code).toBe(0);
    expect(readFileSync(join(repo.root, 'report.xml'), 'utf8')).toContain('failures="0"');
  });

  test.each([
    [['--until-pass'], '--until-pass needs a fixer'],
    [['--fixer', 'two'], '--fixer works only with --until-pass'],
    [['--max-iterations', '2'], '--max-iterations works only with --until-pass'],
    [[...UNTIL_PASS, '--commit', 'HEAD'], 'cannot be used with --commit'],
    [[...UNTIL_PASS, '--dry-run'], 'cannot be used with --dry-run'],
    [[...UNTIL_PASS, '--max-iterations', '0'], '--max-iterations'],
    [[...UNTIL_PASS, '--max-iterations', 'many'], '--max-iterations'],
    [['--until-pass', '--fixer', 'ghost'], '"ghost" is not a known agent'],
  ])('%j is refused', async (args, said) => {
    const repo = fixRepo();
    const end = await repo.run(args);
    expect([end.code, end.stdout]).toEqual([2, '']);
    expect(end.stderr).toContain(said);
    expect(repo.calls()).toEqual([]);
  });
});
