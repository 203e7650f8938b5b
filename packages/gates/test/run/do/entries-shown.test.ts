import type { Entry } from '@onceover/base/kernel/repository';
import { entry } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { entriesShown, sessionCoversChange } from '../../../src/run/do/prompt-diff.ts';

const A = entry({ path: 'a.ts', baseBlob: 'a1', headBlob: 'a2' });
const NEW = entry({ path: 'new.ts', baseBlob: null, headBlob: 'n1' });
const B = entry({ path: 'b.ts', baseBlob: 'b1', headBlob: 'b2' });

describe('whether a session knows the whole change', () => {
  test.each<[string, readonly Entry[], readonly Entry[], readonly string[], boolean]>([
    ['the same entries', [A, NEW], [A, NEW], [], true],
    ['another content of one entry, which the delta shows', [A], [{ ...A, headBlob: 'a3' }], ['a.ts'], true],
    ['fewer than it was shown', [A, B], [A], [], true],
    ['one more, which has changed since', [A], [A, B], ['b.ts'], true],
    ['one more, which was in the tree before', [A], [A, B], [], false],
    ['one more, where another has changed', [A], [A, B], ['a.ts'], false],
    ['one against another base', [A], [{ ...A, baseBlob: 'a0' }], [], false],
    ['one against another mode at the base', [A], [{ ...A, baseMode: '100755' }], [], false],
    [
      'another mode of one entry, which the delta shows',
      [A],
      [{ ...A, mode: '100755', baseMode: A.mode }],
      ['a.ts'],
      true,
    ],
    ['one against another base, also where it has changed since', [A], [{ ...A, baseBlob: 'a0' }], ['a.ts'], false],
    ['a new file that has a base by now', [NEW], [{ ...NEW, baseBlob: 'n0' }], ['new.ts'], false],
    ['nothing was shown', [], [A], [], false],
    ['nothing is left to know', [A], [], [], true],
  ])('%s', (_title, shown, now, changed, expected) => {
    expect(sessionCoversChange(entriesShown(shown), now, (path) => changed.includes(path))).toBe(expected);
  });
});
