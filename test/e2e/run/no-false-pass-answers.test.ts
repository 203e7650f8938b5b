import { expect } from 'vitest';
import { failing, gateRepo, PASS, type ScriptedAnswer } from '../../support/gates.ts';
import { alone, command, OBJECTION, waysUnder } from '../../support/ways.ts';

const way = waysUnder('A reviewer that did not really answer');

/** Whatever it is asked, and however often, this is what comes. */
async function expectNoVerdict(answer: ScriptedAnswer, more = ''): Promise<void> {
  const repo = alone({ more });
  repo.answers('one', answer, answer, answer);
  const run = await repo.document();
  expect(run).toMatchObject({ code: 3, status: 'error', gates: [{ status: 'error', slots: [{ status: 'error' }] }] });
  expect((await command(repo, 'status')).code).toBe(1);
}

const PASSES = JSON.stringify(PASS);

way('It prints a pass and exits with 1.', () => expectNoVerdict({ ...PASS, $exit: 1 }));

way('It prints a pass and is killed.', () => expectNoVerdict({ $raw: PASSES, $run: 'kill -9 $PPID' }));

way('It takes longer than it may.', () => expectNoVerdict({ ...PASS, $sleep: 20_000 }, 'timeout: 1'));

way('It prints nothing.', () => expectNoVerdict({ $raw: '' }));

way('It prints prose that says "pass".', () => expectNoVerdict({ $raw: 'Everything is fine: status pass.' }));

way('Its answer is cut off in the middle.', () => expectNoVerdict({ $raw: PASSES.slice(0, -4) }));

way('Its answer is a pass, followed by one that is cut off.', () =>
  expectNoVerdict({ $raw: `${PASSES}\n{"status":"fail","violations":[{"file":` }),
);

way('It answers another question.', () => expectNoVerdict({ $raw: '{"approved":true,"issues":[],"summary":"fine"}' }));

way('Its status is none that was asked for.', () => expectNoVerdict({ $raw: '{"status":"passed","violations":[]}' }));

way('Its list of problems is no list.', () => expectNoVerdict({ $raw: '{"status":"pass","violations":"none"}' }));

way('A problem in its list is no problem that can be read.', () =>
  expectNoVerdict({ $raw: '{"status":"pass","violations":[{"file":"src/a.ts"}]}' }),
);

way('It passes and says that it used no output at all.', () =>
  expectNoVerdict({ ...PASS, usage: { input_tokens: 900, output_tokens: 0 } }),
);

way('It has reached its limit, and there is nobody else.', async () => {
  const repo = alone();
  repo.answers('one', { ...PASS, $exit: 1, $stderr: 'usage limit reached, try again in 3 hours' });
  expect(await repo.document()).toMatchObject({ code: 3, status: 'error' });
  expect(await repo.document()).toMatchObject({ code: 3, status: 'error' });
  expect(repo.calls()).toHaveLength(1);
});

way('It is not installed.', async () => {
  const repo = alone();
  repo.write(
    'onceover.yml',
    'agents: [gone]\nagent: { gone: { command: [no-such-reviewer] } }\n' +
      'gates: [{ path: src, reviews: { own: { prompt: .onceover/reviews/code-quality.md } } }]\n',
  );
  expect(await repo.document()).toMatchObject({ code: 3, status: 'error' });
});

way('One of two answers, and the other one cannot.', async () => {
  const repo = gateRepo({ agents: ['one', 'two'] });
  repo.answers('one', { $exit: 1 }, PASS);
  repo.answers('two', { $exit: 1 }, { $exit: 1 });
  const run = await repo.document();
  expect(run.code).toBe(3);
  expect(run.gates[0]?.slots.map(({ status }) => status).sort()).toEqual(['error', 'pass']);
});

way('The budget is used up before everybody was asked.', async () => {
  const repo = gateRepo({ more: 'budget: { dispatches: 1 }' });
  const run = await repo.document();
  expect(run).toMatchObject({ code: 3, status: 'error' });
  expect(repo.calls()).toHaveLength(1);
  expect(run.gates[0]?.slots.map(({ status, dispatch }) => `${status} ${dispatch}`).sort()).toEqual([
    'error none',
    'pass fresh',
  ]);
});

