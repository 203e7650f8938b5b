// Plays the workflow of this folder in a temporary repository: a reviewer finds a note without a source, the note is
// fixed, and the note that passed is not reviewed again. The reviewer is scripted: no model, key or network is needed.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = process.env.ONCEOVER_TEST_CLI ?? fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const reviewer = fileURLToPath(new URL('reviewer.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'onceover-workflow-'));
const say = (text) => console.log(`\n${text}\n`);

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Runs a command and prints its output; ends the sample at an unexpected exit code. */
function onceover(args, expected = 0) {
  console.log(`  $ onceover ${args.map((arg) => (/^[\w./=-]+$/.test(arg) ? arg : `"${arg}"`)).join(' ')}`);
  const end = spawnSync(process.execPath, [cli, ...args], { cwd: root, encoding: 'utf8' });
  console.log(end.stdout.trimEnd().replace(/^(?=.)/gm, '    '));
  if (end.status !== expected) throw new Error(`exit code ${end.status} instead of ${expected}\n${end.stderr}`);
}

try {
  spawnSync('git', ['init', '-q', '-b', 'main'], { cwd: root, stdio: 'ignore' });
  cpSync(new URL('.deepwork', import.meta.url), join(root, '.deepwork'), { recursive: true });
  write('onceover.yml', `agent:\n  scripted: { command: [node, ${JSON.stringify(reviewer)}] }\n`);

  say('A job with one workflow. Start it with a goal and a reviewer:');
  onceover(['workflow', 'list']);
  onceover([
    'workflow',
    'start',
    'research_report',
    '--goal',
    'Tea or coffee in the office?',
    '--reviewer',
    'scripted',
  ]);

  write('notes/one.md', 'Source: https://example.org/tea\n\nTea is cheaper by half.\n');
  write('notes/two.md', 'Coffee is what people ask for.\n');
  say('Two notes, one of them without a source. The reviewer reviews each note, and then both together:');
  const research = ['workflow', 'finish', '--output', 'notes=notes/one.md', '--output', 'notes=notes/two.md'];
  onceover(research, 1);

  write('notes/two.md', 'Source: https://example.com/survey\n\nCoffee is what people ask for.\n');
  say('The second note is fixed. The first passed and is unchanged, so it is not reviewed again:');
  onceover(research);

  write('report.md', 'Both: tea is cheaper [notes/one.md], coffee is asked for [notes/two.md].\n');
  say('The report:');
  onceover(['workflow', 'finish', '--output', 'report=report.md']);

  write('summary.md', 'Offer both.\n');
  say('The summary, and the end:');
  onceover(['workflow', 'finish', '--output', 'summary=summary.md']);
} finally {
  rmSync(root, { recursive: true, force: true });
}
