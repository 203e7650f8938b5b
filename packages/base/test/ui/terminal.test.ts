import { hostileText } from '@onceover/testing/hostile.ts';
import { commandsIn } from '@onceover/testing/workflow-commands.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonWithoutCommands, withoutCommands } from '../../src/ui/terminal.ts';

test.each([
  ['::error::x', ': :error::x'],
  ['a\n  ::error::x\n', 'a\n  : :error::x\n'],
  ['a ::b:: c', 'a ::b:: c'],
  ['a ##[error]b', 'a ## [error]b'],
])('%j is printed as %j', (text, output) => {
  expect(withoutCommands(text)).toBe(output);
});

test('defuses commands in any text', () => {
  fc.assert(
    // Printed text has no control characters but line ends.
    fc.property(hostileText, (text) => {
      expect(commandsIn(withoutCommands(text.replaceAll('\u0085', '')))).toEqual([]);
    }),
  );
});

test('defuses commands in JSON without changing its value', () => {
  fc.assert(
    fc.property(fc.array(hostileText), (texts) => {
      const json = jsonWithoutCommands(JSON.stringify({ texts }, null, 2));
      expect(JSON.parse(json)).toEqual({ texts });
      expect(commandsIn(json)).toEqual([]);
    }),
  );
});
