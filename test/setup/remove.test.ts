import { expect, test } from 'vitest';
import type { RepoPath } from '../../src/kernel/ids.ts';
import { err, ok } from '../../src/kernel/result.ts';
import type { OwnFiles } from '../../src/setup/own-files.ts';
import { removeOwnFiles } from '../../src/setup/remove.ts';
import { memoryProjectFiles } from '../support/memory/project-files.ts';

const FILES = {
  'onceover.yml': 'ours',
  '.onceover/reviews/edited.md': 'edited',
  '.onceover/reviews/mine.md': 'never written by init',
  '.mcp.json': '{"mcpServers":{"onceover":{},"b":{}}}',
  '.claude/settings.json': '{"hooks":{"Stop":[{"hooks":[{"command":"onceover hook stop"}]}]}}',
  '.deepreview': 'edited',
  'a.ts': 'ours',
};

function scene(remove: OwnFiles['remove'] = async () => ok(undefined)) {
  const files = memoryProjectFiles(FILES);
  const tracked = new Set(Object.keys(FILES));
  const ownFiles: OwnFiles = { find: async () => ok([{ kind: 'refs', path: null, count: 1 }]), remove };
  const there = async () => {
    const read = async (path: string) => {
      const text = await files.read(path as RepoPath);
      return text.ok ? text.value : null;
    };
    return Object.fromEntries(await Promise.all(Object.keys(FILES).map(async (path) => [path, await read(path)])));
  };
  const manifest = {
    paths: () => ['onceover.yml', '.onceover/reviews/edited.md', '.deepreview'] as RepoPath[],
    has: (_: RepoPath, text: string) => text === 'ours',
  };
  return { ports: { files, tracked, ownFiles, manifest }, there };
}

test('lists what it would remove, and removes nothing', async () => {
  const { ports, there } = scene(async () => {
    throw new Error('nothing may be removed');
  });
  const listed = await removeOwnFiles(ports, { isDone: false });
  expect(listed).toMatchObject({
    ok: true,
    value: {
      isDone: false,
      taken: [
        { kind: 'file', path: 'onceover.yml', tracked: true },
        { kind: 'server', path: '.mcp.json' },
        { kind: 'hook', path: '.claude/settings.json' },
        { kind: 'refs', count: 1 },
      ],
      left: ['.deepreview', '.onceover/reviews/edited.md'].map((path) => ({ path, why: 'yours' })),
    },
  });
  expect(await there()).toEqual(FILES);
});

test('removes the files of onceover and keeps the rest', async () => {
  const { ports, there } = scene();
  expect((await removeOwnFiles(ports, { isDone: true })).ok).toBe(true);
  expect(await there()).toEqual({
    ...FILES,
    'onceover.yml': null,
    '.claude/settings.json': null,
    '.mcp.json': '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n',
  });
});

test('removes nothing while a run is active', async () => {
  const held = { kind: 'lock-held', pid: 1, host: 'h', since: '2026-01-01T00:00:00.000Z' } as const;
  const { ports, there } = scene(async () => err(held));
  expect(await removeOwnFiles(ports, { isDone: true })).toEqual({ ok: false, failure: held });
  expect(await there()).toEqual(FILES);
});
