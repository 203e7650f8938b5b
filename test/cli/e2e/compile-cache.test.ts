import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onceover } from '../../support/cli.ts';
import { repoWith, temporaryFolder } from '../../support/repo.ts';

const HAS_CACHE = 'enableCompileCache' in process.getBuiltinModule('node:module');

test('keeps compiled code in the cache folder of the user, from Node 22 on', async () => {
  const caches = temporaryFolder();
  await onceover(repoWith({}).root, ['rules'], { env: { XDG_CACHE_HOME: caches } });
  expect(existsSync(join(caches, 'onceover-compiled'))).toBe(HAS_CACHE);
});

test('keeps no compiled code in a working tree, where it would become part of the change', async () => {
  const { root } = repoWith({});
  const caches = join(root, 'sub/caches');
  mkdirSync(caches, { recursive: true });
  await onceover(root, ['rules'], { env: { XDG_CACHE_HOME: caches } });
  expect(existsSync(join(caches, 'onceover-compiled'))).toBe(false);
});
