// A scripted reviewer for tests: gives the next answer in its list and logs each call.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [name, folder] = process.argv.slice(2);
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
const session = process.env.ONCEOVER_SESSION ?? null;
appendFileSync(join(folder, 'calls.jsonl'), `${JSON.stringify({ name, session, prompt })}\n`);
const next = (await takeAnswer()) ?? { status: 'pass', violations: [] };
// Runs a command during the review.
if (next.$run !== undefined) spawnSync('sh', ['-c', next.$run], { stdio: 'ignore' });
if (next.$sleep !== undefined) await new Promise((resolve) => setTimeout(resolve, next.$sleep));
if (next.$raw !== undefined) process.stdout.write(next.$raw);
else {
  const { $run, $sleep, $exit, ...answer } = next;
  process.stdout.write(JSON.stringify(answer));
}
if (next.$stderr !== undefined) process.stderr.write(next.$stderr);
process.exitCode = next.$exit ?? 0;

// Two slots may call the same agent at once, so only one at a time takes an answer from the list.
async function takeAnswer() {
  const list = join(folder, `${name}.answers.json`);
  const lock = `${list}.lock`;
  while (!tryLock(lock)) await new Promise((resolve) => setTimeout(resolve, 5));
  try {
    const answers = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
    const taken = answers.shift();
    if (taken !== undefined) writeFileSync(list, JSON.stringify(answers));
    return taken;
  } finally {
    rmdirSync(lock);
  }
}

function tryLock(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}
