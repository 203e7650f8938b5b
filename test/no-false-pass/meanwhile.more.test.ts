import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI } from '@onceover/testing/cli.ts';
import { gateRepo, PASS } from '@onceover/testing/gates.ts';
import { alone, expectAsked, OBJECTION, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Edits and interruptions during a run');

const during = ($run: string) => ({ ...PASS, $run });
const STALE = { code: 3, gates: [{ status: 'error', slots: [{ status: 'error' }] }] } as const;

way('Someone edits a file while a reviewer reviews it.', async () => {
  const repo = alone();
  repo.answers('one', during('echo "export const evil = 1;" >> src/a.ts'), OBJECTION);
  expect(await repo.document()).toMatchObject(STALE);
  repo.forget();
  await expectAsked(repo);
});

way('Someone edits a file and reverts the edit while a reviewer reviews the file.', async () => {
  const repo = alone();
  repo.answers('one', during('cp -p src/a.ts ../kept && echo x > src/a.ts && cp -p ../kept src/a.ts'));
  expect(await repo.document()).toMatchObject(STALE);
});

way('Someone deletes a file while a reviewer reviews it.', async () => {
  const repo = alone();
  repo.write('src/b.ts', 'export const c = 1;\n');
  repo.answers('one', during('rm src/a.ts'));
  expect(await repo.document()).toMatchObject(STALE);
});

way('Someone adds a file while a reviewer reviews the other files.', async () => {
  const repo = alone();
  repo.answers('one', during('echo "export const evil = 1;" > src/new.ts'), OBJECTION);
  expect(await repo.document()).toMatchObject(STALE);
  repo.forget();
  await expectAsked(repo);
});

way('Someone edits the prompt while the reviewer runs.', async () => {
  const repo = alone();
  repo.answers('one', during('echo other > .onceover/reviews/code-quality.md'));
  expect((await repo.run()).code).not.toBe(0);
});

way('Someone checks out another branch while the reviewer runs.', async () => {
  const repo = alone();
  repo.commit();
  repo.git('checkout', '-q', '-b', 'other', 'main');
  repo.write('src/a.ts', 'export const other = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.answers('one', during('git checkout -q other'));
  expect(await repo.document()).toMatchObject(STALE);
});

way('Someone removes the code with the problem while the reviewer runs.', async () => {
  const repo = alone();
  repo.answers('one', { ...OBJECTION, $run: 'echo "export const c = 1;" > src/a.ts' });
  expect(await repo.document()).toMatchObject({ code: 1, findings: [{ state: 'open' }] });
});

way('One reviewer has passed, and someone edits the files of this reviewer while another reviewer runs.', async () => {
  const review = '{ prompt: .onceover/reviews/code-quality.md, agents: ';
  const gates = `  - path: src\n    reviews: { own: ${review}[one] } }\n  - path: lib\n    reviews: { own: ${review}[two] } }`;
  const repo = gateRepo({ gates, more: 'concurrency: 1' });
  repo.write('lib/b.ts', 'export const c = 1;\n');
  repo.answers('two', during('echo "export const evil = 1;" >> src/a.ts'));
  const run = await repo.document();
  expect(run.code).toBe(3);
  expect(run.gates).toMatchObject([{ status: 'error', why: 'changed-meanwhile' }, { status: 'pass' }]);
});

way('A check has passed, and someone edits a file that no reviewer sees while the reviewers run.', async () => {
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

way('Someone kills the run (SIGKILL) while a reviewer runs.', async () => {
  const repo = alone();
  repo.answers('one', during(signalTheRun('KILL')), OBJECTION);
  expect((await repo.run()).code).toBe(null);
  repo.forget();
  await expectAsked(repo);
});

way('Someone interrupts the run (Ctrl-C) while a reviewer runs.', async () => {
  const repo = alone();
  repo.answers('one', { ...during(signalTheRun('INT')), $sleep: 20_000 }, OBJECTION);
  expect((await repo.run()).code).toBe(130);
  repo.forget();
  await expectAsked(repo);
});

way('A process that the run waits for never reports its end.', async () => {
  const repo = alone();
  const lost = `const { EventEmitter } = require('node:events');
const { PassThrough } = require('node:stream');
require('node:child_process').spawn = () =>
  Object.assign(new EventEmitter(), { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() });`;
  const file = join(dirname(repo.root), 'lost.cjs');
  writeFileSync(file, lost);
  const end = await repo.run([], { env: { NODE_OPTIONS: `--require=${file}` } });
  expect([end.code, end.stderr]).toEqual([3, expect.stringContaining('ended before its work was done')]);
});

way('Someone starts a second run during the first one.', async () => {
  const repo = alone();
  const second = `env -u ONCEOVER_ACTIVE ${process.execPath} ${CLI} run; echo $? > ../second`;
  repo.answers('one', during(second));
  expect((await repo.run()).code).toBe(0);
  expect(readFileSync(join(dirname(repo.root), 'second'), 'utf8')).toBe('3\n');
  expect(repo.calls()).toHaveLength(1);
});

way('A reviewer itself starts "onceover run".', async () => {
  const repo = alone();
  repo.answers('one', during(`${process.execPath} ${CLI} run; echo $? > ../inner`));
  expect((await repo.run()).code).toBe(0);
  expect(readFileSync(join(dirname(repo.root), 'inner'), 'utf8')).toBe('3\n');
  expect(repo.calls()).toHaveLength(1);
});

way('Someone edits a file right after the run, and the length of the file stays the same.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 9;\n');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});
