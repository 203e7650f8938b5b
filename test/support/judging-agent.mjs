// A reviewer for tests whose verdict depends on its prompt alone: a rubric with "Case 7: fail" gets a finding on line 7.
// It logs each call before it answers, so that a test can count calls whose answer was lost.

import { appendFileSync } from 'node:fs';

const [log, slowest = '0'] = process.argv.slice(2);
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
const [, number, verdict] = /Case (\d+): (pass|fail)/.exec(prompt) ?? [];
appendFileSync(log, `${number}\n`);
await new Promise((resolve) => setTimeout(resolve, Math.random() * Number(slowest)));
const violation = {
  ...{ file: 'src/cases.ts', line: Number(number), code: `export const case${number} = ${number};` },
  ...{ issue: `Case ${number} is wrong.`, priority: 'high' },
};
const answer = { status: verdict, violations: verdict === 'fail' ? [violation] : [] };
process.stdout.write(JSON.stringify({ ...answer, usage: { input_tokens: 10, output_tokens: 10, cost_usd: 1 } }));
