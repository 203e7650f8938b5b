import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChangePart, sentenceChanges } from '../../src/plan/sentence-changes.ts';
import { sentenceDiff } from '../../src/plan/sentence-diff.ts';
import { sentencesOf } from '../../src/plan/sentences.ts';
import { markdown } from '../support/markdown-texts.ts';

const body = (before: string, after: string) => sentenceDiff(before, after).split('\n').slice(1);

const KEPT = 'Records are kept for 30 days.';
const LONG = `## Retention\n\n${KEPT} Their owner may delete them at any time before that. Nobody else may.\n\n- Copies are deleted with them. The log says when, and who asked for it.\n`;
const LIMITS =
  '## Limits\n\nNo more than 50 calls a second. That is for each customer. Whoever asks for more is told to wait.\n';
const END = '## End\n\nThat is all.\n';

describe('a change by sentences', () => {
  test('one sentence of a long paragraph, with what the marks mean', () => {
    const before = '# Title\n\n## Scope\nOne stays. Two goes here. Three stays as well.\nEnd.';
    const after = '# Title\n\n## Scope\nOne stays. It is another one now. Three stays as well.\nEnd.';
    expect(sentenceDiff(before, after)).toBe(
      [
        'By sentence: -gone, +new, ~reworded ([-before-]{+after+}), >moved, =same words.',
        '@@ line 4 -> 4 @@ ## Scope',
        '-Two goes here.',
        '+It is another one now.',
      ].join('\n'),
    );
  });

  test.each<[string, string, string, readonly string[]]>([
    ['nothing', 'a. b.', 'a. b.', []],
    ['something new at the end', 'a.', 'a.\n\nb.', ['@@ line 1 -> 3 @@', '+b.']],
    ['something gone', 'a.\n\nb.', 'b.', ['@@ line 1 -> 1 @@', '-a.']],
    ['an empty text', '', 'b.', ['@@ line 1 -> 1 @@', '+b.']],
    ['another order of short ones', 'a. b. c.', 'b. c. a.', ['@@ line 1 -> 1 @@', '-a.', '@@ line 1 -> 1 @@', '+a.']],
    [
      'a word',
      KEPT,
      'Records are kept for 90 days.',
      ['@@ line 1 -> 1 @@', '~Records are kept for [-30-] {+90+} days.'],
    ],
    [
      'a cell of a table',
      '| R1 | kept | 30 days |\n| R2 | gone | never |\n',
      '| R1 | kept | 90 days |\n| R2 | gone | never |\n',
      ['@@ line 1 -> 1 @@', '~| R1 | kept | [-30-] {+90+} days |'],
    ],
    [
      'sentences of a paragraph are told in one line, items in one each',
      'a.\n',
      'a.\n\nb. c.\nd.\n\n- e. f.\n- g.\n',
      ['@@ line 1 -> 3 @@', '+b. c. d.', '+- e. f.', '+- g.'],
    ],
    [
      'a heading is told once, and as the one before the change',
      '## Scope\n\nOne.\n\nTwo.\n',
      '## Scope\n\nAnother one.\n\nTwo.\n\n## New\n\nThree.\n',
      ['@@ line 3 -> 3 @@ ## Scope', '-One.', '+Another one.', '@@ line 5 -> 7 @@', '+## New', '+Three.'],
    ],
    [
      'a section that was moved',
      `${LONG}\n${LIMITS}\n${END}`,
      `${LIMITS}\n${LONG}\n${END}`,
      ['@@ line 1 -> 1 @@', '>from line 7, word for word: "## Limits" to "Whoever asks for more is told to wait."'],
    ],
    [
      'a long sentence that was moved',
      `${LONG}\n${'Nobody '.repeat(12)}waits.\n\n${LIMITS}`,
      `${'Nobody '.repeat(12)}waits.\n\n${LONG}\n${LIMITS}`,
      ['@@ line 1 -> 1 @@', `>from line 7, word for word: "${'Nobody '.repeat(9).slice(0, 60)}…"`],
    ],
    [
      'a section that was moved and mended',
      `${LONG}\n${LIMITS}\n${END}`,
      `${LIMITS.replace('50', '60')}\n${LONG}\n${END}`,
      [
        '@@ line 1 -> 1 @@',
        '+## Limits',
        '+No more than 60 calls a second.',
        '>from line 9, word for word: "That is for each customer." to "Whoever asks for more is told to wait."',
        '@@ line 7 -> 11 @@ ## Retention',
        '-## Limits',
        '-No more than 50 calls a second.',
      ],
    ],
    [
      'other line breaks',
      `${KEPT} Their owner\nmay delete them.\n`,
      `${KEPT}\nTheir owner may\ndelete them.\n`,
      ['=Only line breaks and spaces differ.'],
    ],
    [
      'other line breaks besides a change',
      `# A\n\n${KEPT} Their owner\nmay delete them.\n\nThe end.\n`,
      `# A\n\n${KEPT}\nTheir owner may\ndelete them.\n\nIt goes on.\n`,
      ['@@ line 6 -> 7 @@ # A', '-The end.', '+It goes on.', '=Elsewhere only line breaks and spaces differ.'],
    ],
    [
      'other line breaks in a sentence beside one that changed',
      `${KEPT.replace(' kept', '\nkept')} One.`,
      `${KEPT.replace('are ', 'are\n').replace(' for', '\nfor')} Another.`,
      ['@@ line 2 -> 3 @@', '-One.', '+Another.', '=Elsewhere only line breaks and spaces differ.'],
    ],
    ['blank lines alone', '', '\n\n', ['=Only line breaks and spaces differ.']],
    ['a blank line at the end', 'a.\n', 'a.\n\n', ['=Only line breaks and spaces differ.']],
    ['a line of code that is indented', '```\na\n```\n', '```\n  a\n```\n', ['@@ line 2 -> 2 @@', '-a', '+  a']],
    [
      'a comment in code is no heading',
      '# T\n\n```sh\n# note\nls\n```\n',
      '# T\n\n```sh\n# note\nls -l\n```\n',
      ['@@ line 5 -> 5 @@ # T', '-ls', '+ls -l'],
    ],
    [
      'marks in the text could be taken for ours',
      'Records [-x-] are kept for 30 days.',
      'Records [-x-] are kept for 90 days.',
      ['@@ line 1 -> 1 @@', '-Records [-x-] are kept for 30 days.', '+Records [-x-] are kept for 90 days.'],
    ],
  ])('%s', (_title, before, after, expected) => {
    expect(body(before, after)).toEqual(expected);
  });

  test('a sentence that only looks like a mark is told behind one', () => {
    expect(body('a.', 'a.\n\n>from line 1, word for word: "b"')).toContain('+>from line 1, word for word: "b"');
  });
});

