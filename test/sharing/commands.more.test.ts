import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { passesEndSchema, passesSchema, passesVerifySchema } from '../../src/sharing/json-schema.ts';
import { openForger } from '../support/forged-passes.ts';
import { failing, waive } from '../support/gates.ts';
import { reviewedBranch, team } from '../support/sharing.ts';

test('passes lists, pushes, fetches, verifies and prunes', { timeout: 120_000 }, async () => {
  const house = team({ passes: 'remote: origin, share: off' });
  const laptop = house.clone({ key: 'dev@example.com' });
  expect((await reviewedBranch(laptop, 'work', ['src'])).shared).toBeNull();
  const pushed = await laptop.command('passes', 'push', '--json');
  expect(passesEndSchema.strict().parse(JSON.parse(pushed.stdout))).toMatchObject({ carrier: 'origin', passes: 1 });
  expect((await laptop.command('passes', 'push')).stdout).toContain('Nothing to share');

  const other = house.clone();
  other.git('checkout', '-q', 'work');
  expect((await other.command('passes', 'fetch')).code).toBe(0);
  const listed = passesSchema.parse(JSON.parse((await other.command('passes', '--json')).stdout));
  expect(listed.current).toEqual([
    { gate: 'review:src:src-quality', slot: 1, accepted_by: ['dev@example.com'], not_accepted: null },
  ]);
  expect(listed.statements).toMatchObject([{ kind: 'pass', signer: 'dev@example.com', current: true, counts: true }]);
  // status fetches nothing, but knows what was fetched.
  expect((await other.command('status')).code).toBe(0);

  const { original, signature } = openForger(house, laptop);
  const file = join(other.root, 'pass.json');
  writeFileSync(file, original);
  writeFileSync(`${file}.sig`, signature);
  const verified = await other.command('passes', 'verify', 'pass.json', '--json');
  expect(passesVerifySchema.parse(JSON.parse(verified.stdout))).toMatchObject({ signed: true, counts: true });
  writeFileSync(file, original.replace('test-1', 'test-2'));
  expect((await other.command('passes', 'verify', 'pass.json')).code).toBe(1);

  expect((await laptop.command('passes', 'prune')).stdout).toContain('Removed 0 statements');
});

test('init --passes writes the setting and your key, and only once', { timeout: 60_000 }, async () => {
  const house = team({ passes: '', signers: () => '# no key yet\n' });
  const laptop = house.clone({ key: 'dev@example.com' });
  expect((await laptop.command('passes', 'push')).code).toBe(2);
  laptop.git('config', 'user.email', 'dev@example.com');
  expect((await laptop.command('init', '--passes')).code).toBe(0);
  expect((await laptop.command('init', '--passes')).stdout).toContain('left unchanged');
  const signers = readFileSync(join(laptop.root, '.onceover/signers'), 'utf8');
  expect(signers).toBe(`# no key yet\n${house.key('dev@example.com')}`);
  laptop.commit('share');
  laptop.git('push', '-q', 'origin', 'HEAD:main');
  laptop.git('fetch', '-q', 'origin');
  expect((await reviewedBranch(laptop, 'work', ['src'])).shared).toEqual({ passes: 1, waivers: 0 });
  const withoutKey = house.clone();
  expect((await withoutKey.command('init', '--passes')).code).toBe(2);
});

test('a waiver of a person counts in CI, and so does the pass that depends on it', { timeout: 60_000 }, async () => {
  const house = team({ more: 'waivers: { who: people, signers: .onceover/signers }' });
  const laptop = house.clone({ key: 'dev@example.com' });
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await reviewedBranch(laptop, 'work', ['src'])).code).toBe(1);
  await waive(laptop, 'F1');
  expect(await laptop.run()).toMatchObject({ code: 0, shared: { passes: 1, waivers: 1 } });
  house.forget();
  const accepted = await house.ci('work').run();
  expect([accepted.code, house.calls(), accepted.gates[0]?.why]).toEqual([0, 0, 'accepted']);
  expect(accepted.gates[0]?.slots[0]?.accepted).toMatchObject({ waived: 1 });
  // A reviewer of CI that reports the same finding meets the waiver. --fresh accepts no pass, but waivers stay.
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  const again = await house.ci('work').run(['--fresh']);
  expect([again.code, house.calls(), again.findings[0]?.state]).toEqual([0, 1, 'waived']);
});
