import { describe, expect, test } from 'vitest';
import type { HookAgent } from '../../src/domain/set-up.ts';
import { addHookEntry, hookFile } from '../../src/plan/hook-entry.ts';

type Row = { agent: HookAgent; file: string; event: string; timeout: number };

describe.each<Row>([
  { agent: 'claude', file: '.claude/settings.json', event: 'Stop', timeout: 600 },
  { agent: 'codex', file: '.codex/hooks.json', event: 'Stop', timeout: 600 },
  { agent: 'gemini', file: '.gemini/settings.json', event: 'AfterAgent', timeout: 600_000 },
])('$agent', ({ agent, file, event, timeout }) => {
  const entry = { hooks: [{ type: 'command', command: expect.stringContaining('onceover hook stop'), timeout }] };
  const written = (present: string | null) => {
    const change = addHookEntry(agent, present);
    return change.kind === 'write' ? (JSON.parse(change.text) as unknown) : change;
  };

  test(`is told in ${file}`, () => {
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
  ])('%s: the hook is added, the rest kept', (_title, present, kept: { hooks?: object }) => {
    expect(written(present)).toEqual({ ...kept, hooks: { ...kept.hooks, [event]: [entry] } });
  });

  test('other hooks of the same event stay before it', () => {
    const other = { matcher: '*', hooks: [{ type: 'command', command: './mine.sh' }] };
    expect(written(JSON.stringify({ hooks: { [event]: [other] } }))).toEqual({ hooks: { [event]: [other, entry] } });
  });

  test('what was added is told', () => {
    const change = addHookEntry(agent, '{"model":"x"}');
    expect(change.kind === 'write' && JSON.parse(change.added)).toEqual({ [event]: [entry] });
  });

  test('a second time nothing is changed', () => {
    const first = addHookEntry(agent, null);
    expect(first.kind === 'write' && addHookEntry(agent, first.text)).toEqual({ kind: 'leave' });
  });

  test('one of ours that was changed by hand stays as it is', () => {
    const own = { hooks: [{ type: 'command', command: 'npx onceover hook stop --deadline 60', timeout: 90 }] };
    expect(addHookEntry(agent, JSON.stringify({ hooks: { [event]: [own] } }))).toEqual({ kind: 'leave' });
  });

  test.each(['{', '// no\n{}', '[]', '"x"', 'null', '{"hooks":[]}', '{"hooks":3}', `{"hooks":{"${event}":{}}}`])(
    '%s is left alone and said',
    (present) => {
      expect(addHookEntry(agent, present)).toEqual({ kind: 'unreadable', said: expect.stringMatching(/./) });
    },
  );
});

test('it answers before the agent gives up on it, also where it is installed and where not', () => {
  const change = addHookEntry('claude', null);
  expect(change.kind === 'write' && change.text).toContain('command -v onceover');
  expect(change.kind === 'write' && change.text).toContain('npx -y onceover hook stop');
});
