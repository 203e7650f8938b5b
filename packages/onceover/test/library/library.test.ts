import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { ExplainDocument } from '@onceover/gates/explain/json';
import { CLI } from '@onceover/testing/cli.ts';
import { APPROVED, featureRepo, objects } from '@onceover/testing/phase/feature-repo.ts';
import { cleanEnvironment, repoWith, ruleText, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as Library from '../../src/index.ts';

const INDEX = pathToFileURL(resolve(dirname(CLI), 'index.mjs')).href;
const FOLDER = '.deepwork/tmp/review_instructions';

let library: typeof Library;
beforeAll(async () => {
  library = (await import(/* @vite-ignore */ INDEX)) as typeof Library;
});

function changedRepo(): TestRepo {
  const repo = repoWith({ '.deepreview': ruleText('check', { more: '    agent: {codex: auditor}\n' }) });
  for (const name of ['a.py', 'b.py']) repo.write(name, name);
  return repo;
}

function hash12(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 12);
}

describe('reviewId', () => {
  test.each([
    ['a rule name is kept', 'my_rule-1.x', 'a.py', `my_rule-1.x--a.py--${hash12('x')}`],
    ['other characters are replaced', 'a b/ä:😀', 'a.py', `a-b------a.py--${hash12('x')}`],
    ['a path', 'r', 'a/b/c.py', `r--a-b-c.py--${hash12('x')}`],
  ])('%s [REVIEW-REQ-009.1.1] [REVIEW-REQ-009.1.2] [REVIEW-REQ-009.1.3]', (_, rule, path, id) => {
    expect(library.reviewId(rule, [{ path, content: 'x' }])).toBe(id);
    expect(library.reviewId({ name: rule }, [{ path, content: Buffer.from('x') }])).toBe(id);
  });

  const requirements = '[REVIEW-REQ-009.1.4] [REVIEW-REQ-009.1.5] [REVIEW-REQ-009.1.6]';
  test(`sorts files itself, and accepts null for an unreadable file ${requirements}`, () => {
    const files = [
      { path: 'b.py', content: null },
      { path: 'a.py', content: Buffer.from([0xff]) },
    ];
    const id = `r--a.py_AND_b.py--${hash12(Buffer.from([0xff]), 'MISSING')}`;
    expect([library.reviewId('r', files), library.reviewId('r', files.reverse())]).toEqual([id, id]);
  });

  test('is the id in the instructions', async () => {
    const repo = changedRepo();
    const tasks = await library.writeInstructionFiles({ root: repo.root });
    const ids = ['a.py', 'b.py'].map((path) => library.reviewId('check', [{ path, content: path }]));
    expect(tasks.map((task) => task.review_id)).toEqual(ids);
  });
});

test('writeInstructionFiles returns the open tasks [REVIEW-REQ-009.3.2] [REVIEW-REQ-009.3.3]', async () => {
  const repo = changedRepo();
  const tasks = await library.writeInstructionFiles({ root: repo.root, platform: 'codex' });
  expect(tasks.map((task) => [task.files, task.agent])).toEqual([
    [['a.py'], 'auditor'],
    [['b.py'], 'auditor'],
  ]);
  for (const [i, { review_id, instruction_file }] of tasks.entries()) {
    expect(existsSync(join(repo.root, instruction_file))).toBe(true);
    const receipt = await library.markReviewAsPassed(review_id, { root: repo.root });
    expect(receipt).toEqual({ review_id, marked: true, instructions_known: true });
    expect(statSync(join(repo.root, FOLDER, `${review_id}.passed`)).size).toBe(0);
    const openTasks = await library.writeInstructionFiles({ root: repo.root, platform: 'codex' });
    expect(openTasks).toEqual(tasks.slice(i + 1));
  }
  const { skipped } = await library.instructions({ root: repo.root });
  expect(skipped.map((review) => review.review_id)).toEqual(tasks.map((task) => task.review_id));
});

test('instructions takes files and a base', async () => {
  const repo = changedRepo();
  repo.commit();
  repo.write('c.py', '');
  const options = [{}, { files: ['b.py'] }, { files: [] }, { base: 'HEAD' }];
  const answers = await Promise.all(options.map((settings) => library.instructions({ root: repo.root, ...settings })));
  expect(answers.map(({ tasks }) => tasks.flatMap((task) => task.files))).toEqual([
    ['a.py', 'b.py', 'c.py'],
    ['b.py'],
    [],
    ['c.py'],
  ]);
});

test('configuredReviews lists all rules, passed or not [REVIEW-REQ-009.6.1]', async () => {
  const { root } = changedRepo();
  const [task] = await library.writeInstructionFiles({ root });
  const before = await library.configuredReviews({ root });
  await library.markReviewAsPassed(task?.review_id ?? '', { root });
  expect(await library.configuredReviews({ root })).toEqual(before);
  expect(before.rules).toEqual([{ name: 'check', description: 'Checks check.', defining_file: '.deepreview:1' }]);
  expect((await library.configuredReviews({ root, files: ['x.txt'] })).rules).toEqual([]);
});

