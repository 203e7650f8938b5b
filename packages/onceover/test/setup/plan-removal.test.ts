import type { RepoPath } from '@onceover/base/kernel/ids';
import { describe, expect, test } from 'vitest';
import { addHookEntry, addMcpEntry, removeHookEntry, removeMcpEntry } from '../../src/setup/agent-config.ts';
import { type FoundFile, planRemoval } from '../../src/setup/remove.ts';

const file = (path: string, text: string | null, isUnchanged = false): FoundFile => ({
  path: path as RepoPath,
  text,
  isUnchanged,
});
const writtenText = (change: ReturnType<typeof addMcpEntry>) => (change.kind === 'write' ? change.text : '');

describe('files', () => {
  const PROMPT = '.onceover/reviews/code-quality.md';

  test('removes unchanged files and keeps edited ones', () => {
    const files = [file('onceover.yml', 'x', true), file(PROMPT, 'p', true), file('.deepreview', 'mine')];
    expect(planRemoval(files)).toEqual({
      taken: [
        { kind: 'file', path: 'onceover.yml', count: 1, rest: null },
        { kind: 'file', path: PROMPT, count: 1, rest: null },
      ],
      left: [{ path: '.deepreview', why: 'yours' }],
    });
  });

  test('keeps a prompt that kept settings use', () => {
    const settings = file('onceover.yml', `reviews: { a: { prompt: ${PROMPT} } }`);
    const otherPrompt = file('.onceover/reviews/other.md', 'p', true);
    expect(planRemoval([settings, file(PROMPT, 'p', true), otherPrompt])).toEqual({
      taken: [{ kind: 'file', path: otherPrompt.path, count: 1, rest: null }],
      left: [
        { path: 'onceover.yml', why: 'yours' },
        { path: PROMPT, why: 'named' },
      ],
    });
  });

  test('keeps a file that cannot be read', () => {
    expect(planRemoval([file('onceover.yml', null)]).left).toEqual([{ path: 'onceover.yml', why: 'yours' }]);
  });
});

describe('entries in shared files', () => {
  test('removes what was added: the file is as before, or gone', () => {
    for (const before of ['{\n  "mcpServers": {\n    "a": {}\n  }\n}\n', '{\n\t"x": [\n\t\t1\n\t]\n}\n']) {
      expect(removeMcpEntry(writtenText(addMcpEntry(before)))).toEqual({ kind: 'write', text: before, added: '' });
    }
    expect(removeMcpEntry(writtenText(addMcpEntry(null)))).toEqual({ kind: 'write', text: '', added: '' });
    for (const agent of ['claude', 'codex', 'gemini'] as const) {
      const event = agent === 'gemini' ? 'AfterAgent' : 'Stop';
      for (const userSettings of [
        { a: 1 },
        { hooks: { [event]: [{ hooks: [{ command: 'b' }] }] } },
        { hooks: { Other: [] } },
      ]) {
        const before = `${JSON.stringify(userSettings, null, 2)}\n`;
        expect(removeHookEntry(agent, writtenText(addHookEntry(agent, before)))).toEqual({
          kind: 'write',
          text: before,
          added: '',
        });
      }
      expect(removeHookEntry(agent, writtenText(addHookEntry(agent, null)))).toEqual({
        kind: 'write',
        text: '',
        added: '',
      });
    }
  });

  test('keeps another hook in the same entry', () => {
    const settings = {
      hooks: { Stop: [{ matcher: '', hooks: [{ command: 'theirs' }, { command: 'onceover hook stop' }] }] },
    };
    expect(removeHookEntry('claude', JSON.stringify(settings))).toEqual({
      kind: 'write',
      text: `${JSON.stringify({ hooks: { Stop: [{ matcher: '', hooks: [{ command: 'theirs' }] }] } }, null, 2)}\n`,
      added: '',
    });
  });

  test.each([
    ['no entry of ours', '.mcp.json', '{"mcpServers":{"a":{}}}', []],
    ['servers of another shape', '.mcp.json', '{"mcpServers":["onceover"]}', []],
    ['hooks of another shape', '.claude/settings.json', '{"hooks":{"Stop":"onceover hook stop"}}', []],
    ['invalid JSON without our name', '.mcp.json', '// a comment\n{}', []],
    ['invalid JSON with our name', '.mcp.json', '// onceover\n{}', [{ path: '.mcp.json', why: 'unreadable' }]],
  ] as const)('does not touch a file with %s', (_, path, text, keptFiles) => {
    expect(planRemoval([file(path, text)])).toEqual({ taken: [], left: keptFiles });
  });

  test('names the kind of each entry, with the rest of the file', () => {
    const mcp = '{"mcpServers":{"onceover":{"command":"mine"},"b":{}}}';
    const hook = '{"hooks":{"AfterAgent":[{"hooks":[{"command":"onceover hook stop"}]}]}}';
    expect(planRemoval([file('.mcp.json', mcp), file('.gemini/settings.json', hook)]).taken).toEqual([
      {
        kind: 'server',
        path: '.mcp.json',
        count: 1,
        rest: '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n',
      },
      { kind: 'hook', path: '.gemini/settings.json', count: 1, rest: null },
    ]);
  });
});
