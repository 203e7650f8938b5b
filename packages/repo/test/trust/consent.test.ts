import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openConsentStore } from '../../src/trust/consent.ts';

/** Makes a clone's git folder with this text as the list. */
function folderWith(text: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(folder, 'onceover/trusted.json'), text);
  return folder;
}

test('trusts nothing at first', () => {
  expect(openConsentStore(temporaryFolder()).isTrusted('aa')).toBe(false);
});

test('trusts only approved configurations', () => {
  const trust = openConsentStore(temporaryFolder());
  expect(trust.trust('aa')).toEqual({ ok: true, value: undefined });
  trust.trust('bb');
  trust.trust('aa');
  expect(['aa', 'bb', 'cc', 'a', ''].map(trust.isTrusted)).toEqual([true, true, false, false, false]);
});

test('consent counts in another process too', () => {
  const folder = temporaryFolder();
  openConsentStore(folder).trust('aa');
  expect(openConsentStore(folder).isTrusted('aa')).toBe(true);
});

test.each(['', '{', '"aa"', '{"0":"aa","length":1}', '["aa"', '[["aa"]]', '[{"digest":"aa"}]'])(
  'a broken list trusts nothing and can be replaced: %j',
  (text) => {
    const trust = openConsentStore(folderWith(text));
    expect(trust.isTrusted('aa')).toBe(false);
    expect(trust.trust('aa')).toMatchObject({ ok: true });
    expect(trust.isTrusted('aa')).toBe(true);
  },
);

test('keeps the newest hundred; repeated consent counts as new', () => {
  const trust = openConsentStore(folderWith(JSON.stringify([1, ...Array.from({ length: 100 }, (_, n) => `d${n}`)])));
  trust.trust('d0');
  trust.trust('new');
  const digests = ['d0', 'd1', 'd2', 'd99', 'new'];
  expect(digests.map(trust.isTrusted)).toEqual([true, false, true, true, true]);
});

test.each(['onceover', 'onceover/trusted.json'])('a symlink at %s trusts nothing and is refused', (path) => {
  const [folder, outside] = [temporaryFolder(), temporaryFolder()];
  if (path !== 'onceover') mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(outside, 'trusted.json'), '["aa"]');
  symlinkSync(path === 'onceover' ? outside : join(outside, 'trusted.json'), join(folder, path));
  expect(openConsentStore(folder).isTrusted('aa')).toBe(false);
  expect(openConsentStore(folder).trust('bb')).toMatchObject({ ok: false, failure: { found: 'symlink' } });
  expect(readFileSync(join(outside, 'trusted.json'), 'utf8')).toBe('["aa"]');
});
