import { markdown } from '@onceover/testing/markdown-texts.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentenceDiff } from '../../src/text-diff/sentence-diff.ts';
import { sentencesOf } from '../../src/text-diff/sentences.ts';

const body = (before: string, after: string) => sentenceDiff(before, after).split('\n').slice(1);

/** The length of long texts. `npm run test:more` compares texts of a megabyte. */
const LONG_TEXT = Number(process.env['TEXT_DIFF_CHARACTERS'] ?? 200_000);

const KEPT = 'Records are kept for 30 days.';
const LONG = `## Retention\n\n${KEPT} Their owner may delete them at any time before that. No other user may.\n\n- Copies are deleted with them. The log says when, and who asked for it.\n`;
const LIMITS =
  '## Limits\n\nNo more than 50 calls a second. That is for each customer. Clients that send more calls have to wait.\n';
const END = '## End\n\nThat is all.\n';

describe('sentence diff', () => {
  test('shows one changed sentence of a long paragraph, under a legend', () => {
    const before = '# Title\n\n## Scope\nOne stays. Two goes here. Three stays as well.\nEnd.';
    const after = '# Title\n\n## Scope\nOne stays. It is another one now. Three stays as well.\nEnd.';
    expect(sentenceDiff(before, after)).toBe(
      [
        'By sentence: -removed, +added.',
        '@@ line 4 -> 4 @@ ## Scope',
        '-Two goes here.',
        '+It is another one now.',
      ].join('\n'),
    );
  });

  test.each<[string, string, string, readonly string[]]>([
    ['is empty if nothing changed', 'a. b.', 'a. b.', []],
    ['shows an added sentence at the end', 'a.', 'a.\n\nb.', ['@@ line 1 -> 3 @@', '+b.']],
    ['shows a removed sentence', 'a.\n\nb.', 'b.', ['@@ line 1 -> 1 @@', '-a.']],
    ['compares with an empty text', '', 'b.', ['@@ line 1 -> 1 @@', '+b.']],
    [
      'shows a sentence that moved as removed and added',
      'a. b. c.',
      'b. c. a.',
      ['@@ line 1 -> 1 @@', '-a.', '@@ line 1 -> 1 @@', '+a.'],
    ],
    [
      'shows the whole sentence for a changed word',
      `${KEPT} No other user may.`,
      'Records are kept for 90 days. No other user may.',
      ['@@ line 1 -> 1 @@', `-${KEPT}`, '+Records are kept for 90 days.'],
    ],
    [
      'shows the whole row for a changed cell',
      '| R1 | kept | 30 days |\n| R2 | gone | never |\n',
      '| R1 | kept | 90 days |\n| R2 | gone | never |\n',
      ['@@ line 1 -> 1 @@', '-| R1 | kept | 30 days |', '+| R1 | kept | 90 days |'],
    ],
    [
      'shows each sentence in its own line',
      'a.\n',
      'a.\n\nb. c.\nd.\n\n- e. f.\n- g.\n',
      ['@@ line 1 -> 3 @@', '+b.', '+c.', '+d.', '+- e.', '+f.', '+- g.'],
    ],
    [
      'shows the heading above a change once',
      '## Scope\n\nOne.\n\nTwo.\n',
      '## Scope\n\nAnother one.\n\nTwo.\n\n## New\n\nThree.\n',
      ['@@ line 3 -> 3 @@ ## Scope', '-One.', '+Another one.', '@@ line 5 -> 7 @@', '+## New', '+Three.'],
    ],
    [
      'shows a moved section at both places',
      `${LONG}\n${LIMITS}\n${END}`,
      `${LIMITS}\n${LONG}\n${END}`,
      [
        '@@ line 1 -> 1 @@',
        '+## Limits',
        '+No more than 50 calls a second.',
        '+That is for each customer.',
        '+Clients that send more calls have to wait.',
        '@@ line 7 -> 11 @@ ## Retention',
        '-## Limits',
        '-No more than 50 calls a second.',
        '-That is for each customer.',
        '-Clients that send more calls have to wait.',
      ],
    ],
    [
      'shows a changed sentence of a paragraph that is wrapped differently',
      `# A\n\n${KEPT} Their owner\nmay delete them.\n\nThe end.\n`,
      `# A\n\n${KEPT}\nTheir owner may\ndelete them.\n\nIt goes on.\n`,
      ['@@ line 6 -> 7 @@ # A', '-The end.', '+It goes on.'],
    ],
    [
      'shows an indented line of code as changed',
      '```\na\n```\n',
      '```\n  a\n```\n',
      ['@@ line 2 -> 2 @@', '-a', '+  a'],
    ],
    [
      'does not take a comment in code for a heading',
      '# T\n\n```sh\n# note\nls\n```\n',
      '# T\n\n```sh\n# note\nls -l\n```\n',
      ['@@ line 5 -> 5 @@ # T', '-ls', '+ls -l'],
    ],
  ])('%s', (_title, before, after, lines) => {
    expect(body(before, after)).toEqual(lines);
  });

  test.each([
    ['line breaks', `${KEPT} Their owner\nmay delete them.\n`, `${KEPT}\nTheir owner may\ndelete them.\n`],
    ['blank lines in an empty text', '', '\n\n'],
    ['a blank line at the end', 'a.\n', 'a.\n\n'],
  ])('reports that only spaces changed: %s', (_title, before, after) => {
    expect(sentenceDiff(before, after)).toBe('Only line breaks and spaces differ.');
  });

  test('prefixes an added sentence that looks like a line of the diff', () => {
    expect(body('a.', 'a.\n\n@@ line 1 -> 1 @@')).toContain('+@@ line 1 -> 1 @@');
  });
});