const lines = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `export const ${name}${i} = ${i};\n`).join('');

/** A change that does not fit into one prompt, but into two. */
const twoParts = { 'src/b.ts': '', 'src/c.ts': '' };

function inTwoParts(more = '') {
  const repo = alone({ files: twoParts, more });
  repo.write('src/b.ts', lines('b', 9_000));
  repo.write('src/c.ts', lines('c', 9_000));
  return repo;
}

way('The change is shown in two parts, and the second one fails.', async () => {
  const repo = inTwoParts();
  repo.answers('one', PASS, {
    status: 'fail',
    violations: [{ file: 'src/c.ts', line: 1, issue: 'x', priority: 'low' }],
  });
  expect(await repo.document()).toMatchObject({ code: 1 });
  expect(repo.calls()).toHaveLength(2);
});

way('The change is shown in two parts, and the second one is not answered.', async () => {
  const repo = inTwoParts();
  repo.answers('one', PASS, { $exit: 1 });
  expect(await repo.document()).toMatchObject({ code: 3 });
});

way('The change is shown in two parts, and the first one names the file of a finding in the second.', async () => {
  const repo = inTwoParts();
  repo.write('src/b.ts', `// See src/c.ts.\n${lines('b', 9_000)}`);
  repo.answers('one', PASS, failing('src/c.ts', 'export const c8 = 8;'));
  expect(await repo.document()).toMatchObject({ code: 1, findings: [{ id: 'F1', state: 'open' }] });
  repo.forget();
  repo.write('src/c.ts', `${lines('c', 9_000)}// The end.\n`);
  await repo.run();
  expect(repo.calls().map(({ prompt }) => prompt.includes('id: F1'))).toEqual([false, true]);
});

way('The first part fails without a word, and the second one reports what only warns.', async () => {
  const repo = inTwoParts('fail_on: high');
  const low = { status: 'fail', violations: [{ file: 'src/c.ts', line: 1, issue: 'x', priority: 'low' }] } as const;
  repo.answers('one', { status: 'fail', violations: [], message: 'It loses data.' }, low);
  expect(await repo.document()).toMatchObject({ code: 1 });
});

way('One file alone is longer than what can be shown.', async () => {
  const repo = alone();
  repo.write('src/a.ts', lines('a', 20_000));
  expect(await repo.document()).toMatchObject({ code: 3, status: 'error' });
  expect(repo.calls()).toEqual([]);
});

way('It failed so often that it is not asked any more.', async () => {
  const repo = alone({ more: 'max_retries: 0' });
  repo.answers('one', OBJECTION);
  expect((await repo.document()).code).toBe(1);
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 3;\n');
  expect(await repo.document()).toMatchObject({ code: 1, status: 'retry_limit_exceeded' });
  expect(repo.calls()).toHaveLength(1);
});

way('It failed too often, and what it objected to is no longer there.', async () => {
  const repo = alone({ more: 'max_retries: 0' });
  repo.write('src/new.ts', 'export const n = 1;\n');
  repo.answers('one', { status: 'fail', violations: [{ file: 'src/new.ts', line: 1, issue: 'x', priority: 'low' }] });
  expect((await repo.document()).code).toBe(1);
  repo.git('clean', '-qf', 'src');
  expect(await repo.document()).toMatchObject({ code: 1, status: 'retry_limit_exceeded', findings: [] });
});

way('Everybody has passed, and the one that looks once more cannot answer.', async () => {
  const gates =
    '  - path: src\n    checks: { own: { run: "true" } }\n' +
    '    reviews: { own: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 } }';
  const repo = alone({ gates });
  expect((await repo.run()).code).toBe(0);
  repo.write('README.md', '# More\n');
  repo.answers('one', { $exit: 1 });
  expect((await repo.run()).code).toBe(3);
});
