import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTrust } from '../../src/stores/trust.ts';
import { temporaryFolder } from '../support/repo.ts';

/** A clone's folder with this text as the list. */
function folderWith(text: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(folder, 'onceover/trusted.json'), text);
  return folder;
}

test('another process trusts it too', async () => {
  const folder = temporaryFolder();
  await openTrust(folder).trust('aa');
  expect(await openTrust(folder).isTrusted('aa')).toBe(true);
});

test.each(['', '{', '"aa"', '{"0":"aa","length":1}', '["aa"', '[["aa"]]', '[{"digest":"aa"}]'])(
  'a list that is none trusts nothing, and can be mended: %j',
  async (text) => {
    const trust = openTrust(folderWith(text));
    expect(await trust.isTrusted('aa')).toBe(false);
    expect(await trust.trust('aa')).toMatchObject({ ok: true });
    expect(await trust.isTrusted('aa')).toBe(true);
  },
);

test('the newest hundred are kept; one that is trusted again is new', async () => {
  const trust = openTrust(folderWith(JSON.stringify([1, ...Array.from({ length: 100 }, (_, n) => `d${n}`)])));
  await trust.trust('d0');
  await trust.trust('new');
  const asked = ['d0', 'd1', 'd2', 'd99', 'new'];
  expect(await Promise.all(asked.map(trust.isTrusted))).toEqual([true, false, true, true, true]);
});

test.each(['onceover', 'onceover/trusted.json'])('a symlink at %s trusts nothing and is refused', async (path) => {
  const [folder, outside] = [temporaryFolder(), temporaryFolder()];
  if (path !== 'onceover') mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(outside, 'trusted.json'), '["aa"]');
  symlinkSync(path === 'onceover' ? outside : join(outside, 'trusted.json'), join(folder, path));
  expect(await openTrust(folder).isTrusted('aa')).toBe(false);
  expect(await openTrust(folder).trust('bb')).toMatchObject({ ok: false, failure: { found: 'symlink' } });
  expect(readFileSync(join(outside, 'trusted.json'), 'utf8')).toBe('["aa"]');
});
