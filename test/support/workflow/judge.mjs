// A scripted reviewer for tests. It logs each prompt and answers by the first rule that matches the prompt.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
appendFileSync(join(folder, 'asked.jsonl'), `${JSON.stringify({ prompt, pid: process.pid })}\n`);
const file = join(folder, 'rules.json');
const rules = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
const rule = rules.find(({ where }) => where === undefined || prompt.includes(where)) ?? {};
if (rule.run !== undefined) spawnSync('sh', ['-c', rule.run], { stdio: 'ignore' });
if (rule.sleep !== undefined) await new Promise((resolve) => setTimeout(resolve, rule.sleep));
if (rule.raw !== undefined) process.stdout.write(rule.raw);
else process.stdout.write(JSON.stringify('answer' in rule ? rule.answer : { passed: true, feedback: 'Fine.' }));
process.exitCode = rule.exit ?? 0;
