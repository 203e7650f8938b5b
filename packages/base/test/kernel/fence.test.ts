import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fence } from '../../src/kernel/escape.ts';

/** Parses a text that begins with a fence as CommonMark does: its content, and the text after it. */
function readFence(text: string): { info: string; content: string; rest: string } {
  const opening = /^(`{3,})([^`\n\r]*)\n/.exec(text);
  if (opening === null) throw new Error('no fence');
  const [whole, marks = '', info = ''] = opening;
  const closing = new RegExp(`^ {0,3}\`{${marks.length},}[ \\t]*$`);
  let content = '';
  let at = whole.length;
  while (at < text.length) {
    const [line = '', ending = ''] = /([^\n\r]*)(\r\n|\n|\r|)/.exec(text.slice(at))?.slice(1) ?? [];
    at += line.length + ending.length;
    if (closing.test(line)) return { info, content, rest: text.slice(at) };
    content += line + ending;
  }
  throw new Error('the fence is not closed');
}

describe('a fence', () => {
  test.each([
    ['plain text', 'a\nb', '```\na\nb\n```'],
    ['a line break at the end', 'a\n', '```\na\n```'],
    ['nothing', '', '```\n\n```'],
    ['single marks', 'a `b` ``c``', '```\na `b` ``c``\n```'],
    ['a fence inside', '```py\nx\n```', '````\n```py\nx\n```\n````'],
    ['a longer fence inside', 'x\n`````\ny', '``````\nx\n`````\ny\n``````'],
    ['another kind of fence inside', '~~~\nx\n~~~', '```\n~~~\nx\n~~~\n```'],
  ])('%s', (_, text, block) => {
    expect(fence(text)).toBe(block);
  });

  test('can have a label', () => {
    expect(readFence(fence('x = 1\n', 'py'))).toEqual({ info: 'py', content: 'x = 1\n', rest: '' });
  });

  test('cannot be closed by its text', () => {
    const unit = fc.oneof(fc.constantFrom('`', '``', '```', '\n', '\r', '\r\n', ' ', '\t', '~', 'a'), fc.string());
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const parsedFence = readFence(`${fence(text)}\nafter`);
        expect(parsedFence.rest).toBe('after');
        expect(parsedFence.content).toBe(text.endsWith('\n') ? text : `${text}\n`);
      }),
      { numRuns: 1000 },
    );
  });

  test('can hold the longest text of a rule', () => {
    const text = '` '.repeat(128 * 1024);
    expect(fence(text)).toBe(`\`\`\`\n${text}\n\`\`\``);
  });
});
