import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/kernel/escape.ts';

const QUOTES = ["it's", "'''", '"quoted"', '`ls`', '\\', '\\\\'];
const WORDS = ['src', 'a/b-c.d', '', ' ', ...QUOTES, '$HOME', '!x', '*', '~', 'ä ö', 'a\nb', '-n', '#x'];

test('a shell reads the quoted words back unchanged', () => {
  const script = `printf '%s\\0' ${WORDS.map(shellWord).join(' ')}`;
  const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  expect(output.split('\0').slice(0, -1)).toEqual(WORDS);
});

test('a plain word is not quoted', () => {
  expect(shellWord('packages/app_1.2')).toBe('packages/app_1.2');
});
