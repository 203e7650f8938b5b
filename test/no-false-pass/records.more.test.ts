import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import {
  alone,
  command,
  expectAsked,
  expectOpen,
  OBJECTION,
  objected,
  passed,
  waysUnder,
} from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Forged or damaged results');

const GATE = 'review_src_code-quality';
const byHand = (status: string, more: object = {}) => ({
  adapter: 'one',
  timestamp: '2026-01-01T00:00:00.000Z',
  status,
  rawOutput: '',
  violations: [],
  ...more,
});

way('Someone writes a file with the result that the only reviewer passed.', async () => {
  const repo = alone();
  repo.writeRecord(`${GATE}_one@1.1.json`, byHand('pass'));
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('Someone writes files with the result that every reviewer of the gate passed.', async () => {
  const repo = gateRepo();
  for (const slot of [1, 2]) repo.writeRecord(`${GATE}_one@${slot}.1.json`, byHand('pass'));
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('Someone writes files with the result that every reviewer is skipped because of an earlier pass.', async () => {
  const repo = gateRepo();
  const rests = byHand('skipped_prior_pass', { passIteration: 1 });
  for (const slot of [1, 2]) repo.writeRecord(`${GATE}_one@${slot}.2.json`, rests);
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way(
  'Someone writes the result of an earlier review, so that `rerun_new_issue_threshold` applies to the first review.',
  async () => {
    const repo = alone({ more: 'rerun_new_issue_threshold: critical' });
    repo.writeRecord(`${GATE}_one@1.1.json`, byHand('fail', { violations: [{ issue: 'x' }] }));
    repo.answers('one', OBJECTION);
    await expectAsked(repo);
  },
);

way('Someone writes the result that a reviewer is skipped, but the reviewer failed exactly this code.', async () => {
  const repo = gateRepo();
  repo.answers('two', { status: 'fail', violations: [], message: 'no' });
  expect((await repo.run()).code).toBe(1);
  repo.git('branch', '-m', 'other');
  repo.writeRecord(`${GATE}_two@2.7.json`, byHand('skipped_prior_pass', { passIteration: 3 }));
  expect((await command(repo, 'status')).code).toBe(1);
});

way('Someone writes the result that a reviewer passed, with the highest possible run number.', async () => {
  const repo = alone();
  repo.answers('one', OBJECTION, OBJECTION);
  repo.writeRecord(`${GATE}_house@1.999999999.json`, byHand('pass'));
  expect((await repo.run()).code).toBe(1);
  expect((await repo.run()).code).toBe(1);
});

way('Someone changes the stored result of a failing reviewer to a pass.', async () => {
  const repo = await objected();
  const [name = ''] = repo.records().filter((one) => one.endsWith('.json'));
  repo.writeRecord(name, { ...repo.record(name), status: 'pass', violations: [] });
  await expectOpen(repo);
});

way('One of several reviewers failed, and someone changes the stored result of this reviewer to a pass.', async () => {
  const repo = gateRepo();
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  const name = `${GATE}_two@2.1.json`;
  repo.writeRecord(name, { ...repo.record(name), status: 'pass', violations: [] });
  await expectOpen(repo);
});

way('Someone changes the stored result of an old pass, so that the result refers to the current code.', async () => {
  const repo = await passed();
  const [name = ''] = repo.records().filter((one) => one.endsWith('.json'));
  repo.write('src/a.ts', 'export const evil = 1;\n');
  expect((await repo.run()).code).toBe(1);
  const [failed = ''] = repo.records().filter((one) => one.endsWith('.2.json'));
  repo.writeRecord(failed, { ...repo.record(name), ...{ iteration: 2, content: repo.record(failed)['content'] } });
  expect((await repo.run()).code).toBe(1);
});

way('A file with a stored result is cut off, or contains something else.', async () => {
  const repo = gateRepo();
  repo.writeRecord(`${GATE}_one@1.1.json`, JSON.stringify(byHand('pass')).slice(0, 40));
  repo.writeRecord(`${GATE}_two@2.1.json`, '[]');
  repo.answers('one', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('The log of a newer run exists, and the stored result of that run is missing.', async () => {
  const repo = gateRepo();
  for (const slot of [1, 2]) {
    repo.writeRecord(`${GATE}_one@${slot}.1.json`, byHand('pass'));
    repo.writeRecord(`${GATE}_one@${slot}.2.log`, 'half of a log');
  }
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('Someone commits stored results that say that a reviewer passed.', async () => {
  const repo = gateRepo();
  repo.writeRecord(`${GATE}_two@2.1.json`, byHand('pass'));
  repo.git('add', '-f', '.deepwork/logs');
  repo.commit();
  const run = await repo.run();
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('git rm -r --cached')]);
  repo.git('rm', '-q', '--cached', '-r', '.deepwork');
  repo.git('commit', '-q', '-m', 'without records');
  rmSync(join(repo.root, '.deepwork'), { recursive: true });
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way(
  'Someone replaces the folder of the stored results by a nested git repository with committed results.',
  async () => {
    const repo = gateRepo();
    repo.git('init', '-q', '.deepwork/logs');
    repo.writeRecord(`${GATE}_two@2.1.json`, byHand('pass'));
    repo.git('-C', '.deepwork/logs', 'add', '-f', '.');
    repo.git('-C', '.deepwork/logs', 'commit', '-q', '-m', 'records');
    repo.git('add', '-f', '.deepwork/logs');
    repo.commit();
    repo.answers('two', OBJECTION);
    expect((await repo.run()).code).toBe(2);
  },
);

way('Someone replaces the folder of the stored results by a symlink.', async () => {
  const repo = alone();
  repo.write('elsewhere/note', '');
  repo.write('.deepwork/note', '');
  symlinkSync('../elsewhere', join(repo.root, '.deepwork/logs'));
  expect((await repo.run()).code).toBe(3);
});

way('onceover cannot write its stored results.', async () => {
  const repo = alone();
  repo.write('.deepwork/logs', 'a file in the way\n');
  expect((await repo.run()).code).toBe(3);
});

const receipts = (repo: GateRepo) => join(repo.root, '.git/onceover/receipts');
/** Returns the files that store verdicts. */
const proofs = (repo: GateRepo) =>
  readdirSync(receipts(repo)).filter((name) => readFileSync(join(receipts(repo), name), 'utf8').includes('"verdict"'));

way.inFiles('onceover cannot read or write the proof of a pass.', async () => {
  const repo = await passed();
  rmSync(receipts(repo), { recursive: true });
  writeFileSync(receipts(repo), '');
  expect((await repo.run()).code).toBe(3);
});

way.inFiles('Someone copies the proof of a pass to the file name that belongs to other code.', async () => {
  const repo = await passed();
  const [before = ''] = proofs(repo);
  const proof = readFileSync(join(receipts(repo), before), 'utf8');
  repo.write('src/a.ts', 'export const evil = 1;\n');
  expect((await repo.run()).code).toBe(1);
  const [after = ''] = proofs(repo).filter((name) => name !== before);
  writeFileSync(join(receipts(repo), after), proof);
  repo.git('checkout', '-q', '-b', 'other');
  rmSync(join(repo.root, '.git/onceover/findings'), { recursive: true });
  repo.forget();
  await expectAsked(repo);
});

way.inFiles('The file with the proof of a pass is cut off.', async () => {
  const repo = await passed();
  const [name = ''] = proofs(repo);
  const path = join(receipts(repo), name);
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
  await expectAsked(repo);
});

way.inFiles('The file with a stored finding is cut off.', async () => {
  const repo = await objected();
  const path = join(repo.root, '.git/onceover/findings/F1.json');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
  expect((await repo.run()).code).toBe(3);
});

way.inFiles('onceover cannot read the file with a waiver.', async () => {
  const repo = await objected();
  writeFileSync(join(repo.root, '.git/onceover/findings/F1.said.json'), '{"how":"skipped"');
  await expectOpen(repo);
});

way('Someone copies the stored passes of another repository into this repository.', async () => {
  const other = alone();
  expect((await other.run()).code).toBe(0);
  const repo = alone();
  for (const name of other.records()) {
    repo.writeRecord(name, readFileSync(join(other.root, '.deepwork/logs', name), 'utf8'));
  }
  repo.write('src/a.ts', 'export const evil = 1;\n');
  repo.answers('one', OBJECTION);
  expect(dirname(repo.root)).not.toBe(dirname(other.root));
  await expectAsked(repo);
});

/** Changes one bit of a file, in the last place at which it has this text. */
function flipBit(path: string, text: string): void {
  const bytes = readFileSync(path);
  const at = bytes.lastIndexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

way('A cached answer of git, or a copy of the settings in the cache, has one wrong bit.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  repo.write('src/a.ts', 'export const evil = 1;\n');
  expect((await command(repo, 'status')).code).toBe(1);
  const folder = join(repo.root, '.git/onceover/answers');
  for (const name of readdirSync(folder)) flipBit(join(folder, name), 'src/a.ts');
  for (const text of ['code-quality', '{', '"gates"']) {
    flipBit(join(repo.root, '.git/onceover/parsed.json'), text);
    expect((await command(repo, 'status')).code).toBe(1);
  }
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});
