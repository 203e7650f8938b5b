import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo, waive } from '@onceover/testing/gates.ts';
import { asked, configure, edit, GATE, given, handRecord, slotRepo, slotsIn } from '@onceover/testing/slots.ts';
import { told } from '@onceover/testing/told.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');
const one = (rest: string) => `review_src_code-quality_one@1.${rest}`;
const two = (rest: string) => `review_src_code-quality_two@2.${rest}`;

describe('unreliable records', () => {
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
  ])('%s counts neither as a pass nor as an error', async (_title, make) => {
    const repo = gateRepo();
    given(repo, { [one('1.json')]: 'pass', [two('2.json')]: 'fail' });
    make(join(repo.root, '.deepwork/logs', one('2.json')));
    const planned = await repo.run(['--dry-run']);
    expect(planned.stdout).toMatch(
      /run reviewer 1: it had not passed before\n +run reviewer 2: it had not passed before\n/,
    );
    expect(planned.stderr).toBe('');
  });

  test('a reliable record lets onceover skip the slot', async () => {
    const repo = gateRepo();
    given(repo, { [one('2.json')]: 'pass', [two('2.json')]: 'fail' });
    expect((await repo.run(['--dry-run'])).stdout).toContain('skip reviewer 1: already passed in run 2');
  });

  test('files with foreign names are ignored and stay unchanged', async () => {
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

  test('records of other tools for unknown gates only raise the iteration number', async () => {
    const repo = gateRepo();
    given(repo, {
      'review_lib_security_codex@1.7.json': 'fail',
      'check_lib_lint.9.log': 'failed',
      'review_lib_security.3.json': { status: 'fail', verdicts: [] },
    });
    const run = await repo.document();
    expect(run).toMatchObject({ code: 0, iteration: 10 });
    const clean = await onceover(repo.root, ['clean']);
    // A file that is not named like a record stays, and its number is not used again.
    expect(repo.records()).toEqual(['previous', 'review_lib_security.3.json']);
    expect(clean.stdout).toContain('Archived the records of 10 runs.');
    expect((await onceover(repo.root, ['clean'])).stdout).toBe('There are no records to archive.\n');
  });
});

describe('modified records', () => {
  test('a fail changed to a pass: its finding stays open and the slot runs again', async () => {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD);
    await repo.run();
    repo.writeRecord(two('1.json'), { ...repo.record(two('1.json')), status: 'pass', violations: [] });
    const status = await onceover(repo.root, ['status']);
    expect([status.code, status.stdout]).toEqual([1, expect.stringContaining('F1  high      src/a.ts:2')]);
    repo.forget();
    const run = await repo.document();
    expect([run.code, asked(repo), slotsIn(run)]).toEqual([1, ['two'], ['@1 skipped_prior_pass 1', '@2 fail']]);
  });

  test('after all records are deleted, open findings stay open and passes stay valid', async () => {
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

  test('a record whose content contradicts its file name is not a pass', async () => {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD);
    await repo.run();
    edit(repo, 3);
    const record = repo.record(one('1.json'));
    for (const lie of [{ gate: 'review:lib:other' }, { slot: 2 }, { iteration: 9 }, { content: 7 }, { branch: 4 }]) {
      repo.writeRecord(one('1.json'), { ...record, ...lie });
      const { stdout } = await repo.run(['--dry-run']);
      expect.soft(stdout, JSON.stringify(lie)).toContain('run reviewer 1');
    }
    repo.writeRecord(one('1.json'), record);
    expect((await repo.run(['--dry-run'])).stdout).toContain('skip reviewer 1');
  });
});

describe('broken files in .git/onceover', () => {
  test('an unreadable finding: exit 3, never a pass', async () => {
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

  test('broken receipts cause new reviews, and broken lists are rebuilt', async () => {
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

  test('a lost snapshot starts a new session with the open findings, and the log says so', async () => {
    const repo = gateRepo({ agents: ['two'], numReviews: 1 });
    repo.write('src/long.ts', Array.from({ length: 300 }, (_, n) => `export const n${n} = ${n};\n`).join(''));
    repo.answers('two', { ...B_IS_ODD, session_id: 'kept' });
    await repo.run();
    const refs = repo.git('for-each-ref', '--format=%(refname)', 'refs/onceover');
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

describe('a clock that went back', () => {
  const FUTURE = '2099-01-01T00:00:00.000Z';
  const TIME = /"20\d\d-\d\d-\d\dT[\d:.]+Z"/g;

  function toFuture(folder: string): void {
    for (const { name, parentPath } of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (!name.endsWith('.json')) continue;
      const path = join(parentPath, name);
      writeFileSync(path, readFileSync(path, 'utf8').replace(TIME, `"${FUTURE}"`));
    }
  }

  test('does not matter: records, receipts and findings count by number and content', async () => {
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

  test('does not matter: cooldowns and locks from the far future do not block a run', async () => {
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

describe('settings that change between runs', () => {
  async function failedRepo(): Promise<GateRepo> {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD);
    await repo.run();
    repo.forget();
    return repo;
  }

  test('lower num_reviews: the finding of the removed slot stays open and is named until it is waived', async () => {
    const repo = await failedRepo();
    configure(repo, 'num_reviews: 2', 'num_reviews: 1');
    const run = await repo.document();
    expect(run).toMatchObject({ code: 1, status: 'failed', findings: [{ id: 'F1', slot: 2, state: 'open' }] });
    expect(run.warnings).toEqual([
      `${GATE} no longer has a reviewer 2, which left F1 open; raise num_reviews again, or resolve the findings`,
    ]);
    await waive(repo, 'F1', 'it is even');
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', warnings: [] });
  });

  test('higher num_reviews: the new slot runs, and slots that passed are skipped', async () => {
    const repo = gateRepo();
    await repo.run();
    repo.forget();
    configure(repo, 'num_reviews: 2', 'num_reviews: 3');
    const run = await repo.document();
    expect([run.code, asked(repo)]).toEqual([0, ['one']]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 1', '@2 skipped_prior_pass 1', '@3 pass']);
  });

  test('a renamed gate is new, and the findings of the old one stay open until they are resolved', async () => {
    const repo = await failedRepo();
    configure(repo, ' code-quality:', ' quality:');
    const run = await repo.document();
    expect([run.code, run.status, asked(repo)]).toEqual([1, 'failed', ['one', 'two']]);
    expect(run.gates).toMatchObject([{ id: 'review:src:quality', status: 'pass' }]);
    expect(run.findings).toMatchObject([{ id: 'F1', gate: GATE, state: 'open' }]);
    expect(run.warnings).toEqual([
      `gate ${GATE} no longer exists, but F1 is still open; restore the gate, or resolve the findings`,
    ]);
    expect(await repo.document(['src'])).toMatchObject({ code: 1, findings: [{ id: 'F1' }] });
    expect(await repo.document(['--gate', 'quality'])).toMatchObject({ code: 0, findings: [] });
    expect((await onceover(repo.root, ['clean', '--json'])).stdout).toContain('"F1"');
    await waive(repo, 'F1', 'it is even');
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', findings: [] });
  });

  test('a renamed gate: a finding that is marked as fixed keeps its state', async () => {
    const repo = await failedRepo();
    configure(repo, ' code-quality:', ' quality:');
    await onceover(repo.root, ['resolve', 'F1', '--fixed']);
    expect((await repo.document()).findings).toMatchObject([{ id: 'F1', state: 'fixed_claimed' }]);
  });
});

function deep(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}
