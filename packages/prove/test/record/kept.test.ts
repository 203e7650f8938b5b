import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder } from '@onceover/base/platform/private-files';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { openKeptAnswers } from '../../src/record/kept.ts';

const ANSWERS = 'onceover/prove/answers';
const CHECKED = 'onceover/prove/checked';

const ANSWER = {
  ok: true,
  reply: {
    ...{ text: '{"status":"pass"}', structured: { status: 'pass' }, sessionId: 's1' },
    ...{ usage: usage(), sessionUsage: null, filesRead: ['src/a.ts'] },
  },
  model: 'large',
  durationMs: 1200,
} as const;

describe('kept answers', () => {
  test('an answer is there for the next proof in the same clone', () => {
    const commonDir = temporaryFolder();
    openKeptAnswers(commonDir).keepAnswer('k1', ANSWER);
    expect(openKeptAnswers(commonDir).answer('k1')).toEqual(ANSWER);
    expect(openKeptAnswers(commonDir).answer('k2')).toBeNull();
    expect(openKeptAnswers(temporaryFolder()).answer('k1')).toBeNull();
  });

  test('a later answer replaces the earlier one', () => {
    const answers = openKeptAnswers(temporaryFolder());
    answers.keepAnswer('k1', ANSWER);
    answers.keepAnswer('k1', { ...ANSWER, model: 'small' });
    expect(answers.answer('k1')?.model).toBe('small');
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['a text', 'pass'],
    ['a failed call', { ok: false, reply: ANSWER.reply }],
    ['an answer without a reply', { ok: true, model: null, durationMs: 1 }],
    ['a reply that is a text', { ...ANSWER, reply: 'pass' }],
  ])('%s is not an answer', (_title, value) => {
    const commonDir = temporaryFolder();
    expect(openFolder(commonDir, ANSWERS).writeCache('k1.json', value).ok).toBe(true);
    expect(openKeptAnswers(commonDir).answer('k1')).toBeNull();
  });

  test.each<[string, (text: string) => string]>([
    ['changed', (text) => text.replace('large', 'small')],
    ['cut off', (text) => text.slice(0, -5)],
    ['empty', () => ''],
  ])('a file that is %s counts as missing', (_title, damage) => {
    const commonDir = temporaryFolder();
    const answers = openKeptAnswers(commonDir);
    answers.keepAnswer('k1', ANSWER);
    const file = join(commonDir, ANSWERS, 'k1.json');
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    expect(answers.answer('k1')).toBeNull();
  });

  test('an answer of more than 8 MiB counts as missing', () => {
    const answers = openKeptAnswers(temporaryFolder());
    answers.keepAnswer('k1', { ...ANSWER, reply: { ...ANSWER.reply, text: 'x'.repeat(8 * 1024 * 1024) } });
    expect(answers.answer('k1')).toBeNull();
  });

  test('an answer that cannot be written is not an error, and is not written through a symlink', () => {
    const commonDir = temporaryFolder();
    const elsewhere = temporaryFolder();
    mkdirSync(join(commonDir, 'onceover'));
    symlinkSync(elsewhere, join(commonDir, 'onceover/prove'));
    const answers = openKeptAnswers(commonDir);
    answers.keepAnswer('k1', ANSWER);
    answers.keepChecks('s1', true);
    expect([answers.answer('k1'), answers.checksPass('s1')]).toEqual([null, null]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('kept results of checks', () => {
  test.each([true, false])('the result %s is there for the next proof, for the same state only', (pass) => {
    const commonDir = temporaryFolder();
    openKeptAnswers(commonDir).keepChecks('s1', pass);
    expect(openKeptAnswers(commonDir).checksPass('s1')).toBe(pass);
    expect(openKeptAnswers(commonDir).checksPass('s2')).toBeNull();
  });

  test.each<[string, unknown]>([
    ['a text', 'true'],
    ['a number', 1],
    ['null', null],
    ['an object', { pass: true }],
  ])('%s is not a result', (_title, value) => {
    const commonDir = temporaryFolder();
    expect(openFolder(commonDir, CHECKED).writeCache('s1.json', value).ok).toBe(true);
    expect(openKeptAnswers(commonDir).checksPass('s1')).toBeNull();
  });

  test('an answer and a result with the same key do not mix', () => {
    const answers = openKeptAnswers(temporaryFolder());
    answers.keepChecks('x', true);
    expect(answers.answer('x')).toBeNull();
    answers.keepAnswer('x', ANSWER);
    expect(answers.checksPass('x')).toBe(true);
  });
});

describe('cleanUp', () => {
  test('keeps all files if there are few, and does nothing without a folder', () => {
    const answers = openKeptAnswers(temporaryFolder());
    answers.cleanUp();
    answers.keepAnswer('k1', ANSWER);
    answers.keepChecks('s1', false);
    answers.cleanUp();
    expect(answers.answer('k1')).toEqual(ANSWER);
    expect(answers.checksPass('s1')).toBe(false);
  });

  test('removes the oldest results if there are more than the limit', () => {
    const commonDir = temporaryFolder();
    const answers = openKeptAnswers(commonDir);
    const folder = join(commonDir, CHECKED);
    const times = { old: 30, older: 20, new: 40, oldest: 10 };
    for (const [name, at] of Object.entries(times)) {
      answers.keepChecks(name, true);
      utimesSync(join(folder, `${name}.json`), at, at);
    }
    answers.cleanUp(2);
    expect(readdirSync(folder).sort()).toEqual(['new.json', 'old.json']);
  });
});
