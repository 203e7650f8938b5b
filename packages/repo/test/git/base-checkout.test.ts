import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CommitId } from '@onceover/base/kernel/ids';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { openBaseCheckout } from '../../src/git/base-checkout.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A repository with a program, a symlink and a filter, and another version of all files in the working tree. */
function repository() {
  const cache = temporaryFolder();
  vi.stubEnv('XDG_CACHE_HOME', cache);
  const repo = repoWith({ 'tools/run.sh': '#!/bin/sh\n', 'a.txt': 'base\n', '.gitattributes': '*.txt filter=loud\n' });
  chmodSync(join(repo.root, 'tools/run.sh'), 0o755);
  symlinkSync('tools/run.sh', join(repo.root, 'link'));
  repo.commit('base');
  const commit = repo.git('rev-parse', 'HEAD').trim() as CommitId;
  const ran = join(cache, 'ran');
  repo.git('config', 'filter.loud.smudge', `touch ${ran}; tr a-z A-Z`);
  repo.git('config', 'filter.loud.required', 'true');
  repo.write('.git/hooks/post-index-change', `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(join(repo.root, '.git/hooks/post-index-change'), 0o755);
  repo.write('a.txt', 'change\n');
  repo.write('new.txt', 'change\n');
  const checkout = openBaseCheckout({ root: repo.root, commonDir: join(repo.root, '.git') }, commit);
  return { ...repo, cache, ran, checkout };
}

const nameOf = (folder: { readonly ok: boolean; readonly value?: string }) => folder.value ?? 'failed';

test('contains the files of the commit as git stores them, and runs no filter and no hook', async () => {
  const { checkout, cache, ran, root } = repository();
  await checkout.use(async (folder) => {
    const at = nameOf(folder);
    expect(at.startsWith(cache)).toBe(true);
    expect(readdirSync(at).sort()).toEqual(['.gitattributes', 'a.txt', 'link', 'tools']);
    expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('base\n');
    expect(statSync(join(at, 'link')).mode & 0o111).not.toBe(0);
  });
  expect(existsSync(ran)).toBe(false);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('change\n');
});

test('is shared by calls at the same time and removed after the last one, even if one fails', async () => {
  const { checkout, cache } = repository();
  const folderNames: string[] = [];
  const looks = [0, 1].map((n) =>
    checkout.use(async (folder) => {
      folderNames.push(nameOf(folder));
      await new Promise((resolve) => setTimeout(resolve, 20 * n));
      expect(existsSync(nameOf(folder))).toBe(true);
      if (n === 1) throw new Error('stopped');
    }),
  );
  expect((await Promise.allSettled(looks)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(new Set(folderNames).size).toBe(1);
  expect(readdirSync(join(cache, 'onceover'))).toEqual([]);
});

test('is never inside the repository', async () => {
  const { checkout, root } = repository();
  vi.stubEnv('XDG_CACHE_HOME', join(root, '.cache'));
  await checkout.use(async (folder) => expect(nameOf(folder).startsWith(root)).toBe(false));
  vi.stubEnv('TMPDIR', root);
  expect(await checkout.use(async (folder) => folder.ok)).toBe(false);
});

test('fails if the commit is missing, and leaves nothing behind', async () => {
  const { root, cache } = repository();
  const missing = '0123456789'.repeat(4) as CommitId;
  const checkout = openBaseCheckout({ root, commonDir: join(root, '.git') }, missing);
  expect(await checkout.use(async (folder) => folder)).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
  expect(readdirSync(join(cache, 'onceover'))).toEqual([]);
  expect(existsSync(dirname(root))).toBe(true);
});
