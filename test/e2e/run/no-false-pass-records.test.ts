import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type GateRepo, gateRepo } from '../../support/gates.ts';
import { alone, command, expectAsked, expectOpen, OBJECTION, objected, passed, waysUnder } from '../../support/ways.ts';

const way = waysUnder('Records that the author of the change writes');

const GATE = 'review_src_code-quality';
const byHand = (status: string, more: object = {}) => ({
  adapter: 'one',
  timestamp: '2026-01-01T00:00:00.000Z',
  status,
  rawOutput: '',
  violations: [],
  ...more,
});

way('A pass is written for the only reviewer.', async () => {
  const repo = alone();
  repo.writeRecord(`${GATE}_one@1.1.json`, byHand('pass'));
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('A pass is written for every reviewer of the gate.', async () => {
  const repo = gateRepo();
  for (const slot of [1, 2]) repo.writeRecord(`${GATE}_one@${slot}.1.json`, byHand('pass'));
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('It is written for every reviewer that it rests since an earlier pass.', async () => {
  const repo = gateRepo();
  const rests = byHand('skipped_prior_pass', { passIteration: 1 });
  for (const slot of [1, 2]) repo.writeRecord(`${GATE}_one@${slot}.2.json`, rests);
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('A record by hand makes a first look pass for a rerun, of which less is asked.', async () => {
  const repo = alone({ more: 'rerun_new_issue_threshold: critical' });
  repo.writeRecord(`${GATE}_one@1.1.json`, byHand('fail', { violations: [{ issue: 'x' }] }));
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('It is written that a reviewer rests which has failed exactly this.', async () => {
  const repo = gateRepo();
  repo.answers('two', { status: 'fail', violations: [], message: 'no' });
  expect((await repo.run()).code).toBe(1);
  repo.git('branch', '-m', 'other');
  repo.writeRecord(`${GATE}_two@2.7.json`, byHand('skipped_prior_pass', { passIteration: 3 }));
  expect((await command(repo, 'status')).code).toBe(1);
});

way('A pass is written with the highest number that there is.', async () => {
  const repo = alone();
  repo.answers('one', OBJECTION, OBJECTION);
  repo.writeRecord(`${GATE}_house@1.999999999.json`, byHand('pass'));
  expect((await repo.run()).code).toBe(1);
  expect((await repo.run()).code).toBe(1);
});

way('The record of a failing reviewer is edited into a pass.', async () => {
  const repo = await objected();
  const [name = ''] = repo.records().filter((one) => one.endsWith('.json'));
  repo.writeRecord(name, { ...repo.record(name), status: 'pass', violations: [] });
  await expectOpen(repo);
});

way('The record of one of several failing reviewers is edited into a pass.', async () => {
  const repo = gateRepo();
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  const name = `${GATE}_two@2.1.json`;
  repo.writeRecord(name, { ...repo.record(name), status: 'pass', violations: [] });
  await expectOpen(repo);
});

way('A record is edited so that it is about what is there now.', async () => {
  const repo = await passed();
  const [name = ''] = repo.records().filter((one) => one.endsWith('.json'));
  repo.write('src/a.ts', 'export const evil = 1;\n');
  expect((await repo.run()).code).toBe(1);
  const [failed = ''] = repo.records().filter((one) => one.endsWith('.2.json'));
  repo.writeRecord(failed, { ...repo.record(name), ...{ iteration: 2, content: repo.record(failed)['content'] } });
  expect((await repo.run()).code).toBe(1);
});

way('A record is cut off, or is no record at all.', async () => {
  const repo = gateRepo();
  repo.writeRecord(`${GATE}_one@1.1.json`, JSON.stringify(byHand('pass')).slice(0, 40));
  repo.writeRecord(`${GATE}_two@2.1.json`, '[]');
  repo.answers('one', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('A newer log has no record.', async () => {
  const repo = gateRepo();
  for (const slot of [1, 2]) {
    repo.writeRecord(`${GATE}_one@${slot}.1.json`, byHand('pass'));
    repo.writeRecord(`${GATE}_one@${slot}.2.log`, 'half of a log');
  }
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('Records are committed.', async () => {
  const repo = gateRepo();
  repo.writeRecord(`${GATE}_two@2.1.json`, byHand('pass'));
  repo.git('add', '-f', '.deepwork/logs');
  repo.commit();
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('Records are committed in a repository of their own in place of the folder.', async () => {
  const repo = gateRepo();
  repo.git('init', '-q', '.deepwork/logs');
  repo.writeRecord(`${GATE}_two@2.1.json`, byHand('pass'));
  repo.git('-C', '.deepwork/logs', 'add', '-f', '.');
  repo.git('-C', '.deepwork/logs', 'commit', '-q', '-m', 'records');
  repo.git('add', '-f', '.deepwork/logs');
  repo.commit();
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(3);
});

way('The folder of the records is a symlink.', async () => {
  const repo = alone();
  repo.write('elsewhere/note', '');
  repo.write('.deepwork/note', '');
  symlinkSync('../elsewhere', join(repo.root, '.deepwork/logs'));
  expect((await repo.run()).code).toBe(3);
});

way('The records cannot be written.', async () => {
  const repo = alone();
  repo.write('.deepwork/logs', 'a file in the way\n');
  expect((await repo.run()).code).toBe(3);
});

const receipts = (repo: GateRepo) => join(repo.root, '.git/onceover/receipts');
/** The files in which somebody's verdict is kept. */
const proofs = (repo: GateRepo) =>
  readdirSync(receipts(repo)).filter((name) => readFileSync(join(receipts(repo), name), 'utf8').includes('"verdict"'));

way('What proves a pass cannot be read or written.', async () => {
  const repo = await passed();
  rmSync(receipts(repo), { recursive: true });
  writeFileSync(receipts(repo), '');
  expect((await repo.run()).code).toBe(3);
});

way('The proof of a pass is copied to where that of other content is looked for.', async () => {
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

way('The proof of a pass is cut off.', async () => {
  const repo = await passed();
  const [name = ''] = proofs(repo);
  const path = join(receipts(repo), name);
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
  await expectAsked(repo);
});

way('What is known of a finding is cut off.', async () => {
  const repo = await objected();
  const path = join(repo.root, '.git/onceover/findings/F1.json');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
  expect((await repo.run()).code).toBe(3);
});

way('A waiver cannot be read.', async () => {
  const repo = await objected();
  writeFileSync(join(repo.root, '.git/onceover/findings/F1.said.json'), '{"how":"skipped"');
  await expectOpen(repo);
});

way('The pass of another repository is copied here.', async () => {
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
