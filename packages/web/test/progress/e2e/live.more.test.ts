import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { CLI } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { cleanEnvironment } from '@onceover/testing/repo.ts';
import { terminal } from '@onceover/testing/terminal.ts';
import { describe, expect, test } from 'vitest';

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0;

/** Returns the output of a command on its own terminal, with control sequences. */
function onTerminal(repo: GateRepo, command: string, env: Readonly<Record<string, string>> = {}): string {
  const end = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: repo.root,
    env: { ...cleanEnvironment(dirname(repo.root)), TERM: 'xterm-256color', ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return end.stdout;
}

const run = `${process.execPath} ${CLI} run`;

function slowRepo(): GateRepo {
  const repo = gateRepo();
  repo.answers('one', { ...failing('src/a.ts', 'export const b = 2;'), $sleep: 1500 });
  repo.answers('two', { status: 'pass', violations: [], $sleep: 2500 });
  return repo;
}

describe.skipIf(!hasTerminal)('a run on a terminal', () => {
  test.each([
    ['of 80 columns', 'stty cols 80 rows 24'],
    ['of 40 columns', 'stty cols 40 rows 24'],
  ])('%s shows running reviewers, then finished ones and the result', (_title, size) => {
    const raw = onTerminal(slowRepo(), `${size}; ${run}`);
    expect(raw).toContain('running');
    // The terminal overwrites only live lines, and no live line reaches the edge.
    const shown = terminal(1000);
    shown.write(raw.replaceAll(/\r+\n/g, '\n').replaceAll(/\u001b\[[\d;]*m/g, ''));
    const text = shown.shown().join('\n');
    expect(text).not.toContain('running');
    expect(text).toMatch(/^Run 1: 2 reviewers\n/);
    expect(text).toMatch(/^review:src:code-quality, reviewer 1\s+\(one\):\s+FAILED, 1\s+open\s+finding/m);
    expect(text).toMatch(/^review:src:code-quality, reviewer 2\s+\(two\):\s+passed/m);
    expect(text).toMatch(/^Failed: 1 open finding in 1 gate/m);
  });

  test('that is resized shows the same result', () => {
    const resizes = 'stty cols 100 rows 24; (sleep 1; stty cols 40; sleep 1; stty cols 90) </dev/tty &';
    const raw = stripVTControlCharacters(onTerminal(slowRepo(), `${resizes} ${run}`));
    expect(raw).toContain('running');
    expect(raw).toMatch(/^review:src:code-quality, reviewer 2\s+\(two\):\s+passed/m);
    expect(raw).toMatch(/^Failed: 1 open finding in 1 gate/m);
  });

  test('has colour, and none with NO_COLOR', () => {
    const repo = gateRepo();
    repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
    expect(onTerminal(repo, run)).toMatch(/\u001b\[1;31mFAILED/);
    repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
    expect(onTerminal(repo, run, { NO_COLOR: '1' })).not.toMatch(/\u001b\[[\d;]*m/);
  });

  test('without cursor control gets plain lines', () => {
    const raw = onTerminal(gateRepo(), run, { TERM: 'dumb' });
    expect(raw).toBe(stripVTControlCharacters(raw));
    expect(raw).toMatch(/^review:src:code-quality, reviewer 1 \(one\): started/m);
  });
});

describe('a run into a pipe', () => {
  test('prints one plain line per event', () => {
    const end = spawnSync('sh', ['-c', `${run} 2>&1 | cat`], { cwd: slowRepo().root, encoding: 'utf8' });
    expect(end.stdout).toBe(stripVTControlCharacters(end.stdout));
    expect(end.stdout.match(/^review:src:code-quality, reviewer 1 \(one\): /gm)).toHaveLength(2);
    expect(end.stdout).not.toContain('running');
  });

  test('that is closed early does not change the result', () => {
    const command = `{ ${run} 2>&1; echo $? >code; } | head -1; cat code; rm code`;
    const end = spawnSync('sh', ['-c', command], { cwd: slowRepo().root, encoding: 'utf8' });
    expect(end.stdout).toBe('Run 1: 2 reviewers\n1\n');
    expect(end.stderr).toBe('');
  });
});
