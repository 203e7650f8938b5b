import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsentStore } from '../../src/trust/consent.ts';
import { temporaryFolder } from '../support/repo.ts';

/** Makes a clone's git folder with this text as the list. */
function folderWith(text: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(folder, 'onceover/trusted.json'), text);
  return folder;
}

test('consent counts in another process too', async () => {
  const folder = temporaryFolder();
  await openConsentStore(folder).trust('aa');
  expect(await openConsentStore(folder).isTrusted('aa')).toBe(true);
});

test.each(['', '{', '"aa"', '{"0":"aa","length":1}', '["aa"', '[["aa"]]', '[{"digest":"aa"}]'])(
  'a broken list trusts nothing and can be replaced: %j',
  async (text) => {
    const trust = openConsentStore(folderWith(text));
    expect(await trust.isTrusted('aa')).toBe(false);
    expect(await trust.trust('aa')).toMatchObject({ ok: true });
    expect(await trust.isTrusted('aa')).toBe(true);
  },
);

test('keeps the newest hundred; repeated consent counts as new', async () => {
  const trust = openConsentStore(folderWith(JSON.stringify([1, ...Array.from({ length: 100 }, (_, n) => `d${n}`)])));
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
  expect(await openConsentStore(folder).isTrusted('aa')).toBe(false);
  expect(await openConsentStore(folder).trust('bb')).toMatchObject({ ok: false, failure: { found: 'symlink' } });
  expect(readFileSync(join(outside, 'trusted.json'), 'utf8')).toBe('["aa"]');
});
