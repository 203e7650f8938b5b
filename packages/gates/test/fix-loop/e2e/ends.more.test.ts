import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { fix, fixRepo, loopOf, objection, untilPass, write } from '@onceover/testing/fixing.ts';
import { ANN, type GateRepo, PASS, type ScriptedAnswer } from '@onceover/testing/gates.ts';
import { describe, expect, test } from 'vitest';

const B = (n: number) => `export const b = ${n};`;
const paid = (usd: number) => ({
  usage: { input_tokens: 10, output_tokens: 1, cached_input_tokens: 0, cache_write_tokens: 0, cost_usd: usd },
});

/** Reviews and fixes by the number that b has: the reviewer objects to each, the fixer writes the next. */
function script(repo: GateRepo, numbers: readonly number[], more: ScriptedAnswer = {}): void {
  repo.answers('one', ...numbers.map((n) => ({ ...objection(B(n)), ...more })));
  repo.answers('two', ...numbers.slice(1).map((n) => fix(write(B(n)), [], more)));
}

const asked = (repo: GateRepo) => [repo.calls('one').length, repo.calls('two').length];

describe('it goes in circles', () => {
  test('an earlier state comes back', async () => {
    const repo = fixRepo();
    script(repo, [2, 3, 2, 3, 2, 3]);
    const end = await untilPass(repo, ['--max-iterations', '9']);
    expect([end.code, asked(repo)]).toEqual([1, [3, 2]]);
    expect(end.stdout).toMatch(/Going in circles: .* Fix F\d, F\d together/);
  });

  test('two findings trade places, although the files are never the same', async () => {
    const repo = fixRepo();
    const twice = (x: string, n: number) => `printf 'export const a = 1;\\n%s\\n// ${n}\\n' '${x}' > src/a.ts`;
    repo.answers('one', objection(B(2)), objection(B(3)), objection(B(2)), objection(B(3)), PASS);
    repo.answers('two', fix(twice(B(3), 1)), fix(twice(B(2), 2)), fix(twice(B(3), 3)), fix(twice(B(2), 4)));
    const end = await loopOf(repo, ['--max-iterations', '9']);
    expect([end.code, end.loop.end, asked(repo)]).toEqual([1, 'oscillating', [4, 3]]);
  });

  test('the same finding three times, whatever else is edited', async () => {
    const repo = fixRepo();
    const again = (n: number) => `printf 'export const a = 1;\\n%s\\n// ${n}\\n' '${B(2)}' > src/a.ts`;
    repo.answers('one', objection(B(2)), objection(B(2)), objection(B(2)), PASS);
    repo.answers('two', fix(again(1)), fix(again(2)), fix(again(3)));
    const end = await loopOf(repo, ['--max-iterations', '9']);
    expect([end.code, end.loop.end, asked(repo)]).toEqual([1, 'stalled', [3, 2]]);
  });

  test('a check that fails as before, and nothing was changed', async () => {
    const gates = '  - path: src\n    checks: { odd: { run: "false" } }';
    const repo = fixRepo({ gates });
    repo.answers('two', fix('true'), fix('true'));
    expect(await loopOf(repo)).toMatchObject({ code: 1, loop: { end: 'stalled' } });
    expect(asked(repo)).toEqual([0, 1]);
  });
});

describe('it has gone on for long enough', () => {
  test('--max-iterations counts reviews', async () => {
    const repo = fixRepo();
    script(repo, [2, 3, 4, 5, 6]);
    const end = await untilPass(repo, ['--max-iterations', '2']);
    expect([end.code, asked(repo)]).toEqual([1, [2, 1]]);
    expect(end.stdout).toContain('Stopped after 2 rounds, the limit of --max-iterations. Open: F2.');
  });

  test('--max-iterations 1 asks no fixer', async () => {
    const repo = fixRepo();
    script(repo, [2, 3]);
    expect((await untilPass(repo, ['--max-iterations', '1'])).code).toBe(1);
    expect(asked(repo)).toEqual([1, 0]);
  });

  test('usually max_retries and one', async () => {
    const repo = fixRepo({ more: 'max_retries: 2' });
    script(repo, [2, 3, 4, 5, 6]);
    expect(await loopOf(repo)).toMatchObject({ code: 1, loop: { end: 'max-iterations' } });
    expect(asked(repo)).toEqual([3, 2]);
  });

  test('the retry limit holds here too', async () => {
    const repo = fixRepo({ more: 'max_retries: 1' });
    repo.answers('one', objection(B(2)), objection(B(2)));
    for (let i = 0; i < 2; i++) await repo.run();
    repo.forget();
    const end = await loopOf(repo, ['--max-iterations', '9']);
    expect(end).toMatchObject({ code: 1, status: 'retry_limit_exceeded', loop: { end: 'retry-limit' } });
    expect(asked(repo)).toEqual([0, 0]);
  });

  test('a round that reviews changed content is not a retry', async () => {
    const repo = fixRepo({ more: 'max_retries: 1' });
    script(repo, [2, 3, 4, 5, 6]);
    const end = await loopOf(repo, ['--max-iterations', '4']);
    expect(end).toMatchObject({ code: 1, loop: { end: 'max-iterations' } });
    expect(asked(repo)).toEqual([4, 3]);
  });
});

