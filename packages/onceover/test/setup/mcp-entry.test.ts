import { expect, test } from 'vitest';
import { addMcpEntry } from '../../src/setup/agent-config.ts';

const ENTRY = { command: 'onceover', args: ['mcp'] };

test.each([
  ['no file', null, { mcpServers: { onceover: ENTRY } }],
  ['an empty file', ' \n', { mcpServers: { onceover: ENTRY } }],
  [
    'other keys and servers',
    '{"x":1,"mcpServers":{"a":{"command":"b"}}}',
    { x: 1, mcpServers: { a: { command: 'b' }, onceover: ENTRY } },
  ],
])('adds the entry to %s and keeps the rest', (_title, present, config) => {
  const change = addMcpEntry(present);
  expect(change.kind === 'write' && JSON.parse(change.text)).toEqual(config);
});

test('keeps an existing entry, whatever it says', () => {
  expect(addMcpEntry('{"mcpServers":{"onceover":{"command":"mine"}}}')).toEqual({ kind: 'leave' });
});

test.each(['{', '[]', '"x"', 'null', '{"mcpServers":[]}', '{"mcpServers":3}'])(
  'reports %s and changes nothing',
  (present) => {
    expect(addMcpEntry(present)).toEqual({ kind: 'unreadable', said: expect.stringMatching(/./) });
  },
);

test.each([
  [['npx', '--no-install', 'onceover'], { command: 'npx', args: ['--no-install', 'onceover', 'mcp'] }],
  [['/usr/bin/node', '/a/cli.mjs'], { command: '/usr/bin/node', args: ['/a/cli.mjs', 'mcp'] }],
])('starts %j', (program, entry) => {
  const change = addMcpEntry(null, program);
  expect(change.kind === 'write' && JSON.parse(change.text)).toEqual({ mcpServers: { onceover: entry } });
});
