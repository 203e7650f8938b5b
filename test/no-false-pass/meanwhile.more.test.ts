import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { CLI } from '../support/cli.ts';
import { gateRepo, PASS } from '../support/gates.ts';
import { alone, expectAsked, OBJECTION, waysUnder } from '../support/ways.ts';

const way = waysUnder('Edits and interruptions during a run');

const during = ($run: string) => ({ ...PASS, $run });
const STALE = { code: 3, gates: [{ status: 'error', slots: [{ status: 'error' }] }] } as const;

way('The file is edited during its review.', async () => {
  const repo = alone();
  repo.answers('one', during('echo "export const evil = 1;" >> src/a.ts'), OBJECTION);
  expect(await repo.document()).toMatchObject(STALE);
  repo.forget();
  await expectAsked(repo);
});

way('The file is edited and reverted during its review.', async () => {
  const repo = alone();
  repo.answers('one', during('cp -p src/a.ts ../kept && echo x > src/a.ts && cp -p ../kept src/a.ts'));
  expect(await repo.document()).toMatchObject(STALE);
});

way('The file is deleted during its review.', async () => {
  const repo = alone();
  repo.write('src/b.ts', 'export const c = 1;\n');
  repo.answers('one', during('rm src/a.ts'));
  expect(await repo.document()).toMatchObject(STALE);
});

way('A file is added during the review of the others.', async () => {
  const repo = alone();
  repo.answers('one', during('echo "export const evil = 1;" > src/new.ts'), OBJECTION);
  expect(await repo.document()).toMatchObject(STALE);
  repo.forget();
  await expectAsked(repo);
});

way('The prompt is edited during the review.', async () => {
  const repo = alone();
  repo.answers('one', during('echo other > .onceover/reviews/code-quality.md'));
  expect((await repo.run()).code).not.toBe(0);
});

way('Another branch is checked out during the review.', async () => {
  const repo = alone();
  repo.commit();
  repo.git('checkout', '-q', '-b', 'other', 'main');
  repo.write('src/a.ts', 'export const other = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.answers('one', during('git checkout -q other'));
  expect(await repo.document()).toMatchObject(STALE);
});

way('The code with the problem is removed during the review.', async () => {
  const repo = alone();
  repo.answers('one', { ...OBJECTION, $run: 'echo "export const c = 1;" > src/a.ts' });
  expect(await repo.document()).toMatchObject({ code: 1, findings: [{ state: 'open' }] });
});

way('One reviewer has passed, and its files are edited while another reviewer runs.', async () => {
  const review = '{ prompt: .onceover/reviews/code-quality.md, agents: ';
  const gates = `  - path: src\n    reviews: { own: ${review}[one] } }\n  - path: lib\n    reviews: { own: ${review}[two] } }`;
  const repo = gateRepo({ gates, more: 'concurrency: 1' });
  repo.write('lib/b.ts', 'export const c = 1;\n');
  repo.answers('two', during('echo "export const evil = 1;" >> src/a.ts'));
  const run = await repo.document();
  expect(run.code).toBe(3);
  expect(run.gates).toMatchObject([{ status: 'error', why: 'changed-meanwhile' }, { status: 'pass' }]);
});

way('A check has passed, and a file that no reviewer sees is edited while the reviewers run.', async () => {
  const repo = alone({
    gates:
      '  - path: src\n    checks: { own: { run: "true" } }\n' +
      '    reviews: { own: { prompt: .onceover/reviews/code-quality.md } }',
  });
  repo.answers('one', during('echo more >> README.md'));
  expect(await repo.document()).toMatchObject({
    code: 3,
    gates: [{ status: 'error', why: 'changed-meanwhile' }, { status: 'pass' }],
  });
});

// The run is the parent process of the reviewer.
const signalTheRun = (signal: string) => `kill -${signal} $(ps -o ppid= -p $PPID)`;

way('The run is killed while a reviewer runs.', async () => {
  const repo = alone();
  repo.answers('one', during(signalTheRun('KILL')), OBJECTION);
  expect((await repo.run()).code).toBe(null);
  repo.forget();
  await expectAsked(repo);
});

way('The run is interrupted while a reviewer runs.', async () => {
  const repo = alone();
  repo.answers('one', { ...during(signalTheRun('INT')), $sleep: 20_000 }, OBJECTION);
  expect((await repo.run()).code).toBe(130);
  repo.forget();
  await expectAsked(repo);
});

way('A second run starts during the first one.', async () => {
  const repo = alone();
  const second = `env -u ONCEOVER_ACTIVE ${process.execPath} ${CLI} run; echo $? > ../second`;
  repo.answers('one', during(second));
  expect((await repo.run()).code).toBe(0);
  expect(readFileSync(join(dirname(repo.root), 'second'), 'utf8')).toBe('3\n');
  expect(repo.calls()).toHaveLength(1);
});

way('A reviewer starts a run itself.', async () => {
  const repo = alone();
  repo.answers('one', during(`${process.execPath} ${CLI} run; echo $? > ../inner`));
  expect((await repo.run()).code).toBe(0);
  expect(readFileSync(join(dirname(repo.root), 'inner'), 'utf8')).toBe('3\n');
  expect(repo.calls()).toHaveLength(1);
});

way('A file is edited right after the run and keeps its length.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 9;\n');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});
