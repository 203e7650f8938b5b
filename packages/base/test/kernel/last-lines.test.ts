import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastLines } from '../../src/kernel/escape.ts';

const numberedLines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`);

test.each([
  ['nothing', '', ''],
  ['a line', 'a\n', 'a'],
  ['empty lines at the end', 'a\nb\n\n \n', 'a\nb'],
  ['white space at the beginning stays', '  a', '  a'],
  ['twenty lines', numberedLines(20).join('\n'), numberedLines(20).join('\n')],
  ['more', numberedLines(25).join('\n'), numberedLines(25).slice(5).join('\n')],
  ['4000 characters', 'x'.repeat(4000), 'x'.repeat(4000)],
  ['one long line', `a${'x'.repeat(4000)}`, 'x'.repeat(4000)],
])('%s', (_title, output, lines) => {
  expect(lastLines(output)).toBe(lines);
});

test('returns the end of the output, with a limit', () => {
  const output = fc.string({ unit: fc.constantFrom('\n', 'a', ' ', 'long '.repeat(60)), maxLength: 60 });
  fc.assert(
    fc.property(output, (text) => {
      const end = lastLines(text);
      expect(text.trimEnd().endsWith(end)).toBe(true);
      expect(end.length).toBeLessThanOrEqual(4000);
      expect(end.split('\n').length).toBeLessThanOrEqual(20);
    }),
  );
});
