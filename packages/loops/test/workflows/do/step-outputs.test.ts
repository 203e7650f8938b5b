import { symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Contents, FileText } from '@onceover/base/kernel/repository';
import { openContents } from '@onceover/repo/git/working-files';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { stepOf } from '@onceover/testing/workflow/samples.ts';
import { expect, test } from 'vitest';
import { digestsOf, locateOutputs } from '../../../src/workflows/do/finish-step.ts';

const locate = (path: string) => path as RepoPath;
const check = (contents: Contents) => locateOutputs({ locate }, contents, stepOf('a'), { out: 'o.md' });

test.each<[found: FileText, why: string]>([
  [{ kind: 'unusable', why: 'missing' }, 'missing'],
  [{ kind: 'unusable', why: 'outside' }, 'outside'],
  [{ kind: 'unusable', why: 'unreadable' }, 'unreadable'],
  [{ kind: 'unusable', why: 'not-a-file' }, 'folder'],
])('%o: %s', async (content, why) => {
  const contents: Contents = {
    digest: () => Promise.reject(new Error('not asked for')),
    text: async () => content,
    exists: async () => 'folder',
  };
  expect(await check(contents)).toMatchObject({ ok: false, failure: { kind: 'unusable-output', path: 'o.md', why } });
});

test('accepts files inside the root and rejects everything else on disk', async () => {
  const root = temporaryFolder();
  await mkdir(join(root, 'folder'));
  writeFileSync(join(root, 'a.md'), 'a');
  writeFileSync(join(root, 'bytes.bin'), new Uint8Array([0, 255]));
  writeFileSync(join(root, 'empty.md'), '');
  symlinkSync('a.md', join(root, 'inside.md'));
  symlinkSync('/etc/hostname', join(root, 'outside.md'));
  symlinkSync('gone.md', join(root, 'dangling.md'));
  symlinkSync('folder', join(root, 'to-folder'));
  const contents = openContents(root);
  const locatePath = (path: string) => locateOutputs({ locate }, contents, stepOf('a'), { out: path });
  for (const path of ['a.md', 'bytes.bin', 'empty.md', 'inside.md']) {
    expect.soft(await locatePath(path)).toEqual({ ok: true, value: { out: path } });
  }
  for (const [path, why] of [
    ['folder', 'folder'],
    ['to-folder', 'not-a-file'],
    ['outside.md', 'outside'],
    ['dangling.md', 'missing'],
    ['a.md/b.md', 'unreadable'],
  ] as const) {
    expect.soft(await locatePath(path)).toMatchObject({ ok: false, failure: { path, why } });
  }
});

test('computes digests of contents, none for a missing file', async () => {
  const root = temporaryFolder();
  for (const [path, text] of [
    ['a.md', 'same'],
    ['b.md', 'same'],
    ['c.md', 'other'],
  ] as const) {
    writeFileSync(join(root, path), text);
  }
  const digests = await digestsOf(openContents(root), { one: ['a.md', 'b.md'], two: 'c.md', three: 'gone.md' });
  expect([...digests.keys()]).toEqual(['a.md', 'b.md', 'c.md']);
  expect(digests.get('a.md')).toBe(digests.get('b.md'));
  expect(digests.get('a.md')).not.toBe(digests.get('c.md'));
});
