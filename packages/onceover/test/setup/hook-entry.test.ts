import { describe, expect, test } from 'vitest';
import { addHookEntry, hookFile } from '../../src/setup/agent-config.ts';
import type { HookAgent } from '../../src/setup/types.ts';

type Row = { agent: HookAgent; file: string; event: string; timeout: number };

describe.each<Row>([
  { agent: 'claude', file: '.claude/settings.json', event: 'Stop', timeout: 600 },
  { agent: 'codex', file: '.codex/hooks.json', event: 'Stop', timeout: 600 },
  { agent: 'gemini', file: '.gemini/settings.json', event: 'AfterAgent', timeout: 600_000 },
])('$agent', ({ agent, file, event, timeout }) => {
  const entry = { hooks: [{ type: 'command', command: expect.stringContaining('onceover hook stop'), timeout }] };
  const settingsAfter = (present: string | null) => {
    const change = addHookEntry(agent, present);
    return change.kind === 'write' ? (JSON.parse(change.text) as unknown) : change;
  };

  test(`has its hooks in ${file}`, () => {
    expect(hookFile(agent)).toBe(file);
  });

  test.each([
    ['no file', null, {}],
    ['an empty file', ' \n', {}],
    [
      'other settings',
      '{"model":"x","hooks":{"Other":[{"hooks":[]}]}}',
      { model: 'x', hooks: { Other: [{ hooks: [] }] } },
    ],
  ])('adds the hook to %s and keeps the rest', (_title, present, userSettings: { hooks?: object }) => {
    expect(settingsAfter(present)).toEqual({ ...userSettings, hooks: { ...userSettings.hooks, [event]: [entry] } });
  });

  test('keeps other hooks of the same event before it', () => {
    const otherHook = { matcher: '*', hooks: [{ type: 'command', command: './mine.sh' }] };
    expect(settingsAfter(JSON.stringify({ hooks: { [event]: [otherHook] } }))).toEqual({
      hooks: { [event]: [otherHook, entry] },
    });
  });

  test('returns what was added', () => {
    const change = addHookEntry(agent, '{"model":"x"}');
    expect(change.kind === 'write' && JSON.parse(change.added)).toEqual({ [event]: [entry] });
  });

  test('changes nothing the second time', () => {
    const first = addHookEntry(agent, null);
    expect(first.kind === 'write' && addHookEntry(agent, first.text)).toEqual({ kind: 'leave' });
  });

  test('keeps a hook of onceover that the user edited', () => {
    const editedHook = { hooks: [{ type: 'command', command: 'npx onceover hook stop --deadline 60', timeout: 90 }] };
    expect(addHookEntry(agent, JSON.stringify({ hooks: { [event]: [editedHook] } }))).toEqual({ kind: 'leave' });
  });

  test.each(['{', '// no\n{}', '[]', '"x"', 'null', '{"hooks":[]}', '{"hooks":3}', `{"hooks":{"${event}":{}}}`])(
    'reports %s and changes nothing',
    (present) => {
      expect(addHookEntry(agent, present)).toEqual({ kind: 'unreadable', said: expect.stringMatching(/./) });
    },
  );
});

test.each([
  [['onceover'], 'onceover hook stop'],
  [['npx', '--no-install', 'onceover'], 'npx --no-install onceover hook stop'],
  [
    ['/usr/bin/node', '/my tools/cli.mjs'],
    "if command -v onceover >/dev/null 2>&1; then onceover hook stop; else /usr/bin/node '/my tools/cli.mjs' hook stop; fi",
  ],
])('starts %j, and recognises its own hook again', (program, command) => {
  const change = addHookEntry('claude', null, program);
  const text = change.kind === 'write' ? change.text : '{}';
  expect(JSON.parse(text)).toMatchObject({ hooks: { Stop: [{ hooks: [{ command }] }] } });
  expect(addHookEntry('claude', text, program)).toEqual({ kind: 'leave' });
});
