// Replaces Claude Code, Codex or a user's own command: speaks the protocol of that program, and reports one line of
// src/a.ts until it is fixed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const [name, version, ...args] = process.argv.slice(2);
const FILE = 'src/a.ts';
const WRONG = 'export const b = 2;';
const say = (event) => console.log(JSON.stringify(event));
const after = (option) => args[args.indexOf(option) + 1];

if (args[0] === '--version') console.log(version);
else if (name === 'claude') {
  const session_id = args.includes('--resume') ? after('--resume') : after('--session-id');
  const structured_output = answer(JSON.parse(after('--json-schema')), false);
  say({ type: 'system', subtype: 'init', session_id, model: 'scripted' });
  const usage = { input_tokens: 900, cache_read_input_tokens: 100, output_tokens: 50 };
  say({ type: 'result', subtype: 'success', is_error: false, session_id, result: '', structured_output, usage });
} else if (name === 'codex') {
  const text = JSON.stringify(answer(JSON.parse(readFileSync(after('--output-schema'), 'utf8')), true));
  say({ type: 'thread.started', thread_id: args.includes('resume') ? after('resume') : crypto.randomUUID() });
  say({ type: 'item.completed', item: { type: 'agent_message', text } });
  // Its usage figures are those of the session so far.
  const looks = args.includes('resume') ? 2 : 1;
  const usage = { input_tokens: 1000 * looks, cached_input_tokens: 100, output_tokens: 50 * looks };
  say({ type: 'turn.completed', usage });
} else console.log(JSON.stringify(answer(JSON.parse(readFileSync(process.env.ONCEOVER_SCHEMA, 'utf8')), false)));

/** Recognises the kind of call by the schema of the answer. */
function answer({ properties }, isStrict) {
  const prompt = readFileSync(0, 'utf8');
  if ('approved' in properties) return { approved: true, issues: [], summary: 'Good.' };
  if ('passed' in properties) return { passed: true, feedback: 'Good.' };
  if ('reply' in properties) return { reply: 'I remember nothing.' };
  if (!('violations' in properties)) return mend();
  const isWrong =
    isStrict && existsSync(FILE) && readFileSync(FILE, 'utf8').includes(WRONG) && /constants/.test(prompt);
  const violation = {
    file: FILE,
    line: 2,
    code: WRONG,
    issue: 'The code does not use b.',
    fix: 'Remove it.',
    priority: 'high',
  };
  return { status: isWrong ? 'fail' : 'pass', violations: isWrong ? [violation] : [], message: null, previous: null };
}

function mend() {
  if (existsSync(FILE)) writeFileSync(FILE, readFileSync(FILE, 'utf8').replace(WRONG, 'export const c = 3;'));
  return { summary: 'Removed b.', dispositions: [] };
}