/** A part as sentences that are no more, and sentences that are there now. */
function sides(part: ChangePart): { readonly gone: readonly string[]; readonly come: readonly string[] } {
  switch (part.kind) {
    case 'removed':
      return { gone: part.sentences.map(({ text }) => text), come: [] };
    case 'added':
      return { gone: [], come: part.sentences.map(({ text }) => text) };
    case 'reworded':
      return { gone: [part.before.text], come: [part.after.text] };
    case 'moved':
      return { gone: [], come: [] };
  }
}

const inOrder = (list: readonly string[]) => [...list].sort();
const textsOf = (text: string) => sentencesOf(text).map((one) => one.text);

/** What a reader of the diff knows to be gone, and to be new. */
function readDiff(diff: string): { readonly gone: string; readonly come: string } {
  const lines = diff.split('\n').slice(1);
  const resolve = (line: string, left: RegExp, kept: RegExp) =>
    line.slice(1).replace(left, '').replace(kept, '$1').replace(/ +/g, ' ').trim();
  const [removal, addition] = [/\[-(.*?)-\]/gs, /\{\+(.*?)\+\}/gs];
  const told = (mark: string, left: RegExp, kept: RegExp) =>
    lines
      .filter((line) => line.startsWith(mark) || line.startsWith('~'))
      .map((line) => (line.startsWith('~') ? resolve(line, left, kept) : line.slice(1)))
      .join('\n');
  return { gone: told('-', addition, removal), come: told('+', removal, addition) };
}

