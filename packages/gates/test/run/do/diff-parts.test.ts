import type { DiffSection } from '@onceover/base/kernel/repository';
import { path } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexDiff, partShowing, sectionsOf, splitDiff } from '../../../src/run/do/prompt-diff.ts';

const section = (text: string, ...names: readonly string[]): DiffSection => ({ paths: names.map(path), text });

describe('the sections of a gate', () => {
  const A = section('A', 'src/a.ts');
  const B = section('B', 'docs/b.md');
  const RENAMED = section('R', 'src/old.ts', 'src/new.ts');
  const MOVED_IN = section('I', 'docs/x.ts', 'src/x.ts');
  const MOVED_OUT = section('O', 'src/y.ts', 'docs/y.ts');
  const OWN = new Set(['src/a.ts', 'src/old.ts', 'src/new.ts', 'src/x.ts', 'src/y.ts'].map(path));

  test.each([
    ['its own file', [A], [A], []],
    ['a file of another gate', [B], [], []],
    ['a rename inside it', [RENAMED], [RENAMED], []],
    ['a rename into it', [MOVED_IN], [], ['src/x.ts']],
    ['a rename out of it', [MOVED_OUT], [], ['src/y.ts']],
    ['all together, in their order', [RENAMED, MOVED_IN, B, A, MOVED_OUT], [RENAMED, A], ['src/x.ts', 'src/y.ts']],
  ])('%s', (_title, sections, whole, torn) => {
    expect(
      sectionsOf(
        indexDiff(sections, () => true),
        OWN,
      ),
    ).toEqual({ whole, torn });
  });
});

describe('a diff in parts', () => {
  const files = (...texts: readonly string[]) => texts.map((text, i) => section(text, `src/${i}.ts`));
  const parts = (...own: readonly DiffSection[]) => ({ ok: true, parts: own }) as const;
  test.each<[string, readonly DiffSection[], number, ReturnType<typeof splitDiff>]>([
    ['no text differs', [], 10, parts(section(''))],
    ['it fits', files('aaa', 'bbb'), 6, parts(section('aaabbb', 'src/0.ts', 'src/1.ts'))],
    ['one character too long', files('aaa', 'bbb'), 5, parts(section('aaa', 'src/0.ts'), section('bbb', 'src/1.ts'))],
    [
      'filled up file by file',
      files('aa', 'bb', 'cc', 'dddd'),
      4,
      parts(section('aabb', 'src/0.ts', 'src/1.ts'), section('cc', 'src/2.ts'), section('dddd', 'src/3.ts')),
    ],
    ['a file as long as the limit', files('aaaa'), 4, parts(section('aaaa', 'src/0.ts'))],
    [
      'a file over the limit is never cut',
      files('a', 'bbbbb'),
      4,
      { ok: false, path: path('src/1.ts'), characters: 5 },
    ],
    [
      'a renamed file over the limit goes by its new name',
      [section('aaaaa', 'src/old.ts', 'src/new.ts')],
      4,
      { ok: false, path: path('src/new.ts'), characters: 5 },
    ],
    ['a section without a path', [section('aaaaa')], 4, { ok: false, path: path(''), characters: 5 }],
  ])('%s', (_title, sections, limit, expected) => {
    expect(splitDiff(sections, limit)).toEqual(expected);
  });

  test('loses nothing, respects the limit and has no extra part', () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 12 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 14 }), (given, limit) => {
        const split = splitDiff(files(...given), limit);
        if (!split.ok) {
          expect(given.some((text) => text.length > limit)).toBe(true);
          return;
        }
        expect(given.every((text) => text.length <= limit)).toBe(true);
        expect(split.parts.map(({ text }) => text).join('')).toBe(given.join(''));
        expect(split.parts.flatMap(({ paths }) => paths)).toEqual(files(...given).flatMap(({ paths }) => paths));
        expect(split.parts.every(({ text }) => text.length <= limit)).toBe(true);
        expect(split.parts).toHaveLength(fewest(given, limit));
      }),
    );
  });
});

test.each<[string, string | null, number]>([
  ['the part that shows the file', 'src/b.ts', 1],
  ['not one that only speaks of it', 'b.ts', 2],
  ['nor one with a file whose name goes on', 'src/b', 0],
  ['under its old name', 'src/old.ts', 2],
  ['what no part shows goes with the first', 'src/gone.ts', 0],
  ['what has no place too', null, 0],
])('assigns a file to its part: %s', (_title, file, expected) => {
  const shown = [
    section('+see src/b.ts and b.ts', 'README.md'),
    section('+b', 'src/b.ts'),
    section('+c', 'b.ts', 'src/old.ts', 'src/new.ts'),
  ];
  expect(partShowing(file, shown)).toBe(expected);
});

/** The least number of runs of consecutive texts that fit the limit, by trying every first cut. */
function fewest(texts: readonly string[], limit: number): number {
  const best = Array<number>(texts.length + 1).fill(0);
  for (let from = texts.length - 1; from >= 0; from--) {
    let least = Number.POSITIVE_INFINITY;
    let length = 0;
    for (let to = from; to < texts.length; to++) {
      length += texts[to]?.length ?? 0;
      if (length <= limit) least = Math.min(least, 1 + (best[to + 1] ?? 0));
    }
    best[from] = least;
  }
  return Math.max(1, best[0] ?? 0);
}
