import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { openQualityCli } from '@onceover/onceover/src/index.ts';
import { thrownBy } from '@onceover/testing/quality.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { QualityGate } from '../../../src/workflows/quality/gate.ts';
import { type QualityDispatch, QualityGateError, type QualityReview } from '../../../src/workflows/quality/types.ts';

const CALL = { systemPrompt: 'Judge.', prompt: 'Outputs.', jsonSchema: answerSchema('quality'), timeoutSeconds: 20 };
const SPECS = { docs: { type: 'files' } } as const;

/** Variables of a pull request. They are unset, because the tests may run in a pull request. */
const PULL_REQUEST = [
  'GITHUB_EVENT_NAME',
  'GITHUB_BASE_REF',
  'BUILD_REASON',
  'CI_MERGE_REQUEST_IID',
  'BITBUCKET_PR_ID',
  'BUILDKITE_PULL_REQUEST',
  'CIRCLE_PULL_REQUEST',
  'TRAVIS_PULL_REQUEST',
  'CHANGE_ID',
  'DRONE_PULL_REQUEST',
];
beforeEach(() => {
  for (const name of PULL_REQUEST) vi.stubEnv(name, '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Creates a repository whose agent `checker` is this shell script. */
function repoWithChecker(script: string, files: Readonly<Record<string, string>> = {}, settings = '') {
  return repoWith({
    'onceover.yml': `${settings}agent:\n  checker: { command: [sh, checker.sh] }\n`,
    'checker.sh': script,
    ...files,
  });
}

describe('an agent from the settings as the cli', () => {
  test('judges in its own process in the root, with the prompt on standard input and the schema in a file [JOBS-REQ-004.2.1] [JOBS-REQ-004.2.3] [JOBS-REQ-004.2.4]', async () => {
    const repo = repoWithChecker(
      `cat > seen-input; pwd > seen-place; echo "$#" > seen-arguments; cat "$ONCEOVER_SCHEMA" > seen-schema
echo '{"passed": true, "feedback": "Good.", "usage": {"input_tokens": 7, "output_tokens": 2, "cost_usd": 0.5}}'`,
      { 'sub/a.md': 'This is a.\n' },
    );
    const dispatches: QualityDispatch[] = [];
    const cli = await openQualityCli({
      root: repo.root,
      agent: 'checker',
      onDispatch: (dispatch) => dispatches.push(dispatch),
    });
    const gate = new QualityGate({ cli });
    // Longer than an argument can be.
    const notes = 'Mind the gap. '.repeat(20_000);
    const evaluation = { outputs: { docs: 'a.md' }, projectRoot: join(repo.root, 'sub'), notes };
    expect(await gate.evaluate({ ...evaluation, qualityCriteria: { Clear: 'Is it clear?' } })).toEqual({
      passed: true,
      feedback: 'Good.',
      criteria_results: [],
    });
    const fileText = (name: string) => readFileSync(join(repo.root, `seen-${name}`), 'utf8');
    expect(fileText('input')).toMatch(/^# Quality Review\n\nYou are a reviewer\./);
    expect(fileText('input').endsWith(await gate.buildPayload(evaluation))).toBe(true);
    expect([fileText('place'), fileText('arguments')]).toEqual([`${repo.root}\n`, '0\n']);
    expect(JSON.parse(fileText('schema'))).toEqual(answerSchema('quality'));
    expect(dispatches).toEqual([
      {
        agent: 'checker',
        model: null,
        mode: 'fresh',
        usage: { inputTokens: 7, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 2, costUsd: 0.5 },
        durationMs: expect.any(Number),
        retries: 0,
        failure: null,
      },
    ]);
  });

  test('is killed with all its processes after the timeout', async () => {
    const repo = repoWithChecker('cat > /dev/null; (sleep 3; touch late) & sleep 30; touch late');
    const cli = await openQualityCli({ root: repo.root, agent: 'checker' });
    const startedAt = Date.now();
    const error = await thrownBy(() => cli.run({ ...CALL, timeoutSeconds: 1, cwd: repo.root }));
    expect(error).toMatchObject({ message: 'checker did not finish within 1 second', failure: { kind: 'timeout' } });
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 4000 - (Date.now() - startedAt))));
    expect(existsSync(join(repo.root, 'late'))).toBe(false);
  });

  test.each([
    ['ends with an error', 'echo broken >&2; exit 3', /^checker failed: .*broken/],
    ['says nothing', 'cat > /dev/null', /^checker gave an unreadable answer: it is empty$/],
    ['is cut off', `echo '{"passed": true, "feed'`, /^checker gave an unreadable answer: it is cut off$/],
    [
      'answers something else',
      `echo '{"passed": "yes"}'`,
      /^checker gave an unreadable answer: its JSON does not match/,
    ],
  ])('that %s gives no verdict', async (_, script, message) => {
    const repo = repoWithChecker(script, { 'a.md': '' });
    const gate = new QualityGate({ cli: await openQualityCli({ root: repo.root, agent: 'checker' }) });
    const evaluation = { outputs: { docs: 'a.md' }, projectRoot: repo.root, qualityCriteria: { Clear: 'Is it?' } };
    const error = await thrownBy(() => gate.evaluate(evaluation));
    expect(error).toBeInstanceOf(QualityGateError);
    expect((error as QualityGateError).cause).toMatchObject({
      message: expect.stringMatching(message),
      agent: 'checker',
    });
  });

  test('that does not exist is an error', async () => {
    const repo = repoWithChecker('');
    const cli = await openQualityCli({ root: repo.root, agent: 'missing' });
    expect(await thrownBy(() => cli.run({ ...CALL, cwd: repo.root }))).toMatchObject({
      message: 'missing could not be started (command: missing)',
    });
  });

  test('is the one of the base branch in a pull request that replaces it', async () => {
    const repo = repoWithChecker(`echo '{"passed": false, "feedback": "From the base branch."}'`, { 'a.md': '' });
    repo.git('update-ref', 'refs/remotes/origin/main', 'main');
    vi.stubEnv('GITHUB_BASE_REF', 'main');
    repo.write('checker.sh', `echo '{"passed": true, "feedback": ""}'`);
    const gate = new QualityGate({ cli: await openQualityCli({ root: repo.root, agent: 'checker' }) });
    const evaluation = { outputs: { docs: 'a.md' }, projectRoot: repo.root, qualityCriteria: { Clear: 'Is it?' } };
    expect(await gate.evaluate(evaluation)).toMatchObject({ passed: false, feedback: 'From the base branch.' });
  });

  test('judges only files of its own repository', async () => {
    const cli = await openQualityCli({ root: repoWithChecker('').root, agent: 'checker' });
    const folder = temporaryFolder();
    expect(await thrownBy(() => cli.run({ ...CALL, cwd: folder }))).toMatchObject({
      message: expect.stringMatching(/^This evaluator was opened for .*, and .* is outside of it\.$/),
    });
  });

  test.each<[string, () => Promise<unknown>, object]>([
    ['no repository', () => openQualityCli({ root: '/' }), { failure: { kind: 'not-a-repository' } }],
    [
      'broken settings',
      () => openQualityCli({ root: repoWithChecker('', {}, 'base: [').root }),
      { failure: { kind: 'broken-config' } },
    ],
    [
      'a concurrency of 0',
      () => openQualityCli({ root: repoWithChecker('').root, concurrency: 0 }),
      { message: 'concurrency is 0: give a whole number, 1 or more.' },
    ],
  ])('cannot be opened with %s', async (_, act, expected) => {
    expect(await thrownBy(act)).toMatchObject(expected);
  });
});

const CASES = ['pass', 'fail', 'criterion', 'half', 'crash', 'prose', 'cut', 'list', 'nothing'] as const;

/** A script that answers by the criterion in the prompt, and logs when it starts and ends. */
const CHECKER = `input=$(cat)
echo begin >> events
for r in R0 R1 R2; do case $input in *"**$r**"*) break ;; esac; done
rest=\${input#*"
$r="}
sleep 0.0$((\${#rest} % 5))
answer() { echo "{\\"passed\\": $1, \\"feedback\\": \\"$r\\", \\"criteria_results\\": [{\\"criterion\\": \\"$r\\", \\"passed\\": $2}$3]}"; }
case \${rest%%
*} in
  pass) answer true true ', {"criterion": "Short", "passed": true}' ;;
  fail) answer false false ;;
  criterion) answer true false ', {"criterion": "Short", "passed": true}' ;;
  half) answer true true ;;
  crash) echo end >> events; exit 9 ;;
  prose) echo 'All good, passed.' ;;
  cut) echo '{"passed": true, "feedback": "' ;;
  list) echo '[true]' ;;
  nothing) ;;
esac
echo end >> events
`;

test('accounts for every verdict of 15 files with 3 reviews, 8 at once, with all kinds of failures', async () => {
  const caseOf = (file: number, review: number) => CASES[(file * 3 + review * 7) % CASES.length] ?? 'pass';
  const paths = Array.from({ length: 15 }, (_, n) => `docs/${n}.md`);
  const content = (n: number) => [0, 1, 2].map((r) => `R${r}=${caseOf(n, r)}\n`).join('');
  const repo = repoWithChecker(
    CHECKER,
    Object.fromEntries(paths.map((path, n) => [path, `File ${n}:\n${content(n)}${'x'.repeat(n)}\n`])),
    'concurrency: 8\n',
  );
  const dispatches: QualityDispatch[] = [];
  const cli = await openQualityCli({
    root: repo.root,
    agent: 'checker',
    onDispatch: (dispatch) => dispatches.push(dispatch),
  });
  const reviews = [0, 1, 2].map<QualityReview>((r) => ({
    run_each: 'docs',
    quality_criteria: { [`R${r}`]: `Is it as ${r} says?`, Short: 'Is it short?' },
  }));
  const error = await thrownBy(() =>
    new QualityGate({ cli }).evaluateReviews({
      reviews,
      outputs: { docs: paths },
      outputSpecs: SPECS,
      projectRoot: repo.root,
    }),
  );
  if (!(error instanceof QualityGateError)) throw error;

  const verdicts = { pass: true, fail: false, criterion: false, half: false } as const;
  const expected = reviews.flatMap((_, r) => paths.map((path, n) => [path, `R${r}`, caseOf(n, r)] as const));
  const results = error.results.map(({ target_file, feedback, passed }) => [target_file, feedback.slice(0, 2), passed]);
  const verdictRows = expected.flatMap(([path, r, kind]) =>
    kind in verdicts ? [[path, r, verdicts[kind as keyof typeof verdicts]]] : [],
  );
  expect(results).toEqual(verdictRows);
  expect(error.errors.map(({ target_file }) => target_file)).toEqual(
    expected.filter(([, , kind]) => !(kind in verdicts)).map(([path]) => path),
  );
  expect(error.results.length + error.errors.length).toBe(45);
  const unreadable = expected.filter(([, , kind]) => ['prose', 'cut', 'list', 'nothing'].includes(kind));
  expect(dispatches.map(({ mode }) => mode).toSorted()).toEqual([
    ...expected.map(() => 'fresh'),
    ...unreadable.map(() => 'repair'),
  ]);
  expect(error.message).toMatch(new RegExp(`^${error.errors.length} of 45 evaluations have no verdict\\. The first: `));

  let running = 0;
  let peak = 0;
  for (const event of readFileSync(join(repo.root, 'events'), 'utf8').split('\n').slice(0, -1)) {
    running += event === 'begin' ? 1 : -1;
    peak = Math.max(peak, running);
  }
  expect(running).toBe(0);
  expect(peak).toBeLessThanOrEqual(8);
  expect(peak).toBeGreaterThan(1);
});
