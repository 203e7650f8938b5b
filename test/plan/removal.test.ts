import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import { addHookEntry, takeHookEntry } from '../../src/plan/hook-entry.ts';
import { addMcpEntry, takeMcpEntry } from '../../src/plan/mcp-entry.ts';
import { type FoundFile, planRemoval } from '../../src/plan/removal.ts';

const file = (path: string, text: string | null, isUnchanged = false, tracked = false): FoundFile => ({
  path: path as RepoPath,
  text,
  isUnchanged,
  tracked,
});
const written = (change: ReturnType<typeof addMcpEntry>) => (change.kind === 'write' ? change.text : '');

describe('files', () => {
  const PROMPT = '.onceover/reviews/code-quality.md';

  test('those that are as they were written go; those that somebody changed stay', () => {
    const found = [file('onceover.yml', 'x', true, true), file(PROMPT, 'p', true), file('.deepreview', 'mine')];
    expect(planRemoval(found)).toEqual({
      taken: [
        { kind: 'file', path: 'onceover.yml', tracked: true },
        { kind: 'file', path: PROMPT, tracked: false },
      ],
      left: [{ path: '.deepreview', why: 'yours' }],
    });
  });

  test('a prompt stays that settings name which stay', () => {
    const settings = file('onceover.yml', `reviews: { a: { prompt: ${PROMPT} } }`);
    const other = file('.onceover/reviews/other.md', 'p', true);
    expect(planRemoval([settings, file(PROMPT, 'p', true), other])).toEqual({
      taken: [{ kind: 'file', path: other.path, tracked: false }],
      left: [
        { path: 'onceover.yml', why: 'yours' },
        { path: PROMPT, why: 'named' },
      ],
    });
  });

  test('what cannot be read stays', () => {
    expect(planRemoval([file('onceover.yml', null)]).left).toEqual([{ path: 'onceover.yml', why: 'yours' }]);
  });
});

describe('entries in files of others', () => {
  test('what was added is taken out again: the file is as it was, or gone', () => {
    for (const before of ['{\n  "mcpServers": {\n    "a": {}\n  }\n}\n', '{\n\t"x": [\n\t\t1\n\t]\n}\n']) {
      expect(takeMcpEntry(written(addMcpEntry(before)))).toEqual({ kind: 'write', text: before });
    }
    expect(takeMcpEntry(written(addMcpEntry(null)))).toEqual({ kind: 'write', text: null });
    for (const agent of ['claude', 'codex', 'gemini'] as const) {
      const event = agent === 'gemini' ? 'AfterAgent' : 'Stop';
      for (const own of [{ a: 1 }, { hooks: { [event]: [{ hooks: [{ command: 'b' }] }] } }, { hooks: { Other: [] } }]) {
        const before = `${JSON.stringify(own, null, 2)}\n`;
        expect(takeHookEntry(agent, written(addHookEntry(agent, before)))).toEqual({ kind: 'write', text: before });
      }
      expect(takeHookEntry(agent, written(addHookEntry(agent, null)))).toEqual({ kind: 'write', text: null });
    }
  });

  test("another's hook in the same entry stays", () => {
    const both = {
      hooks: { Stop: [{ matcher: '', hooks: [{ command: 'theirs' }, { command: 'onceover hook stop' }] }] },
    };
    expect(takeHookEntry('claude', JSON.stringify(both))).toEqual({
      kind: 'write',
      text: `${JSON.stringify({ hooks: { Stop: [{ matcher: '', hooks: [{ command: 'theirs' }] }] } }, null, 2)}\n`,
    });
  });

  test.each([
    ['no entry of ours', '.mcp.json', '{"mcpServers":{"a":{}}}', []],
    ['servers of another shape', '.mcp.json', '{"mcpServers":["onceover"]}', []],
    ['hooks of another shape', '.claude/settings.json', '{"hooks":{"Stop":"onceover hook stop"}}', []],
    ['no JSON, and nothing of ours', '.mcp.json', '// a comment\n{}', []],
    ['no JSON, with our name', '.mcp.json', '// onceover\n{}', [{ path: '.mcp.json', why: 'unreadable' }]],
  ] as const)('%s: it is not touched', (_, path, text, left) => {
    expect(planRemoval([file(path, text)])).toEqual({ taken: [], left });
  });

  test('each is told by what it is, with what stays', () => {
    const mcp = '{"mcpServers":{"onceover":{"command":"mine"},"b":{}}}';
    const hook = '{"hooks":{"AfterAgent":[{"hooks":[{"command":"onceover hook stop"}]}]}}';
    expect(planRemoval([file('.mcp.json', mcp, false, true), file('.gemini/settings.json', hook)]).taken).toEqual([
      { kind: 'server', path: '.mcp.json', tracked: true, text: '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n' },
      { kind: 'hook', agent: 'gemini', path: '.gemini/settings.json', tracked: false, text: null },
    ]);
  });
});
