import { expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { Belongings } from '../../src/domain/ports.ts';
import { done, failed } from '../../src/domain/result.ts';
import { removeSetUp } from '../../src/execute/remove.ts';
import { memoryProjectFiles } from '../support/memory/project-files.ts';

const FILES = {
  'onceover.yml': 'ours',
  '.onceover/reviews/mine.md': 'mine',
  '.onceover/roles/own.md': 'mine',
  '.mcp.json': '{"mcpServers":{"onceover":{},"b":{}}}',
  '.claude/settings.json': '{"hooks":{"Stop":[{"hooks":[{"command":"onceover hook stop"}]}]}}',
  'src/.deepreview': 'mine',
  'a.ts': 'ours',
};

function scene(remove: Belongings['remove'] = async () => done(undefined)) {
  const files = memoryProjectFiles(FILES);
  const listing = { tracked: Object.keys(FILES) as RepoPath[], untracked: [] };
  const belongings: Belongings = { find: async () => done([{ kind: 'refs', count: 1 }]), remove };
  const there = async () => {
    const read = async (path: string) => {
      const text = await files.read(path as RepoPath);
      return text.ok ? text.value : null;
    };
    return Object.fromEntries(await Promise.all(Object.keys(FILES).map(async (path) => [path, await read(path)])));
  };
  return { ports: { files, listing, belongings, isOurs: (_: RepoPath, text: string) => text === 'ours' }, there };
}

test('is told without being done', async () => {
  const { ports, there } = scene(async () => {
    throw new Error('nothing may be removed');
  });
  const told = await removeSetUp(ports, { isDone: false });
  expect(told).toMatchObject({
    ok: true,
    value: {
      isDone: false,
      taken: [
        { kind: 'file', path: 'onceover.yml', tracked: true },
        { kind: 'server', path: '.mcp.json' },
        { kind: 'hook', agent: 'claude' },
        { kind: 'refs', count: 1 },
      ],
      left: ['.onceover/reviews/mine.md', '.onceover/roles/own.md', 'src/.deepreview'].map((path) => ({
        path,
        why: 'yours',
      })),
    },
  });
  expect(await there()).toEqual(FILES);
});

test('is done: ours goes, the rest stays', async () => {
  const { ports, there } = scene();
  expect((await removeSetUp(ports, { isDone: true })).ok).toBe(true);
  expect(await there()).toEqual({
    ...FILES,
    'onceover.yml': null,
    '.claude/settings.json': null,
    '.mcp.json': '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n',
  });
});

test('a run that is going on keeps everything as it is', async () => {
  const held = { kind: 'lock-held', pid: 1, host: 'h', since: '2026-01-01T00:00:00.000Z' } as const;
  const { ports, there } = scene(async () => failed(held));
  expect(await removeSetUp(ports, { isDone: true })).toEqual({ ok: false, failure: held });
  expect(await there()).toEqual(FILES);
});
