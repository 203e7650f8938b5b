import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { CLI, type CliEnd, onceover } from '@onceover/testing/cli.ts';
import { cleanEnvironment, repoWith, ruleText, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { addLoopCommands } from '../../../src/cli/define-loops.ts';
import { addTeamCommands } from '../../../src/cli/define-team.ts';
import { buildProgram } from '../../../src/cli/program.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

test.each([['--version'], ['-v'], ['-V'], ['-V', '--json']])(
  '%s prints the version, in any folder',
  async (...args) => {
    expect(await onceover(temporaryFolder(), args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  },
);

const commands: [string, string[]][] = [
  [
    'run',
    [
      '[paths...]',
      '--base <ref>',
      '--commit <commit>',
      '--uncommitted',
      '--files <files...>',
      '--gate <gate...>',
      '--dry-run',
      '--all',
      '--force',
      '--fresh',
      '--report <format=file>',
      '--share',
      '--no-accept',
      '--publish',
      '--allow-unconfigured',
      '--until-pass',
      '--fixer <agent>',
      '--max-iterations <n>',
      '--ratchet',
      '--remote',
      '--no-remote',
      '--verbose',
      '--quiet',
      '--json',
    ],
  ],
  ['status', ['--prompt', '--base <ref>', '--report <html=file>', '--verbose', '--json']],
  ['ui', ['--port <n>', '--no-open', '--json']],
  [
    'publish',
    [
      '--from <file>',
      '--pull <number>',
      '--commit <id>',
      '--summary <when>',
      '--no-checks',
      '--untrusted',
      '--report-url <url>',
      '--dry-run',
      '--json',
    ],
  ],
  ['resolve', ['<findings...>', '--fixed [how]', '--skip <why>', '--confirm', '--json']],
  [
    'init',
    [
      '--gates',
      '--from [tool]',
      '--rules',
      '--mcp <agent>',
      '--hook <agent>',
      '--passes',
      '--remove',
      '--yes',
      '--json',
    ],
  ],
  ['trust', ['--json']],
  ['config', ['check']],
  ['completion', ['<shell>']],
  ['demo', ['--keep', '--json']],
  [
    'phase',
    [
      '<phase> <feature>',
      '--fixer <agent>',
      '--step',
      '--summary <text>',
      '--rerun',
      '--accept-with-notes',
      '--max-iterations <n>',
      '--no-commit',
      '--no-keep-sessions',
      '--files <files...>',
      '--base <ref>',
      '--simplify',
      '--deepen-tests',
      '--report <html=file>',
      '--dry-run',
      '--json',
    ],
  ],
  ['cost', ['[feature]', '--since <when>', '--branch <name>', '--details', '--json', '--csv', '--report <html=file>']],
  ['passes', ['--json']],
  [
    'prove',
    [
      ...['--yes', '--gate <gate...>', '--cases <n>', '--budget <limit>', '--kinds <list>', '--own <folder>', '--set'],
      ...['--reviewers <list>', '--sessions <list>', '--repeat <n>', '--seed <n>', '--report <format=file>'],
      ...['--reading <list>', '--remote', '--no-remote', '--verbose', '--json'],
    ],
  ],
  ['clean', ['--json']],
  ['instructions', ['[files...]', '--for <platform>', '--base <ref>', '--json', '"-"']],
  ['rules', ['[files...]', '--json']],
  ['pass', ['<review_id>', '--json', 'mark_review_as_passed']],
  ['explain', ['<name>', '--prompt', '--transcript', '--base <ref>', '--json']],
  ['mcp', ['--root <folder>', '--for <platform>', '--reviewer <agent>', '--self-review']],
  ['workflow', ['list', 'start', 'finish', 'status', 'abort']],
  [
    'worker',
    [
      ...['--agents <names>', '--concurrency <n>', '--settings <folder>', '--account <name>', '--most-at-once <n>'],
      ...['--calls-per-minute <n>', '--tokens-per-minute <n>', '--name <name>', '--folder <folder>'],
      ...['--heartbeat <seconds>', '--json'],
    ],
  ],
  ['serve', ['--config <file>']],
];

const OTHERS = ['doctor', 'hook'];

test.each([[['--help']], [['-h']], [['help']], [[]]])('%j lists every command and the exit codes', async (args) => {
  const end = await onceover(temporaryFolder(), args);
  expect([end.code, end.stderr]).toEqual([0, '']);
  for (const [name] of commands) expect(end.stdout).toMatch(new RegExp(`^ {2}${name} .*\\S`, 'm'));
  expect(end.stdout.replace(/\s+/g, ' ')).toMatch(/ Exit codes: 0 .*; 1 .*; 2 .*; 3 .*; 130 interrupted\. $/);
  // One line per command, even in a narrow terminal.
  expect(end.stdout.match(/^ {2}\S.*$/gm)).toHaveLength(commands.length + OTHERS.length);
  for (const line of end.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('--help, which loads only the names of some commands, prints the same as with all their options', async () => {
  const program = buildProgram({ team: addTeamCommands, loops: addLoopCommands });
  let output = '';
  program.configureOutput({ writeOut: (text) => (output += text), getOutHelpWidth: () => 80 });
  expect(() => program.parse(['node', 'onceover', '--help'])).toThrow('(outputHelp)');
  expect((await onceover(temporaryFolder(), ['--help'])).stdout).toBe(output);
});

test.each(commands)('%s --help names its arguments and options', async (name, words) => {
  const end = await onceover(temporaryFolder(), [name, '--help']);
  expect([end.code, end.stderr]).toEqual([0, '']);
  expect(end.stdout).toMatch(new RegExp(`^Usage: onceover ${name} `));
  for (const word of words) expect(end.stdout).toContain(word);
  const options = end.stdout.match(/^ {2}(?:-\w, )?--[\w-]+/gm)?.map((line) => line.trim().replace(/^-\w, /, ''));
  const optionWords = words.filter((word) => word.startsWith('--')).map((word) => word.split(' ')[0]);
  expect(options?.sort()).toEqual([...optionWords, '--help'].sort());
});

test('help with a command prints the help of that command', async () => {
  const [helpCommand, helpOption] = await Promise.all([
    onceover(temporaryFolder(), ['help', 'workflow', 'start']),
    onceover(temporaryFolder(), ['workflow', 'start', '--help']),
  ]);
  expect(helpCommand).toEqual(helpOption);
  expect(helpCommand.stdout).toMatch(/^Usage: onceover workflow start <job>/);
});

describe('a reader that closes the pipe', () => {
  test('after one line of help', async () => {
    const end = await inShell(temporaryFolder(), '--help | head -1');
    expect(end).toEqual({ code: 0, stdout: 'Usage: onceover <command> [options]\n', stderr: '' });
  });

  test.each(['--help', 'rules', 'instructions --json', 'nope --json'])('before the result of %s', async (args) => {
    const repo = repoWith({ '.deepreview': ruleText('check') });
    repo.write('a.py', '');
    const end = await inShell(repo.root, `${args} | true`);
    expect(end.stderr).not.toMatch(/EPIPE|^ +at /m);
  });
});

/** Runs the program as the first command of a shell pipeline. */
function inShell(cwd: string, pipeline: string): Promise<CliEnd> {
  const child = spawn('sh', ['-c', `"$NODE" "$CLI" ${pipeline}`], {
    cwd,
    env: { ...cleanEnvironment(cwd), NODE: process.execPath, CLI },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