describe('nothing is lost', () => {
  /** A text, and the same after some edits. */
  const revision = fc
    .tuple(markdown, fc.array(fc.tuple(fc.nat(200), fc.nat(30), fc.option(markdown)), { maxLength: 4 }))
    .map(([text, edits]) => {
      let after = text;
      for (const [at, count, more] of edits) {
        const from = Math.min(at, after.length);
        const cut = after.slice(from, from + count);
        after = after.slice(0, from) + (more ?? '') + after.slice(from + count) + (more === null ? cut : '');
      }
      return [text, after] as const;
    });

  test('what was there, less what is gone, with what is new, is what is there', () => {
    fc.assert(
      fc.property(fc.oneof(revision, fc.tuple(markdown, markdown)), ([before, after]) => {
        const { changes, isRewrapped } = sentenceChanges(before, after);
        const parts = changes.flatMap((one) => one.parts.map(sides));
        const old = textsOf(before);
        for (const one of parts.flatMap(({ gone }) => gone)) {
          expect(old).toContain(one);
          old.splice(old.indexOf(one), 1);
        }
        expect(inOrder([...old, ...parts.flatMap(({ come }) => come)])).toEqual(inOrder(textsOf(after)));
        expect(changes.length === 0 && !isRewrapped).toBe(before === after);
      }),
      { numRuns: 3000 },
    );
  });

  test('every sentence that is new, and every one that is gone, can be read in the diff', () => {
    fc.assert(
      fc.property(fc.oneof(revision, fc.tuple(markdown, markdown)), ([before, after]) => {
        const told = readDiff(sentenceDiff(before, after));
        const [old, now] = [new Set(textsOf(before)), new Set(textsOf(after))];
        const plain = (text: string) => text.replace(/ +/g, ' ').trim();
        for (const one of now) if (!old.has(one)) expect(plain(told.come)).toContain(plain(one));
        for (const one of old) if (!now.has(one)) expect(plain(told.gone)).toContain(plain(one));
      }),
      { numRuns: 3000 },
    );
  });

  test('what was moved stood there, word for word', () => {
    const section = fc.constantFrom(LONG, LIMITS, END, `## More\n\n${LONG.slice(14)}`);
    fc.assert(
      fc.property(fc.array(section), fc.array(section), (one, other) => {
        const [before, after] = [one.join('\n'), other.join('\n')];
        const old = sentencesOf(before);
        for (const { parts } of sentenceChanges(before, after).changes) {
          for (const part of parts) {
            if (part.kind !== 'moved') continue;
            const wanted = part.sentences.map(({ text }) => text);
            const starts = [...old.keys()].filter((n) => old[n]?.line === part.from);
            const runs = starts.map((n) => old.slice(n, n + wanted.length).map(({ text }) => text));
            expect(runs).toContainEqual(wanted);
          }
        }
      }),
    );
  });
});

// What compares each with each would take minutes: the time that every test has is bound enough.
describe('long texts', () => {
  test.each<[string, (n: number) => string, (n: number) => string]>([
    ['that differ here and there', (n) => `Sentence ${n} of it. `, (n) => `Sentence ${n % 50 === 0 ? -n : n} of it. `],
    ['that differ throughout', (n) => `Old ${n} words. `, (n) => `New ${n} words. `],
    ['that differ in one word each', (n) => `This is old ${n} of it. `, (n) => `This is new ${n} of it. `],
    ['that repeat themselves', (n) => `Same ${n % 7}. `, (n) => `Same ${(n * 3) % 7}. `],
    ['that are one line without an end', (n) => `word${n} `, (n) => `word${n % 999 === 0 ? 'x' : n} `],
    ['in blocks that changed places', (n) => `Block ${n ^ 64} is it. `, (n) => `Block ${n} is it. `],
    ['that are spaces', () => ' '.repeat(1000), (n) => ' '.repeat(999 + (n % 3))],
    ['that are marks', () => '[-'.repeat(50), (n) => `-]`.repeat(50 + (n % 2))],
    ['that are ends', () => '.)'.repeat(50), (n) => '.)'.repeat(50 + (n % 2))],
  ])('texts of a megabyte %s are compared before the time of a test is over', (_title, before, after) => {
    const make = (one: (n: number) => string) => {
      let all = '';
      for (let n = 0; all.length < 1_000_000; n += 1) all += one(n) + (n % 10 === 9 ? '\n\n' : '');
      return all;
    };
    const [old, now] = [make(before), make(after)];
    expect(sentenceDiff(old, now).length).toBeGreaterThan(0);
  });

  test('long sentences that share their words, all of them other ones', () => {
    let state = 1;
    const word = () => {
      state = (state * 48_271) % 2_147_483_647;
      return `w${state % 20}`;
    };
    const make = () => Array.from({ length: 50 }, () => Array.from({ length: 500 }, word).join(' ')).join('\n\n');
    const [old, now] = [make(), make()];
    expect(body(old, now).length).toBeGreaterThan(50);
  });

  test('a document in one endless line is compared in time too', () => {
    const line = 'word '.repeat(200_000);
    expect(body(line, `${line}more`).at(-1)).toMatch(/word \{\+more\+\}$/);
  });
});
