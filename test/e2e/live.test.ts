import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CLI } from '../support/cli.ts';
import { failing, type GateRepo, gateRepo } from '../support/gates.ts';
import { cleanEnvironment } from '../support/repo.ts';
import { terminal } from '../support/terminal.ts';

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0;

/** What a command prints on a terminal of its own, with everything that acts on the terminal. */
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
  ])('%s shows who is at work, and leaves what ended and the result', (_title, size) => {
    const raw = onTerminal(slowRepo(), `${size}; ${run}`);
    expect(raw).toContain('at work');
    // Only live lines are drawn over, and none of them reaches the edge.
    const shown = terminal(1000);
    shown.write(raw.replaceAll(/\r+\n/g, '\n').replaceAll(/\u001b\[[\d;]*m/g, ''));
    const text = shown.shown().join('\n');
    expect(text).not.toContain('at work');
    expect(text).toMatch(/^Iteration 1: 1 gate, 2 reviewers\n/);
    expect(text).toMatch(/^review:src:code-quality @1: FAIL, 1\s+finding open/m);
    expect(text).toMatch(/^review:src:code-quality @2: pass/m);
    expect(text).toMatch(/^Failed: 1 finding is open, 1 gate/m);
  });

  test('that becomes narrower and wider shows the same result', () => {
    const resizes = 'stty cols 100 rows 24; (sleep 1; stty cols 40; sleep 1; stty cols 90) </dev/tty &';
    const raw = stripVTControlCharacters(onTerminal(slowRepo(), `${resizes} ${run}`));
    expect(raw).toContain('at work');
    expect(raw).toMatch(/^review:src:code-quality @2: pass/m);
    expect(raw).toMatch(/^Failed: 1 finding is open, 1 gate fails\./m);
  });

  test('there is colour, and none where that was asked for', () => {
    const repo = gateRepo();
    repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
    expect(onTerminal(repo, run)).toMatch(/\u001b\[1;31mFAIL/);
    repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
    expect(onTerminal(repo, run, { NO_COLOR: '1' })).not.toMatch(/\u001b\[[\d;]*m/);
  });

  test('a terminal that can do nothing gets plain lines', () => {
    const raw = onTerminal(gateRepo(), run, { TERM: 'dumb' });
    expect(raw).toBe(stripVTControlCharacters(raw));
    expect(raw).toMatch(/^review:src:code-quality @1: asking one/m);
  });
});

describe('a run into a pipe', () => {
  test('is one plain line an event', () => {
    const end = spawnSync('sh', ['-c', `${run} 2>&1 | cat`], { cwd: slowRepo().root, encoding: 'utf8' });
    expect(end.stdout).toBe(stripVTControlCharacters(end.stdout));
    expect(end.stdout.match(/^review:src:code-quality @1: /gm)).toHaveLength(2);
    expect(end.stdout).not.toContain('at work');
  });

  test('that is closed early does not change the result', () => {
    const command = `{ ${run} 2>&1; echo $? >code; } | head -1; cat code; rm code`;
    const end = spawnSync('sh', ['-c', command], { cwd: slowRepo().root, encoding: 'utf8' });
    expect(end.stdout).toBe('Iteration 1: 1 gate, 2 reviewers\n1\n');
    expect(end.stderr).toBe('');
  });
});
