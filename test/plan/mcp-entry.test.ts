import { expect, test } from 'vitest';
import { addMcpEntry } from '../../src/plan/mcp-entry.ts';

const ENTRY = { command: 'npx', args: ['-y', 'onceover', 'mcp'] };

test.each([
  ['no file', null, { mcpServers: { onceover: ENTRY } }],
  ['an empty file', ' \n', { mcpServers: { onceover: ENTRY } }],
  [
    'other keys and servers',
    '{"x":1,"mcpServers":{"a":{"command":"b"}}}',
    { x: 1, mcpServers: { a: { command: 'b' }, onceover: ENTRY } },
  ],
])('%s: the entry is added, the rest kept', (_title, present, expected) => {
  const change = addMcpEntry(present);
  expect(change.kind === 'write' && JSON.parse(change.text)).toEqual(expected);
});

test('an entry that is there stays, whatever it says', () => {
  expect(addMcpEntry('{"mcpServers":{"onceover":{"command":"mine"}}}')).toEqual({ kind: 'leave' });
});

test.each(['{', '[]', '"x"', 'null', '{"mcpServers":[]}', '{"mcpServers":3}'])(
  '%s is left alone and said',
  (present) => {
    expect(addMcpEntry(present)).toEqual({ kind: 'unreadable', said: expect.stringMatching(/./) });
  },
);
