import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onceover } from '../../support/cli.ts';
import { failing, type GateRepo, gateRepo } from '../../support/gates.ts';
import { asked, configure, edit, GATE, given, handRecord, slotRepo, slotsIn } from '../../support/slots.ts';
import { told } from '../../support/told.ts';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');
const one = (rest: string) => `review_src_code-quality_one@1.${rest}`;
const two = (rest: string) => `review_src_code-quality_two@2.${rest}`;

describe('records that nobody can rely on', () => {
  const isPass = JSON.stringify(handRecord('pass'));

  test.each<[string, (path: string) => void]>([
    ['no JSON', (path) => writeFileSync(path, 'pass\n')],
    ['no document', (path) => writeFileSync(path, `[${isPass}]`)],
    ['null', (path) => writeFileSync(path, 'null')],
    ['bytes that are no text', (path) => writeFileSync(path, Buffer.from([0xff, 0, 0xfe, 0]))],
    ['nested without end', (path) => writeFileSync(path, `{"status":"pass","violations":${'['.repeat(500_000)}`)],
    ['nested very deep', (path) => writeFileSync(path, `{"status":"pass","violations":[${deep(500_000)}]}`)],
    ['larger than any record', (path) => writeFileSync(path, isPass.replace('""', `"${'x'.repeat(33 << 20)}"`))],
    ['a folder', (path) => mkdirSync(path)],
    ['a FIFO', (path) => execFileSync('mkfifo', [path])],
    [
      'a symlink',
      (path) => {
        const elsewhere = join(dirname(path), '../../../pass.json');
        writeFileSync(elsewhere, isPass);
        symlinkSync(elsewhere, path);
      },
    ],
  ])('%s is no pass, and no failure of the run', async (_title, make) => {
    const repo = gateRepo();
    given(repo, { [one('1.json')]: 'pass', [two('2.json')]: 'fail' });
    make(join(repo.root, '.deepwork/logs', one('2.json')));
    const planned = await repo.run(['--dry-run']);
    expect(planned.stdout).toMatch(/Running @1: it has not passed\n +Running @2: it has not passed\n/);
    expect(planned.stderr).toBe('');
  });

  test('one that can be relied on lets the slot rest', async () => {
    const repo = gateRepo();
    given(repo, { [one('2.json')]: 'pass', [two('2.json')]: 'fail' });
    expect((await repo.run(['--dry-run'])).stdout).toContain('Skipping @1: previously passed in iteration 2');
  });

  test('names that are nobody’s count for nothing, and their files stay as they are', async () => {
    const names = ['one@0.1', 'one@-1.1', 'one@1.0', 'one@01.2', 'one@1.02', 'one@1.1e3', 'one@1', '@1.1', 'one@1.3.4']
      .map((name) => `review_src_code-quality_${name}.json`)
      .concat([
        'console.2.log',
        '.execution_state',
        'review_src_code-quality_one@1.99999999999999999999.json',
        'notes.md',
      ]);
    const repo = gateRepo();
    given(repo, Object.fromEntries(names.map((name) => [name, 'pass'])));
    const before = names.map((name) => repo.log(name));
    const run = await repo.document();
    expect([run.code, slotsIn(run), asked(repo)]).toEqual([0, ['@1 pass', '@2 pass'], ['one', 'two']]);
    expect(names.map((name) => repo.log(name))).toEqual(before);
  });

  test('those of another tool, of gates that are not here, only push the number of the iteration', async () => {
    const repo = gateRepo();
    given(repo, {
      'review_lib_security_codex@1.7.json': 'fail',
      'check_lib_lint.9.log': 'failed',
      'review_lib_security.3.json': { status: 'fail', verdicts: [] },
    });
    const run = await repo.document();
    expect(run).toMatchObject({ code: 0, iteration: 10 });
    const clean = await onceover(repo.root, ['clean']);
    // What is no record of ours by its name stays where it is, and its number is not given again.
    expect(repo.records()).toEqual(['previous', 'review_lib_security.3.json']);
    expect(clean.stdout).toContain('Archived the records of 10 iterations. The next run counts from 4:');
    expect((await onceover(repo.root, ['clean'])).stdout).toBe('There are no records to archive.\n');
  });
});

