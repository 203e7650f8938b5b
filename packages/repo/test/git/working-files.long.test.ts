import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openContents } from '../../src/git/working-files.ts';

const MIB = 1024 * 1024;

test('hashes a file of 1 GiB without loading it into memory', async () => {
  const root = temporaryFolder();
  const fd = openSync(join(root, 'sparse.bin'), 'w');
  ftruncateSync(fd, 1024 * MIB);
  closeSync(fd);
  const mostMemory = () => process.resourceUsage().maxRSS * 1024;
  const before = mostMemory();
  const { hash } = await openContents(root).digest(['sparse.bin' as RepoPath]);
  expect(hash).toBe('49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14');
  expect(mostMemory() - before).toBeLessThan(200 * MIB);
});