describe('the budget', () => {
  test('of dispatches counts reviewers, fixers and repeated questions', async () => {
    const repo = fixRepo({ more: 'budget: { dispatches: 4 }' });
    repo.answers('one', objection(B(2)), { $raw: 'hm' }, objection(B(3)), PASS);
    repo.answers('two', fix(write(B(3))), fix(write(B(4))));
    const end = await loopOf(repo, ['--max-iterations', '9']);
    expect(end).toMatchObject({ code: 1, dispatches: 4, loop: { end: 'budget' } });
    expect(asked(repo)).toEqual([3, 1]);
  });

  test('in dollars is one for the whole loop', async () => {
    const repo = fixRepo({ more: 'budget: { usd: 1 }' });
    script(repo, [2, 3, 4, 5], paid(0.4));
    const end = await loopOf(repo, ['--max-iterations', '9']);
    expect(end).toMatchObject({ code: 1, dispatches: 3, loop: { end: 'budget' } });
    expect(end.usage?.cost_usd).toBeCloseTo(1.2);
  });

  test('that is used up before a review ends is no pass', async () => {
    const repo = fixRepo({ more: 'budget: { dispatches: 2 }' });
    script(repo, [2, 3]);
    const end = await loopOf(repo);
    expect([end.code, end.loop.end, asked(repo)]).toEqual([1, 'budget', [1, 1]]);
    expect(end.loop.rounds[1]?.dispatches).toBe(0);
  });

  test('what fixers used is in the ledger', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), PASS);
    repo.answers('two', fix(write(B(3)), [], paid(0.25)));
    expect((await loopOf(repo)).code).toBe(0);
    const ledger = join(repo.root, '.git/onceover/ledger');
    const entries = readdirSync(ledger).map((name) => JSON.parse(readFileSync(join(ledger, name), 'utf8')));
    expect(entries.filter(({ kind }) => kind === 'run')).toHaveLength(2);
    expect(entries.filter(({ kind }) => kind === 'fix')).toMatchObject([{ agent: 'two', dispatch: 'fresh', asks: 1 }]);
  });
});

describe('a fixer in trouble', () => {
  test('that answers garbage is asked to repeat its answer, in its session', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), PASS);
    repo.answers(
      'two',
      { $raw: 'I did it. {"session_id":"s1"}', $run: write(B(3)) },
      fix('true', ['F1 fixed b is three']),
    );
    const end = await loopOf(repo);
    expect(end).toMatchObject({ code: 0, dispatches: 4 });
    expect(end.loop.rounds[0]?.fix).toMatchObject({ fixed: ['F1'], files_changed: 1 });
    expect(repo.calls('two').map(({ session }) => session)).toEqual([null, 's1']);
  });

  test('that answers garbage twice has worked all the same; only its word is missing', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), PASS);
    repo.answers('two', { $raw: 'Done. {"session_id":"s1"}', $run: write(B(3)) }, { $raw: 'As I said.' });
    const end = await loopOf(repo);
    expect(end).toMatchObject({ code: 0, loop: { end: 'passed' } });
    expect(end.loop.rounds[0]?.fix).toMatchObject({ fixed: [], declined: [], files_changed: 1 });
  });

  test('that cannot be resumed is not asked twice for one answer', async () => {
    const repo = fixRepo({ agents: ['one', 'two', 'three'] });
    repo.answers('one', objection(B(2)), PASS);
    repo.answers('three', { $raw: 'Done.', $run: write(B(3)) });
    const end = await onceover(repo.root, ['run', '--until-pass', '--fixer', 'three']);
    expect([end.code, repo.calls('three').length]).toEqual([0, 1]);
  });

  test('whose session is lost gets a new session with the whole prompt', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), objection(B(3)), PASS);
    repo.answers(
      'two',
      fix(write(B(3)), [], { session_id: 's1' }),
      { $exit: 1, $stderr: 'no such session' },
      fix(write(B(4)), [], { session_id: 's2' }),
    );
    const end = await loopOf(repo);
    expect(end).toMatchObject({ code: 0, loop: { end: 'passed' } });
    expect(repo.calls('two').map(({ session }) => session)).toEqual([null, 's1', null]);
    expect(repo.calls('two')[2]?.prompt).toContain('# Fixing a change');
    expect(end.loop.rounds[1]?.fix?.dispatch).toBe('fresh');
  });

  test('that crashes: the output shows its error and the next step', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), PASS);
    repo.answers('two', { $exit: 3, $stderr: 'out of ideas', $run: write(B(3)) });
    const end = await untilPass(repo);
    expect(end.code).toBe(1);
    expect(end.stdout).toContain('Stopped: the fixer gave no answer (');
    expect(end.stdout).toContain('out of ideas');
    expect(end.stdout).toContain("The fixer's edits are in the working tree. Run again to continue.");
    expect(repo.log('fix_two.1.log').join('\n')).toContain('Status: ERROR');
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed' });
  });

  test('that takes longer than it may', async () => {
    const repo = fixRepo();
    repo.write(
      'onceover.yml',
      readFileSync(join(repo.root, 'onceover.yml'), 'utf8').replace('resume: true', 'resume: true, timeout: 1'),
    );
    repo.answers('one', objection(B(2)));
    repo.answers('two', { $run: `${write(B(3))}; sleep 20` });
    expect(await loopOf(repo)).toMatchObject({ code: 1, loop: { end: 'fixer-failed' } });
    expect(asked(repo)).toEqual([1, 1]);
  });

  test('a reviewer that cannot run ends the loop, because the fixer would get nothing new', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), { $exit: 1 });
    repo.answers('two', fix(write(B(3)), ['F1 fixed']), { $exit: 1 });
    const end = await loopOf(repo);
    expect([end.code, end.loop.end, end.loop.rounds.length]).toEqual([1, 'could-not-judge', 2]);
  });
});