describe('records of our own that somebody changed', () => {
  test('a failure made a pass: what it found is open all the same, and it looks again', async () => {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD);
    await repo.run();
    repo.writeRecord(two('1.json'), { ...repo.record(two('1.json')), status: 'pass', violations: [] });
    const status = await onceover(repo.root, ['status']);
    expect([status.code, status.stdout]).toEqual([1, expect.stringContaining('F1 high: line 2')]);
    repo.forget();
    const run = await repo.document();
    expect([run.code, asked(repo), slotsIn(run)]).toEqual([1, ['two'], ['@1 skipped_prior_pass 1', '@2 fail']]);
  });

  test('all records gone: what is open stays open, what passed stays passed', async () => {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD);
    await repo.run();
    rmSync(join(repo.root, '.deepwork'), { recursive: true });
    const status = JSON.parse((await onceover(repo.root, ['status', '--json'])).stdout);
    expect(status).toMatchObject({ status: 'failed', findings: [{ id: 'F1', state: 'open' }] });
    const passed = slotRepo(['one', 'two']);
    await passed.run();
    rmSync(join(passed.root, '.deepwork'), { recursive: true });
    expect(await passed.document()).toMatchObject({ code: 0, status: 'passed', dispatches: 0 });
  });

  test('another gate, slot or iteration than the name of the file says: no pass', async () => {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD);
    await repo.run();
    edit(repo, 3);
    const record = repo.record(one('1.json'));
    for (const lie of [{ gate: 'review:lib:other' }, { slot: 2 }, { iteration: 9 }, { content: 7 }, { branch: 4 }]) {
      repo.writeRecord(one('1.json'), { ...record, ...lie });
      const { stdout } = await repo.run(['--dry-run']);
      expect.soft(stdout, JSON.stringify(lie)).toContain('Running @1');
    }
    repo.writeRecord(one('1.json'), record);
    expect((await repo.run(['--dry-run'])).stdout).toContain('Skipping @1');
  });
});

describe('what the clone keeps for itself, broken', () => {
  test('a finding that cannot be read: exit 3, never a pass', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    repo.answers('one', B_IS_ODD);
    await repo.run();
    const file = join(repo.root, '.git/onceover/findings/F1.json');
    for (const text of ['', 'F1', '{}', JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), id: 'F2' })]) {
      writeFileSync(file, text);
      expect.soft(told(await repo.run(), 3)).toContain('F1.json could not be read: not a finding.');
    }
    expect(repo.calls()).toHaveLength(1);
  });

  test('receipts: what they vouched for is reviewed again; lists of ours: made anew', async () => {
    const repo = gateRepo();
    await repo.run();
    const own = join(repo.root, '.git/onceover');
    for (const name of readdirSync(join(own, 'receipts')))
      writeFileSync(join(own, 'receipts', name), '{"verdict":"pass"}');
    for (const name of ['trusted.json', 'parsed.json', 'cooling.json']) writeFileSync(join(own, name), '{"a":');
    repo.forget();
    const run = await repo.document();
    expect([run.code, run.iteration, asked(repo)]).toEqual([0, 2, ['one']]);
    expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
  });

  test('the tree that a slot saw, gone: it is asked afresh, with what was open, and that is said', async () => {
    const repo = gateRepo({ agents: ['two'], numReviews: 1 });
    repo.write('src/long.ts', Array.from({ length: 300 }, (_, n) => `export const n${n} = ${n};\n`).join(''));
    repo.answers('two', { ...B_IS_ODD, session_id: 'kept' });
    await repo.run();
    const refs = repo.git('for-each-ref', '--format=%(refname)', 'refs/onceover', 'refs/worktree/onceover');
    for (const ref of refs.trim().split('\n')) repo.git('update-ref', '-d', ref);
    repo.git('gc', '-q', '--prune=now');
    edit(repo, 3);
    const { code, stderr } = await repo.document();
    const last = repo.calls().at(-1);
    expect([code, repo.calls().length, last?.session]).toEqual([0, 2, null]);
    expect(last?.prompt).toContain('F1');
    expect(stderr).toContain('RESUME-FALLBACK: ');
  });
});

