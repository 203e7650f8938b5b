// A reviewer for tests: answers what its list says, and writes down that it was asked.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [name, folder] = process.argv.slice(2);
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
const session = process.env.ONCEOVER_SESSION ?? null;
appendFileSync(join(folder, 'calls.jsonl'), `${JSON.stringify({ name, session, prompt })}\n`);
const list = join(folder, `${name}.answers.json`);
const answers = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
const next = answers.shift() ?? { status: 'pass', violations: [] };
writeFileSync(list, JSON.stringify(answers));
// What happens while it looks.
if (next.$run !== undefined) spawnSync('sh', ['-c', next.$run], { stdio: 'ignore' });
if (next.$sleep !== undefined) await new Promise((resolve) => setTimeout(resolve, next.$sleep));
if (next.$raw !== undefined) process.stdout.write(next.$raw);
else {
  const { $run, $sleep, $exit, ...answer } = next;
  process.stdout.write(JSON.stringify(answer));
}
if (next.$stderr !== undefined) process.stderr.write(next.$stderr);
process.exitCode = next.$exit ?? 0;
