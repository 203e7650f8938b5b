import type { Entry } from '@onceover/base/kernel/repository';
import { entry } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentOf, isSameEntry } from '../../../src/run/decide/gate-list.ts';

const A = entry({ path: 'src/a.ts' });
const B = entry({ path: 'src/b.ts' });

describe('the content of a gate', () => {
  test.each<[string, readonly Entry[]]>([
    ['another path', [entry({ path: 'src/c.ts' })]],
    ['another mode', [entry({ mode: '100755' })]],
    ['another mode in the base', [entry({ baseMode: '100755' })]],
    ['a symlink with the same blob', [entry({ mode: '120000' })]],
    ['another base', [entry({ baseBlob: 'b9' })]],
    ['an added file', [entry({ baseBlob: null })]],
    ['another head', [entry({ headBlob: 'h9' })]],
    ['a deleted file', [entry({ headBlob: null })]],
    ['one more file', [A, B]],
    ['no file', []],
    // Moving a character from one field to the next must change the hash.
    ['a character moved to the next field', [entry({ path: 'src/a.ts1', mode: '00644' })]],
    ['a blob moved from base to head', [entry({ baseBlob: null, headBlob: 'b0h1' })]],
  ])('%s gives another hash', (_title, entries) => {
    expect(contentOf(entries)).not.toBe(contentOf([A]));
  });

  test('does not depend on the order of the entries', () => {
    const entries = [entry({ path: '\u{1f600}' }), entry({ path: '\uff5e' }), A, B];
    expect(contentOf([...entries].reverse())).toBe(contentOf(entries));
  });

  test('does not reorder the given entries', () => {
    const entries = [B, A];
    contentOf(entries);
    expect(entries).toEqual([B, A]);
  });

  test('is equal only for equal entries, in any order', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '1', ':', '2', 'ä', '/'), maxLength: 4 });
    const blob = fc.option(
      text.filter((one) => one !== ''),
      { nil: null },
    );
    const anyEntry = fc.record({ path: text, mode: text, baseBlob: blob, headBlob: blob }).map(entry);
    const entries = fc.uniqueArray(anyEntry, { selector: ({ path }) => path, maxLength: 3 });
    const sorted = (given: readonly Entry[]) => JSON.stringify([...given].map((one) => [one.path, one]).sort());
    fc.assert(
      fc.property(entries, entries, (a, b) => {
        expect(contentOf(a) === contentOf(b)).toBe(sorted(a) === sorted(b));
        expect(contentOf([...a].reverse())).toBe(contentOf(a));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the same entry', () => {
  test.each<[string, Entry | null | undefined, boolean]>([
    ['all fields are equal', entry(), true],
    ['another path', entry({ path: 'src/b.ts' }), false],
    ['another mode', entry({ mode: '100755' }), false],
    ['another base', entry({ baseBlob: 'b9' }), false],
    ['another head', entry({ headBlob: null }), false],
    ['the second entry is missing', undefined, false],
    ['the second entry is unknown', null, false],
  ])('%s', (_title, other, expected) => {
    expect(isSameEntry(A, other)).toBe(expected);
    expect(isSameEntry(other, A)).toBe(expected);
  });

  test('two unknown entries are not the same', () => {
    expect(isSameEntry(null, null)).toBe(false);
    expect(isSameEntry(undefined, undefined)).toBe(false);
  });
});
