import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { claude } from '@onceover/agents/src/adapters/claude.ts';
import { temporaryFolder } from './repo.ts';

/** One call of the scripted Claude Code: the session it works in, the session it copies, and its prompts. */
export type ClaudeCall = {
  readonly session: string;
  readonly forkOf: string | null;
  readonly resumed: boolean;
  readonly prompt: string;
  readonly systemPrompt: string;
};

/**
 * Returns an environment with a scripted Claude Code. `behave` is the body of a function of `{ prompt, said, forkOf }`,
 * where `said` is the whole conversation. It returns `{ answer, text?, opens?, session?, exit?, usage? }`.
 */
export function fakeClaude(
  behave: string,
  version = claude.testedVersion,
): {
  readonly env: Readonly<Record<string, string>>;
  calls(): readonly ClaudeCall[];
} {
  const folder = temporaryFolder();
  const log = join(folder, 'calls.jsonl');
  const script = `#!${process.execPath}
const fs = require('node:fs');
const args = process.argv.slice(2);
if (args[0] === '--version') { console.log('${version} (Claude Code)'); process.exit(0); }
const at = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : null);
const prompt = fs.readFileSync(0, 'utf8');
const forks = args.includes('--fork-session');
const forkOf = forks ? at('--resume') : null;
const session = at('--session-id') ?? at('--resume');
const file = (id) => ${JSON.stringify(folder)} + '/' + id + '.txt';
const before = at('--resume') === null || !fs.existsSync(file(at('--resume'))) ? null : fs.readFileSync(file(at('--resume')), 'utf8');
const systemPrompt = fs.readFileSync(at('--system-prompt-file'), 'utf8');
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ session, forkOf, resumed: at('--resume') !== null && !forks, prompt, systemPrompt }) + '\\n');
if (at('--resume') !== null && before === null) { console.error('No conversation found with session ID: ' + at('--resume')); process.exit(1); }
const said = (before ?? systemPrompt) + '\\n' + prompt;
const behave = new Function('call', ${JSON.stringify(behave)});
const { answer, text = '', opens = [], session: other = session, exit = 0, forget = false, usage = { input_tokens: 10, output_tokens: 5 } } = behave({ prompt, said, forkOf });
const tell = (event) => console.log(JSON.stringify({ session_id: other, ...event }));
tell({ type: 'system', subtype: 'init', model: 'm' });
const content = [...(text === '' ? [] : [{ type: 'text', text }]), ...opens.map((path) => ({ type: 'tool_use', name: 'Read', input: { file_path: path } }))];
tell({ type: 'assistant', message: { id: 'm1', model: 'm', content, usage } });
if (!forget) fs.writeFileSync(file(other), said + '\\n' + text + '\\n' + JSON.stringify(answer));
if (exit !== 0) process.exit(exit);
tell({ type: 'result', subtype: 'success', is_error: false, result: JSON.stringify(answer), structured_output: answer, usage });
`;
  writeFileSync(join(folder, 'claude'), script);
  chmodSync(join(folder, 'claude'), 0o755);
  return {
    env: { PATH: [folder, process.env['PATH']].join(delimiter) },
    calls: () =>
      readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ClaudeCall),
  };
}