describe('a clock that went back: everything kept is from the future', () => {
  const FUTURE = '2099-01-01T00:00:00.000Z';
  const TIME = /"20\d\d-\d\d-\d\dT[\d:.]+Z"/g;

  function toFuture(folder: string): void {
    for (const { name, parentPath } of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (!name.endsWith('.json')) continue;
      const path = join(parentPath, name);
      writeFileSync(path, readFileSync(path, 'utf8').replace(TIME, `"${FUTURE}"`));
    }
  }

  test('records, receipts and findings count by number and content, not by time', async () => {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD);
    await repo.run();
    toFuture(join(repo.root, '.deepwork/logs'));
    toFuture(join(repo.root, '.git/onceover'));
    expect(repo.record(one('1.json'))['timestamp']).toBe(FUTURE);
    edit(repo, 3);
    repo.forget();
    const run = await repo.document();
    expect([run.code, run.iteration, asked(repo)]).toEqual([0, 2, ['two']]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 1', '@2 pass']);
    toFuture(join(repo.root, '.git/onceover'));
    expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
  });

  test('a limit and locks of others that end in the far future hold nobody up', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    await repo.run(['--dry-run']);
    const own = join(repo.root, '.git/onceover');
    writeFileSync(join(own, 'cooling.json'), JSON.stringify([{ agent: 'one', until: FUTURE, said: 'limit' }]));
    await repo.run();
    const [tree = ''] = readdirSync(join(own, 'locks'));
    const owner = { pid: 1, startedAt: null, namespace: null, since: FUTURE, heartbeat: FUTURE };
    writeFileSync(join(own, 'locks', tree, '1.json'), JSON.stringify({ ...owner, host: 'elsewhere' }));
    const dead = { ...owner, pid: 999_999_999, host: hostname() };
    writeFileSync(join(own, 'locks', tree, '2.json'), JSON.stringify(dead));
    expect(await repo.document(['--fresh'])).toMatchObject({ code: 0, status: 'passed' });
    expect(readdirSync(join(own, 'locks', tree))).toEqual([]);
  });
});

describe('num_reviews and names that change between runs', () => {
  async function failedRepo(): Promise<GateRepo> {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD);
    await repo.run();
    repo.forget();
    return repo;
  }

  test('lowered: the finding of the slot that is no more stays open and is named, until it is waived', async () => {
    const repo = await failedRepo();
    configure(repo, 'num_reviews: 2', 'num_reviews: 1');
    const run = await repo.document();
    expect(run).toMatchObject({ code: 1, status: 'failed', findings: [{ id: 'F1', slot: 2, state: 'open' }] });
    expect(run.warnings).toEqual([
      `${GATE} no longer has a slot @2, which left F1 open: raise num_reviews again, or resolve them`,
    ]);
    await onceover(repo.root, ['resolve', 'F1', '--skip', 'it is even']);
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', warnings: [] });
  });

  test('raised: the new slot looks, those that passed rest', async () => {
    const repo = gateRepo();
    await repo.run();
    repo.forget();
    configure(repo, 'num_reviews: 2', 'num_reviews: 3');
    const run = await repo.document();
    expect([run.code, asked(repo)]).toEqual([0, ['one']]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 1', '@2 skipped_prior_pass 1', '@3 pass']);
  });

  test('a gate renamed: it is new, and what the old one found is open until somebody deals with it', async () => {
    const repo = await failedRepo();
    configure(repo, ' code-quality:', ' quality:');
    const run = await repo.document();
    expect([run.code, run.status, asked(repo)]).toEqual([1, 'failed', ['one', 'two']]);
    expect(run.gates).toMatchObject([{ id: 'review:src:quality', status: 'pass' }]);
    expect(run.findings).toMatchObject([{ id: 'F1', gate: GATE, state: 'open' }]);
    expect(run.warnings).toEqual([
      `there is no gate ${GATE} any more, and F1 is still open: bring it back, or resolve them`,
    ]);
    expect(await repo.document(['src'])).toMatchObject({ code: 1, findings: [{ id: 'F1' }] });
    expect(await repo.document(['--gate', 'quality'])).toMatchObject({ code: 0, findings: [] });
    expect((await onceover(repo.root, ['clean', '--json'])).stdout).toContain('"F1"');
    await onceover(repo.root, ['resolve', 'F1', '--skip', 'it is even']);
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', findings: [] });
  });

  test('a gate renamed: a finding that is said to be fixed is told so', async () => {
    const repo = await failedRepo();
    configure(repo, ' code-quality:', ' quality:');
    await onceover(repo.root, ['resolve', 'F1', '--fixed']);
    expect((await repo.document()).findings).toMatchObject([{ id: 'F1', state: 'fixed_claimed' }]);
  });
});

function deep(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}
