import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandWord } from '../../src/text/command-word.ts';
import { tellPhaseFailure } from '../../src/text/phase-failure.ts';

test.each([
  ['docs/f', 'docs/f'],
  ['rule:src:style:src/a.ts@1', 'rule:src:style:src/a.ts@1'],
  ['a b', "'a b'"],
  ['$(touch x);`id`', "'$(touch x);`id`'"],
  ["it's", "'it'\\''s'"],
  ['a\u001b[2Jb', "'a\\u001b[2Jb'"],
])('%j can be copied into a shell', (name, expected) => {
  expect(commandWord(name)).toBe(expected);
  const shown = name.replace('\u001b', '\\u001b');
  expect(execFileSync('sh', ['-c', `printf %s ${expected}`], { encoding: 'utf8' })).toBe(shown);
});

test('a folder cannot add to a command that people are told to run', () => {
  const { next } = tellPhaseFailure({ kind: 'no-waiting-loop', phase: 'specify', feature: 'x;id' });
  expect(next).toBe(`Begin one with start_phase ("onceover phase specify 'x;id' --step").`);
});
