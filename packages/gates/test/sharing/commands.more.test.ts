import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openForger } from '@onceover/testing/forged-passes.ts';
import { failing, waive } from '@onceover/testing/gates.ts';
import { startPassStore } from '@onceover/testing/pass-store.ts';
import { reviewedBranch, team } from '@onceover/testing/sharing.ts';
import { expect, test } from 'vitest';
import type { RunDocument } from '../../src/result/json.ts';
import { passesEndSchema, passesSchema, passesVerifySchema } from '../../src/sharing/json-schema.ts';

const PAGE = resolve(import.meta.dirname, '../../../../docs/sharing-passes.md');

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

  // The commands in the docs need nothing of onceover.
  const [, script = ''] = /^```sh\n(ref=[\s\S]*?)^```$/m.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const checked = spawnSync('sh', ['-e', '-c', script], { cwd: other.root, encoding: 'utf8' });
  expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining('Good "onceover" signature')]);

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

test('passes travel over an HTTP store, and need its token', { timeout: 120_000 }, async () => {
  const { address, requests } = await startPassStore('secret');
  const house = team({ passes: `store: "${address}", share: auto` });
  const env = { ONCEOVER_PASSES_TOKEN: 'secret' };
  const laptop = house.clone({ key: 'dev@example.com', env });
  expect((await reviewedBranch(laptop, 'work')).shared).toEqual({ passes: 4, waivers: 0 });
  expect(requests.filter((one) => one.startsWith('PUT'))).toHaveLength(4);
  expect(requests.every((one) => one.includes('Bearer secret'))).toBe(true);
  house.forget();
  const ci = house.ci('work', { env });
  const run = await ci.run();
  expect([run.code, house.calls(), run.gates.map(({ why }) => why)]).toEqual([0, 0, Array(4).fill('accepted')]);
  const listed = passesSchema.parse(JSON.parse((await ci.command('passes', '--json')).stdout));
  expect(listed.current.map(({ accepted_by: by }) => by)).toEqual(Array(4).fill(['dev@example.com']));
  expect((await ci.command('passes', 'prune')).stderr).toContain('cannot list');
  // Without the token, the reviewers run here.
  const { code, gates } = await house.ci('work').run();
  expect([code, house.calls()]).toEqual([0, 4]);
  expect(gates.map(({ slots }) => slots[0]?.not_accepted?.why)).toEqual(Array(4).fill('unreachable'));
});

test('passes travel between repositories with SHA-256', { timeout: 120_000 }, async () => {
  const house = team({ hash: 'sha256' });
  const laptop = house.clone({ key: 'dev@example.com' });
  expect(laptop.git('rev-parse', 'HEAD').trim()).toHaveLength(64);
  expect((await reviewedBranch(laptop, 'work')).shared).toEqual({ passes: 4, waivers: 0 });
  house.forget();
  const run = await house.ci('work').run();
  expect([run.code, house.calls(), run.gates.map(({ why }) => why)]).toEqual([0, 0, Array(4).fill('accepted')]);
  expect((await laptop.command('passes', 'prune', '--json')).code).toBe(0);
});

test('a second run calls the remote only if a pass is missing', { timeout: 120_000 }, async () => {
  const house = team();
  const laptop = house.clone({ key: 'dev@example.com' });
  await reviewedBranch(laptop, 'work', ['src']);
  const ci = house.ci('work');
  const log = join(house.folder, 'fetches');
  writeFileSync(join(house.folder, 'serve'), `#!/bin/sh\necho fetched >> ${log}\nexec git-upload-pack "$@"\n`, {
    mode: 0o755,
  });
  ci.git('config', 'remote.origin.uploadpack', join(house.folder, 'serve'));
  const fetches = () => readFileSync(log, 'utf8').split('\n').length - 1;
  expect([(await ci.run()).code, fetches()]).toEqual([0, 1]);
  expect([(await ci.run()).code, fetches()]).toEqual([0, 1]);
  await reviewedBranch(laptop, 'work', ['src', 'api']);
  house.forget();
  ci.git('fetch', '-q', 'origin');
  ci.git('checkout', '-q', '--detach', 'origin/work');
  const before = fetches();
  const { code, gates } = await ci.run();
  expect([code, house.calls(), gates.map(({ why }) => why)]).toEqual([0, 0, ['accepted', 'accepted']]);
  expect(fetches()).toBe(before + 1);
});

test('status and cost show how often audits disagreed', { timeout: 60_000 }, async () => {
  const house = team({ passes: 'remote: origin, share: auto, audit: 1' });
  const laptop = house.clone({ key: 'dev@example.com' });
  await reviewedBranch(laptop, 'work', ['src']);
  const ci = house.ci('work');
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await ci.run()).code).toBe(1);
  const sentence = 'signer dev@example.com: audits disagreed with 1 of 1 (100 %, 95 % interval: 20.7 % to 100 %)';
  const said = [];
  for (const command of ['status', 'cost', 'passes']) {
    const { stdout } = await ci.command(command);
    said.push(stdout.replaceAll(/\s+/g, ' ').includes(sentence));
  }
  expect(said).toEqual([true, true, true]);
  const status = JSON.parse((await ci.command('status', '--json')).stdout) as RunDocument;
  expect(status.agreement?.map(({ by, name }) => [by, name])).toEqual([
    ['signer', 'dev@example.com'],
    ['gate', 'review:src:src-quality'],
    ['agent', 'one'],
  ]);
});

test('with unchanged_gates: run, a check makes reviewers run whose passes count, and the run says so', {
  timeout: 60_000,
}, async () => {
  const house = team();
  const laptop = house.clone({ key: 'dev@example.com' });
  const check = '  - path: .\n    checks: { ok: { run: "true" } }\n';
  const settings = readFileSync(join(laptop.root, 'onceover.yml'), 'utf8');
  laptop.write('onceover.yml', `${settings.replace('unchanged_gates: rest\n', '')}${check}`);
  laptop.commit('a check');
  laptop.git('push', '-q', 'origin', 'HEAD:main');
  laptop.git('fetch', '-q', 'origin');
  await reviewedBranch(laptop, 'work', ['src']);
  house.forget();
  const { code, gates, warnings } = await house.ci('work').run();
  expect([code, house.calls()]).toEqual([0, 1]);
  const slots = gates.flatMap((gate) => gate.slots);
  expect(slots).toMatchObject([{ accepted: null, not_accepted: { why: 'repeated' } }]);
  expect(slots[0]?.not_accepted?.detail).toContain('passed by dev@example.com on');
  expect(warnings.join()).toContain('passes of other clones count for review:src:src-quality');
});

test('init --passes writes the settings and your key, and only once', { timeout: 60_000 }, async () => {
  const house = team({ passes: '', signers: () => '# no key yet\n' });
  const laptop = house.clone({ key: 'dev@example.com' });
  const file = join(laptop.root, 'onceover.yml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('unchanged_gates: rest\n', ''));
  expect((await laptop.command('passes', 'push')).code).toBe(2);
  laptop.git('config', 'user.email', 'dev@example.com');
  expect((await laptop.command('init', '--passes')).code).toBe(0);
  expect((await laptop.command('init', '--passes')).stdout).toContain('left unchanged');
  const signers = readFileSync(join(laptop.root, '.onceover/signers'), 'utf8');
  expect(signers).toBe(`# no key yet\n${house.key('dev@example.com')}`);
  expect(readFileSync(file, 'utf8').match(/^(?:passes|unchanged_gates):/gm)).toEqual(['passes:', 'unchanged_gates:']);
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
