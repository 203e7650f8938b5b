import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { DEFAULT_LOG_DIR } from '@onceover/base/kernel/paths';
import { findRepository } from '@onceover/repo/git/locate';
import { openRepository } from '@onceover/repo/git/repository';
import { holdInAnotherProcess } from '@onceover/testing/held-lock.ts';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openInitManifest } from '../../src/setup/own-files.ts';
import { removeProject } from '../../src/setup/remove.ts';

const FILES = {
  'onceover.yml': 'ours',
  '.onceover/reviews/edited.md': 'edited',
  '.onceover/reviews/mine.md': 'never written by init',
  '.mcp.json': '{"mcpServers":{"onceover":{},"b":{}}}',
  '.claude/settings.json': '{"hooks":{"Stop":[{"hooks":[{"command":"onceover hook stop"}]}]}}',
  '.deepreview': 'edited',
  'a.ts': 'ours',
};

async function scene() {
  const repo = repoWith(FILES);
  const place = await findRepository(repo.root);
  if (!place.ok) throw new Error(place.failure.kind);
  const manifest = openInitManifest(place.value.commonDir);
  for (const path of ['onceover.yml', '.onceover/reviews/edited.md', '.deepreview']) {
    expect(manifest.note(path as RepoPath, 'ours').ok).toBe(true);
  }
  const project = { place: place.value, repository: openRepository(place.value), logDir: DEFAULT_LOG_DIR };
  const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
  const texts = () => Object.fromEntries(Object.keys(FILES).map((path) => [path, textOf(join(repo.root, path))]));
  return { project, texts };
}

test('lists what it would remove, and removes nothing', async () => {
  const { project, texts } = await scene();
  expect(await removeProject(project, { dryRun: true })).toMatchObject({
    ok: true,
    value: {
      removed: false,
      taken: [
        { kind: 'file', path: 'onceover.yml' },
        { kind: 'server', path: '.mcp.json' },
        { kind: 'hook', path: '.claude/settings.json' },
        { kind: 'git-folder', count: 1 },
      ],
      left: ['.deepreview', '.onceover/reviews/edited.md'].map((path) => ({ path, why: 'yours' })),
    },
  });
  expect(texts()).toEqual(FILES);
  expect(existsSync(join(project.place.commonDir, 'onceover/set-up.json'))).toBe(true);
});

test('removes the files of onceover and keeps the rest', async () => {
  const { project, texts } = await scene();
  expect(await removeProject(project, { dryRun: false })).toMatchObject({ ok: true, value: { removed: true } });
  expect(texts()).toEqual({
    ...FILES,
    'onceover.yml': null,
    '.claude/settings.json': null,
    '.mcp.json': '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n',
  });
  expect(existsSync(join(project.place.commonDir, 'onceover'))).toBe(false);
});

test('removes nothing while a run is active', async () => {
  const { project, texts } = await scene();
  const release = await holdInAnotherProcess(project.place.root, project.place.commonDir);
  expect(await removeProject(project, { dryRun: false })).toMatchObject({ ok: false, failure: { kind: 'lock-held' } });
  expect(texts()).toEqual(FILES);
  release();
});