test('explain returns the reasons', async () => {
  const { root } = changedRepo();
  const [task] = await library.writeInstructionFiles({ root });
  const id = task?.review_id ?? '';
  const before = (await library.explain(id, { root })) as ExplainDocument;
  await library.markReviewAsPassed(id, { root });
  const after = (await library.explain(id, { root })) as ExplainDocument;
  expect([before.state, after.state, after.passed_by]).toEqual(['to-do', 'skipped', 'library']);
  expect(Date.now() - Date.parse(after.passed_at ?? '')).toBeLessThan(60_000);
});

test.each<[string, (root: string) => Promise<unknown>, object]>([
  ['not-a-repository', () => library.instructions({ root: '/' }), { folder: '/' }],
  ['unknown-base', (root) => library.instructions({ root, base: 'nope' }), { base: 'nope' }],
  ['path-outside', (root) => library.configuredReviews({ root, files: ['../x'] }), { path: '../x' }],
  ['bad-review-id', (root) => library.markReviewAsPassed('', { root }), { why: 'empty' }],
  ['bad-review-id', (root) => library.markReviewAsPassed('a\0b', { root }), { why: 'nul' }],
  ['bad-review-id', (root) => library.markReviewAsPassed('../x', { root }), { why: 'dots' }],
  ['unknown-subject', (root) => library.explain('x--y', { root }), { name: 'x--y' }],
])('an expected failure is an OnceoverError: %s', async (kind, act, facts) => {
  const { root } = repoWith({ '.deepreview': ruleText('check') });
  const error: unknown = await act(root).catch((reason: unknown) => reason);
  if (!(error instanceof library.OnceoverError)) throw new Error('no OnceoverError was thrown');
  expect(error.failure).toMatchObject({ kind, ...facts });
  expect([error.name, error.message]).toEqual(['OnceoverError', expect.stringMatching(/^.+\n.+$/)]);
  expect(readdirSync(root).sort()).toEqual(['.deepreview', '.git']);
});

test('importing the library starts and writes nothing, and keeps no process alive', async () => {
  const repo = repoWith({ '.deepreview': ruleText('check') });
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', WATCHED_IMPORT],
    {
      cwd: repo.root,
      env: { ...cleanEnvironment(temporaryFolder()), INDEX },
      timeout: 10_000,
    },
  );
  const [callsOfImport, callsOfUse] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
  expect([callsOfImport, stderr]).toEqual([[], '']);
  expect(callsOfUse).toContain('spawn');
  expect(callsOfUse).toContain('writeFileSync');
});

/** Records starts and writes: first during the import alone, then during a call, to prove that the recorder works. */
const WATCHED_IMPORT = `
  import child from 'node:child_process';
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const seen = [];
  const watch = (owner, name) => {
    const own = owner[name];
    owner[name] = (...args) => { seen.push(name); return own.apply(owner, args); };
  };
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) watch(child, name);
  for (const name of ['writeFileSync', 'writeFile', 'mkdirSync', 'mkdir', 'renameSync', 'rmSync']) watch(fs, name);
  syncBuiltinESMExports();
  const library = await import(process.env.INDEX);
  console.log(JSON.stringify(seen));
  await library.configuredReviews();
  console.log(JSON.stringify(seen));
`;

describe('phase', () => {
  test('a dry run, then a review and its verdict, with progress events', async () => {
    const repo = featureRepo();
    repo.answers('two', APPROVED, objects('The next phase lacks a limit.'));
    const preview = await library.previewPhase('specify', 'docs/f', { root: repo.root });
    expect(preview).toMatchObject({ artifact: 'docs/f/spec.md', dispatches: [{ role: 'spec-reviewer' }] });
    expect(repo.calls()).toEqual([]);
    const kinds: string[] = [];
    const onEvent = (event: Library.Event) => void kinds.push(event.kind);
    const outcome: Library.PhaseDocument = await library.phase('specify', 'docs/f', { root: repo.root, onEvent });
    expect(outcome).toMatchObject({ status: 'needs_work', end: 'not-fixed', exit_code: 1 });
    expect(outcome.open_issues.map(({ role }) => role)).toEqual(['phase-reviewer']);
    expect(kinds.filter((kind) => kind !== 'look-active')).toEqual([
      'round-started',
      'look-started',
      'look-ended',
      'round-started',
      'look-started',
      'look-ended',
    ]);
  });

  test('a failure is thrown with its kind', async () => {
    const repo = featureRepo();
    await expect(library.phase('design', 'nowhere', { root: repo.root })).rejects.toMatchObject({
      failure: { kind: 'no-feature' },
    });
  });
});
