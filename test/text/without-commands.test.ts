import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonWithoutCommands, withoutCommands } from '../../src/text/without-commands.ts';
import { hostileText } from '../support/hostile.ts';
import { commandsIn } from '../support/workflow-commands.ts';

test.each([
  ['::error::x', ': :error::x'],
  ['a\n  ::error::x\n', 'a\n  : :error::x\n'],
  ['a ::b:: c', 'a ::b:: c'],
  ['a ##[error]b', 'a ## [error]b'],
])('%j is printed as %j', (text, expected) => {
  expect(withoutCommands(text)).toBe(expected);
});

test('no text of a person or a reviewer holds a command', () => {
  fc.assert(
    // What is printed has no control characters but line ends.
    fc.property(hostileText, (text) => {
      expect(commandsIn(withoutCommands(text.replaceAll('\u0085', '')))).toEqual([]);
    }),
  );
});

test('JSON holds no command, and says the same', () => {
  fc.assert(
    fc.property(fc.array(hostileText), (texts) => {
      const json = jsonWithoutCommands(JSON.stringify({ texts }, null, 2));
      expect(JSON.parse(json)).toEqual({ texts });
      expect(commandsIn(json)).toEqual([]);
    }),
  );
});