const textsOf = (text: string) => sentencesOf(text).map((sentence) => sentence.text);
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** Returns the removed and the added text that a reader can see in the diff. */
function readDiff(diff: string): { readonly gone: string; readonly come: string } {
  const lines = diff.split('\n').slice(1);
  const linesWith = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
  return { gone: linesWith('-').join('\n'), come: linesWith('+').join('\n') };
}

describe('complete diff', () => {
  /** A text, and the same text after some edits. */
  const revision = fc
    .tuple(markdown, fc.array(fc.tuple(fc.nat(200), fc.nat(30), fc.option(markdown)), { maxLength: 4 }))
    .map(([text, edits]) => {
      let after = text;
      for (const [at, count, insertion] of edits) {
        const from = Math.min(at, after.length);
        const cut = after.slice(from, from + count);
        after = after.slice(0, from) + (insertion ?? '') + after.slice(from + count) + (insertion === null ? cut : '');
      }
      return [text, after] as const;
    });

  test('turns the old words into the new ones by its removals and additions', () => {
    fc.assert(
      fc.property(fc.oneof(revision, fc.tuple(markdown, markdown)), ([before, after]) => {
        const diff = sentenceDiff(before, after);
        const { gone, come } = readDiff(diff);
        const words = wordsOf(before);
        for (const word of wordsOf(gone)) {
          expect(words).toContain(word);
          words.splice(words.indexOf(word), 1);
        }
        expect([...words, ...wordsOf(come)].sort()).toEqual(wordsOf(after).sort());
        expect(diff === '').toBe(before === after);
      }),
      { numRuns: 3000 },
    );
  });

  test('contains every added and every removed sentence', () => {
    fc.assert(
      fc.property(fc.oneof(revision, fc.tuple(markdown, markdown)), ([before, after]) => {
        const changes = readDiff(sentenceDiff(before, after));
        const [old, now] = [new Set(textsOf(before)), new Set(textsOf(after))];
        const plain = (text: string) => text.replace(/ +/g, ' ').trim();
        for (const sentence of now) if (!old.has(sentence)) expect(plain(changes.come)).toContain(plain(sentence));
        for (const sentence of old) if (!now.has(sentence)) expect(plain(changes.gone)).toContain(plain(sentence));
      }),
      { numRuns: 3000 },
    );
  });
});

// Comparing every sentence with every other would take minutes, so the timeout of a test is the limit.
describe('sentence diff of long texts', () => {
  test.each<[string, (n: number) => string, (n: number) => string]>([
    ['with few differences', (n) => `Sentence ${n} of it. `, (n) => `Sentence ${n % 50 === 0 ? -n : n} of it. `],
    ['without a common sentence', (n) => `Old ${n} words. `, (n) => `New ${n} words. `],
    ['with one different word per sentence', (n) => `This is old ${n} of it. `, (n) => `This is new ${n} of it. `],
    ['with seven repeated sentences', (n) => `Same ${n % 7}. `, (n) => `Same ${(n * 3) % 7}. `],
    ['without a full stop', (n) => `word${n} `, (n) => `word${n % 999 === 0 ? 'x' : n} `],
    ['with swapped blocks', (n) => `Block ${n ^ 64} is it. `, (n) => `Block ${n} is it. `],
    ['of spaces', () => ' '.repeat(1000), (n) => ' '.repeat(999 + (n % 3))],
    ['of diff marks', () => '[-'.repeat(50), (n) => `-]`.repeat(50 + (n % 2))],
    ['of full stops', () => '.)'.repeat(50), (n) => '.)'.repeat(50 + (n % 2))],
  ])('compares long texts %s within the timeout', (_title, before, after) => {
    const make = (sentenceAt: (n: number) => string) => {
      let text = '';
      for (let n = 0; text.length < LONG_TEXT; n += 1) text += sentenceAt(n) + (n % 10 === 9 ? '\n\n' : '');
      return text;
    };
    const [old, now] = [make(before), make(after)];
    expect(sentenceDiff(old, now).length).toBeGreaterThan(0);
  });

  test('compares different long sentences of the same words within the timeout', () => {
    let state = 1;
    const word = () => {
      state = (state * 48_271) % 2_147_483_647;
      return `w${state % 20}`;
    };
    const make = () => Array.from({ length: 50 }, () => Array.from({ length: 500 }, word).join(' ')).join('\n\n');
    const [old, now] = [make(), make()];
    expect(body(old, now).length).toBeGreaterThan(50);
  });

  test('compares a document of one endless line within the timeout', () => {
    const line = 'word '.repeat(200_000);
    expect(body(line, `${line}more`).at(-1)).toMatch(/^\+.*word more$/);
  });
});