describe('a fixer with a will of its own', () => {
  test('that commits: the change is the same', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), objection(B(3)), PASS);
    repo.answers('two', fix(`${write(B(3))}; git commit -qam fixed`), fix(`${write(B(4))}; git commit -qam more`));
    expect(await loopOf(repo)).toMatchObject({ code: 0, loop: { end: 'passed' } });
    expect(asked(repo)).toEqual([3, 2]);
  });

  test('that deletes the file: the deletion is reviewed', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), PASS);
    repo.answers('two', fix('rm src/a.ts', ['F1 fixed']));
    expect((await loopOf(repo)).code).toBe(0);
    expect(repo.calls('one')[1]?.prompt).toContain('deleted file mode');
  });

  test('that takes one gate out of the change: it is said', async () => {
    const review = (agent: string) => `{ prompt: .onceover/reviews/code-quality.md, agents: [${agent}] }`;
    const gates = `  - path: src\n    reviews: { own: ${review('one')} }\n  - path: lib\n    reviews: { own: ${review('three')} }`;
    const repo = fixRepo({ gates, agents: ['one', 'two', 'three'] });
    repo.write('lib/b.ts', 'export const c = 1;\n');
    repo.answers('one', objection(B(2)));
    repo.answers('two', fix('git checkout -q main -- src'));
    const end = await untilPass(repo);
    expect(end.code).toBe(0);
    expect(end.stdout).toContain(
      'review:src:own has nothing left to review: the fixer removed that part of the change.\nAll gates pass after 1 fix.',
    );
  });

  test('that edits what no gate covers: the file is named', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), PASS);
    repo.answers('two', fix(`${write(B(3))}; echo more >> README.md`, ['F1 fixed']));
    expect(await loopOf(repo)).toMatchObject({ code: 0, uncovered_files: ['README.md'] });
  });

  test('that changes a prompt and takes it back before it ends', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), PASS);
    const run = `cp onceover.yml ../kept; echo x >> onceover.yml; cp ../kept onceover.yml; ${write(B(3))}`;
    repo.answers('two', fix(run, ['F1 fixed']));
    expect(await loopOf(repo)).toMatchObject({ code: 0, loop: { end: 'passed' } });
  });

  test('that speaks of findings which it was not given is not heard', async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), PASS);
    repo.answers('two', fix(write(B(3)), ['F9 fixed', 'F1 declined', 'F1 fixed', '../F1 fixed']));
    const end = await loopOf(repo);
    expect(end.loop.rounds[0]?.fix).toMatchObject({ fixed: ['F1'], declined: [] });
    expect(existsSync(join(repo.root, '.git/onceover/findings/F9.said.json'))).toBe(false);
  });

  test("a waiver written while the fixer works is removed, because it may be the fixer's own, and a notice says so", async () => {
    const repo = fixRepo();
    repo.answers('one', objection(B(2)), objection(B(2)), PASS);
    // A person in a terminal writes this file while the fixer works.
    const at = '2026-01-01T00:00:00.000Z';
    const waiver = { how: 'skipped', why: 'leave it', at, iteration: 1, by: ANN, proposedBy: null };
    const waives = `echo '${JSON.stringify(waiver)}' > .git/onceover/findings/F1.said.json`;
    repo.answers('two', fix(waives, ['F1 declined']));
    const end = await loopOf(repo);
    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(/restored them: .*F1\.said\.json.*; if you made that change, repeat it/);
    const status = await onceover(repo.root, ['status', '--json']);
    expect(JSON.parse(status.stdout).findings).toMatchObject([{ id: 'F1', state: 'open' }]);
  });
});
