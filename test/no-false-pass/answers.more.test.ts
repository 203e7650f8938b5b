import { failing, gateRepo, PASS, type ScriptedAnswer } from '@onceover/testing/gates.ts';
import { alone, command, OBJECTION, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Reviewers that give no valid answer');

/** Lets the reviewer give this answer every time, and expects an error instead of a verdict. */
async function expectNoVerdict(answer: ScriptedAnswer, more = ''): Promise<void> {
  const repo = alone({ more });
  repo.answers('one', answer, answer, answer);
  const run = await repo.document();
  expect(run).toMatchObject({ code: 3, status: 'error', gates: [{ status: 'error', slots: [{ status: 'error' }] }] });
  expect((await command(repo, 'status')).code).toBe(1);
}

const PASSES = JSON.stringify(PASS);

way('The reviewer prints a pass, and its process exits with code 1.', () => expectNoVerdict({ ...PASS, $exit: 1 }));

way('The reviewer prints a pass, and a signal ends its process.', () =>
  expectNoVerdict({ $raw: PASSES, $run: 'kill -9 $PPID' }),
);

way('The reviewer exceeds its timeout.', () => expectNoVerdict({ ...PASS, $sleep: 20_000 }, 'timeout: 1'));

way('The reviewer prints nothing.', () => expectNoVerdict({ $raw: '' }));

way('The reviewer prints prose that says "pass".', () => expectNoVerdict({ $raw: 'Everything is fine: status pass.' }));

way('The answer of the reviewer is cut off in the middle.', () => expectNoVerdict({ $raw: PASSES.slice(0, -4) }));

way('The reviewer prints a pass and then a second answer that is cut off.', () =>
  expectNoVerdict({ $raw: `${PASSES}\n{"status":"fail","violations":[{"file":` }),
);

way('The reviewer answers in the wrong format, for example in that of a review loop.', () =>
  expectNoVerdict({ $raw: '{"approved":true,"issues":[],"summary":"fine"}' }),
);

way('The status in the answer of the reviewer is not one of the allowed values.', () =>
  expectNoVerdict({ $raw: '{"status":"passed","violations":[]}' }),
);

way('In the answer of the reviewer, the list of problems is not a list.', () =>
  expectNoVerdict({ $raw: '{"status":"pass","violations":"none"}' }),
);

way('In the answer of the reviewer, an item in the list of problems is not a valid problem.', () =>
  expectNoVerdict({ $raw: '{"status":"pass","violations":[{"file":"src/a.ts"}]}' }),
);

const REFUSES = JSON.stringify(OBJECTION);

way('The reviewer fails the change and then quotes an example of a pass.', () =>
  expectNoVerdict({ $raw: `${REFUSES}\nAfter the fix I would answer:\n\`\`\`json\n${PASSES}\n\`\`\`` }),
);

way('The reviewer prints a list that contains both a fail and a pass.', () =>
  expectNoVerdict({ $raw: `[${REFUSES},${PASSES}]` }),
);

way('In the answer of the reviewer, the same key occurs twice: first with a fail, then with a pass.', () =>
  expectNoVerdict({ $raw: '{"status":"fail","status":"pass","violations":[]}' }),
);

way('The reviewer passes the change, but names problems in a field that the answer format does not have.', () =>
  expectNoVerdict({ $raw: '{"status":"pass","violations":[],"issues":["src/a.ts loses data"]}' }),
);

way('A pass of the reviewer has a field, at any depth, that the answer format does not have.', async () => {
  await expectNoVerdict({ $raw: '{"status":"pass","violations":[],"condition":"after the fix"}' });
  const disposition = { id: 'F1', state: 'fixed', why: '', but: 'src/a.ts loses data' };
  await expectNoVerdict({ $raw: JSON.stringify({ ...PASS, previous: [disposition] }) });
});

way('A pass of the reviewer is valid JSON only after a repair.', async () => {
  await expectNoVerdict({ $raw: '{"status":"pass","violations":[...]}' });
  await expectNoVerdict({ $raw: '{"status":"pass","violations":[/* 3 problems omitted for brevity */]}' });
});

way(
  'The reviewer prints a pass and other text. Only one line that announces the answer may stand before it.',
  async () => {
    await expectNoVerdict({ $raw: `${PASSES}\nWait, no. The verdict is fail.` });
    await expectNoVerdict({ $raw: `Es gehen Daten verloren.\n\n\`\`\`json\n${PASSES}\n\`\`\`` });
    const repo = alone();
    repo.answers('one', { $raw: `Here is my review:\n\n\`\`\`json\n${PASSES}\n\`\`\`\n` });
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed' });
    expect(repo.calls()).toHaveLength(1);
  },
);

way('The reviewer prints a pass and any other JSON object.', async () => {
  await expectNoVerdict({ $raw: `{"file":"src/a.ts","problem":"loses data"}\n${PASSES}` });
  await expectNoVerdict({ $raw: `${PASSES}\n${PASSES}` });
});

way('The reviewer passes the change, and the list of problems is missing in its answer.', () =>
  expectNoVerdict({ $raw: '{"status":"pass"}' }),
);

way(
  'An answer of the reviewer both fails and passes the change, and a repeated answer passes the change.',
  async () => {
    const repo = alone();
    repo.answers('one', { $raw: `${REFUSES}\n${PASSES}` }, PASS);
    expect(await repo.document()).toMatchObject({ code: 1, findings: [{ state: 'open', priority: 'critical' }] });
  },
);

way(
  'Two answers of the reviewer both fail and pass the change, and then another agent passes the change.',
  async () => {
    const repo = alone({ agents: ['one', 'two'] });
    repo.answers('one', { $raw: `${REFUSES}\n${PASSES}` }, { $raw: `${REFUSES}\n${PASSES}` });
    expect(await repo.document()).toMatchObject({ code: 1, findings: [{ state: 'open', priority: 'critical' }] });
  },
);

way('The reviewer passes the change and reports that it used 0 output tokens.', () =>
  expectNoVerdict({ ...PASS, usage: { input_tokens: 900, output_tokens: 0 } }),
);

way('The reviewer reached its usage limit, and no other agent is available.', async () => {
  const repo = alone();
  repo.answers('one', { ...PASS, $exit: 1, $stderr: 'usage limit reached, try again in 3 hours' });
  expect(await repo.document()).toMatchObject({ code: 3, status: 'error' });
  expect(await repo.document()).toMatchObject({ code: 3, status: 'error' });
  expect(repo.calls()).toHaveLength(1);
});

way('The agent of the reviewer is not installed.', async () => {
  const repo = alone();
  repo.write(
    'onceover.yml',
    'agents: [gone]\nagent: { gone: { command: [no-such-reviewer] } }\n' +
      'gates: [{ path: src, reviews: { own: { prompt: .onceover/reviews/code-quality.md } } }]\n',
  );
  expect(await repo.document()).toMatchObject({ code: 3, status: 'error' });
});

way('One of two reviewers passes, and the other reviewer cannot answer.', async () => {
  const repo = gateRepo({ agents: ['one', 'two'] });
  repo.answers('one', { $exit: 1 }, PASS);
  repo.answers('two', { $exit: 1 }, { $exit: 1 });
  const run = await repo.document();
  expect(run.code).toBe(3);
  expect(run.gates[0]?.slots.map(({ status }) => status).sort()).toEqual(['error', 'pass']);
});

way('The budget for calls is used up before every reviewer has run.', async () => {
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

/** A change that needs two prompts. */
const twoParts = { 'src/b.ts': '', 'src/c.ts': '' };

function inTwoParts(more = '') {
  const repo = alone({ files: twoParts, more });
  repo.write('src/b.ts', lines('b', 9_000));
  repo.write('src/c.ts', lines('c', 9_000));
  return repo;
}

way('onceover sends a large change in two parts, and the reviewer fails the second part.', async () => {
  const repo = inTwoParts();
  repo.answers('one', PASS, {
    status: 'fail',
    violations: [{ file: 'src/c.ts', line: 1, issue: 'x', priority: 'low' }],
  });
  expect(await repo.document()).toMatchObject({ code: 1 });
  expect(repo.calls()).toHaveLength(2);
});

way('onceover sends a large change in two parts, and the reviewer gives no answer for the second part.', async () => {
  const repo = inTwoParts();
  repo.answers('one', PASS, { $exit: 1 });
  expect(await repo.document()).toMatchObject({ code: 3 });
});

way(
  'onceover sends a large change in two parts. A finding is in a file of the second part, and the first part mentions this file.',
  async () => {
    const repo = inTwoParts();
    repo.write('src/b.ts', `// See src/c.ts.\n${lines('b', 9_000)}`);
    repo.answers('one', PASS, failing('src/c.ts', 'export const c8 = 8;'));
    expect(await repo.document()).toMatchObject({ code: 1, findings: [{ id: 'F1', state: 'open' }] });
    repo.forget();
    repo.write('src/c.ts', `${lines('c', 9_000)}// The end.\n`);
    await repo.run();
    expect(repo.calls().map(({ prompt }) => prompt.includes('id: F1'))).toEqual([false, true]);
  },
);

way(
  'onceover sends a large change in two parts. The reviewer fails the first part without naming a problem, and reports only a warning for the second part.',
  async () => {
    const repo = inTwoParts('fail_on: high');
    const low = { status: 'fail', violations: [{ file: 'src/c.ts', line: 1, issue: 'x', priority: 'low' }] } as const;
    repo.answers('one', { status: 'fail', violations: [], message: 'It loses data.' }, low);
    expect(await repo.document()).toMatchObject({ code: 1 });
  },
);

way('The diff of a single file is too long for a prompt.', async () => {
  const repo = alone();
  repo.write('src/a.ts', lines('a', 20_000));
  expect(await repo.document()).toMatchObject({ code: 3, status: 'error' });
  expect(repo.calls()).toEqual([]);
});

way('The review has reached the retry limit of the settings, so its reviewer does not run.', async () => {
  const repo = alone({ more: 'max_retries: 0' });
  repo.answers('one', OBJECTION);
  expect((await repo.document()).code).toBe(1);
  expect(await repo.document()).toMatchObject({ code: 1, status: 'retry_limit_exceeded' });
  expect(repo.calls()).toHaveLength(1);
});

way(
  'Every reviewer has passed, someone changes the code, and the reviewer that has to run cannot answer.',
  async () => {
    const gates =
      '  - path: src\n    checks: { own: { run: "true" } }\n' +
      '    reviews: { own: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 } }';
    const repo = alone({ gates });
    expect((await repo.run()).code).toBe(0);
    repo.write('README.md', '# More\n');
    repo.answers('one', { $exit: 1 });
    expect((await repo.run()).code).toBe(3);
  },
);
