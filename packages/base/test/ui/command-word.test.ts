import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { describeFailure } from '../../src/ui/describe-failure.ts';
import { asShellWord } from '../../src/ui/wording.ts';

test.each([
  ['docs/f', 'docs/f'],
  ['rule:src:style:src/a.ts@1', 'rule:src:style:src/a.ts@1'],
  ['a b', "'a b'"],
  ['$(touch x);`id`', "'$(touch x);`id`'"],
  ["it's", "'it'\\''s'"],
  ['a\u001b[2Jb', "'a\\u001b[2Jb'"],
])('quotes %j for a shell', (name, word) => {
  expect(asShellWord(name)).toBe(word);
  const shownName = name.replace('\u001b', '\\u001b');
  expect(execFileSync('sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(shownName);
});

test('quotes a feature folder in the next step', () => {
  const { next } = describeFailure({ kind: 'no-waiting-loop', phase: 'specify', feature: 'x;id' });
  expect(next).toBe(`Start the phase with start_phase ("onceover phase specify 'x;id' --step").`);
});
