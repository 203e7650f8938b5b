import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byCodePoint } from '../../src/kernel/collections.ts';

describe('strings in code-point order', () => {
  test.each<[title: string, inOrder: string[]]>([
    ['a shorter one first', ['', 'a', 'aa', 'ab', 'b']],
    ['capitals before small letters', ['A', 'Z', 'a', 'z']],
    ['what stands between names and folders', ['a-z.py', 'a.py', 'a/b.py', 'a0.py']],
    ['accents by their number, not as people sort', ['z', 'é', 'ø']],
    ['characters over U+FFFF last', ['\ud7ff', '\ue000', '\ufb01', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}']],
    ['also behind the same beginning', ['x\ufb01', 'x\u{1f600}', 'x\u{1f600}a', 'x\u{1f601}']],
  ])('%s', (_, inOrder) => {
    expect([...inOrder].reverse().sort(byCodePoint)).toEqual(inOrder);
  });

  test('have the order of their UTF-8 bytes', () => {
    const unit = fc.oneof(
      fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}'),
      fc.string({ unit: 'binary' }),
    );
    const text = fc.string({ unit, maxLength: 6 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(byCodePoint(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: 2000 },
    );
  });
});
