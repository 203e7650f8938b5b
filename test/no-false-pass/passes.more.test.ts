import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { expectNotAccepted, type Forger, openForger, type RefFile } from '../support/forged-passes.ts';
import { failing } from '../support/gates.ts';
import { type Clone, reviewedBranch, type Team, team } from '../support/sharing.ts';
import { waysUnder } from '../support/ways.ts';

const way = waysUnder('Passes of other clones');

type Scene = { readonly house: Team; readonly ci: Clone; readonly forger: Forger };

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'onceover-test-')));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

let scene: Promise<Scene> | null = null;

/** Returns a team whose laptop has shared one pass, and a CI clone of the pull request. All ways use the same team. */
function opened(): Promise<Scene> {
  scene ??= (async () => {
    const house = team({
      folder,
      passes: 'remote: origin, share: auto, accept: [new], max_age: 30d',
      more: 'waivers: { who: people, signers: .onceover/signers }',
      signers: (key) =>
        [
          key('dev@example.com'),
          key('past@example.com', 'namespaces="onceover",valid-before="20200101"'),
          key('soon@example.com', 'namespaces="onceover",valid-after="20990101"'),
          key('git@example.com', 'namespaces="git"'),
          key('authority@example.com', 'cert-authority'),
          key('d\u0435v@example.com'.replace('\u0435', 'x'), '').replace('dxv', 'd\u0435v'),
          key('left@example.com'),
        ].join(''),
    });
    const revoking = house.clone();
    revoking.write('.onceover/signers.revoked', house.key('left@example.com', '').replace(/^\S+ /, ''));
    revoking.commit('revoke a key');
    revoking.git('push', '-q', 'origin', 'main');
    const laptop = house.clone({ key: 'dev@example.com' });
    expect((await reviewedBranch(laptop, 'work', ['src'])).shared).toEqual({ passes: 1, waivers: 0 });
    const ci = house.ci('work');
    house.forget();
    const run = await ci.run();
    expect([run.code, run.gates[0]?.why, house.calls()]).toEqual([0, 'accepted', 0]);
    return { house, ci, forger: openForger(house, laptop) };
  })();
  return scene;
}

/** Publishes these files instead of the pass, and expects that the pass does not count. */
function forged(title: string, why: string, files: (forger: Forger) => readonly RefFile[]): void {
  way(title, async () => {
    const { house, ci, forger } = await opened();
    forger.publish(files(forger));
    await expectNotAccepted(house, ci, why);
  });
}

/** Publishes the statement with changed fields, signed by the key of someone who may vouch. */
function resigned(title: string, why: string, predicate: object, envelope: object = {}): void {
  forged(title, why, ({ changed, stored, sign }) => {
    const bytes = changed({ ...predicate }, { ...envelope });
    return stored(bytes, sign(bytes));
  });
}

const NONE = 'no-statement';
const UNUSABLE = 'unusable-statement';
const HEX = 'a'.repeat(64);

forged('The statement of a pass has no signature.', NONE, ({ stored, original }) => stored(original, ''));
forged('The signature of a pass is empty.', 'bad-signature', ({ stored, original }) => stored(original, '\n'));
forged('The signature belongs to another statement.', 'bad-signature', ({ stored, original, sign }) =>
  stored(original, sign('other')),
);
forged('Someone changes one character of a signed statement.', 'bad-signature', ({ stored, original, signature }) =>
  stored(original.replace('"test-1"', '"test-2"'), signature),
);
forged('The signature is cut off.', 'bad-signature', ({ stored, original, signature }) =>
  stored(original, signature.slice(0, -60)),
);
forged('Text follows the signature.', 'bad-signature', ({ stored, original, signature }) =>
  stored(original, `${signature}more\n`),
);
forged('The signature was made for git commits.', 'bad-signature', ({ stored, original, sign }) =>
  stored(original, sign(original, 'dev@example.com', 'git')),
);
forged('The key that signed is not in the signers file.', 'unknown-signer', ({ stored, original, sign }) =>
  stored(original, sign(original, 'stranger@example.com')),
);
forged('The key that signed is revoked.', 'signer-revoked', ({ stored, original, sign }) =>
  stored(original, sign(original, 'left@example.com')),
);
forged('The key that signed has expired.', 'signer-expired', ({ stored, original, sign }) =>
  stored(original, sign(original, 'past@example.com')),
);
forged('The key that signed is not valid yet.', 'signer-expired', ({ stored, original, sign }) =>
  stored(original, sign(original, 'soon@example.com')),
);
forged('The signers file allows the key only for git.', 'unknown-signer', ({ stored, original, sign }) =>
  stored(original, sign(original, 'git@example.com')),
);
forged('The signers file lists the key only as a certificate authority.', 'unknown-signer', (forger) =>
  forger.stored(forger.original, forger.sign(forger.original, 'authority@example.com')),
);
forged(
  'The name in the signers file looks like that of a colleague, with a Cyrillic letter.',
  'unknown-signer',
  (forger) => forger.stored(forger.original, forger.sign(forger.original, 'dxv@example.com')),
);
forged('Someone replays a pass of another gate for this content.', NONE, ({ changed, stored, sign, key }) => {
  const digest = { sha256: key.split('/').at(-1) ?? '' };
  const gate = 'review:api:api-quality';
  const bytes = changed({ gate }, { subject: [{ name: `${gate}@1`, digest }] });
  return stored(bytes, sign(bytes));
});
resigned('A signed pass names another gate than its subject.', UNUSABLE, { gate: 'review:api:api-quality' });
resigned('A signed pass names another content than its subject.', UNUSABLE, { content: HEX });
resigned('A signed pass is about another version of the prompt.', 'other-prompt', { prompt_digest: HEX });
resigned('A signed pass was given with other settings.', 'other-settings', { settings_digest: HEX });
resigned('A signed pass is about a part of the change.', 'other-scope', { scope: 'uncommitted' });
resigned('A signed pass comes from an agent that the settings do not allow.', 'other-agent', { agent: 'other' });
resigned('A signed pass was given in a resumed session, and only new ones count.', 'session-not-accepted', {
  session: 'resumed',
});
resigned('A signed pass is older than max_age.', 'too-old', { passed_at: '2020-01-01T00:00:00.000Z' });
resigned('A signed pass comes from the future, because a clock was set back.', 'in-the-future', {
  passed_at: '2098-01-01T00:00:00.000Z',
});
resigned('A signed pass lists other files than its content.', UNUSABLE, {
  files: [{ path: 'src/b.txt', mode: '100644', base_mode: null, base_blob: null, head_blob: 'b'.repeat(40) }],
});
resigned('A signed pass lists no file.', UNUSABLE, { files: [] });
resigned('A signed pass depends on a waiver that no one signed.', 'waiver-missing', { waived: [HEX] });
resigned('A signed pass has a field that this version does not know.', UNUSABLE, { verdict: 'pass' });
resigned('A signed pass has a field of the wrong type.', UNUSABLE, { slot: '1' });
resigned(
  'A signed statement has another version of its format.',
  UNUSABLE,
  {},
  { predicateType: 'urn:onceover:pass/v2' },
);
resigned('A signed statement says that it is a waiver.', UNUSABLE, {}, { predicateType: 'urn:onceover:waiver/v1' });
resigned('A signed statement is not an in-toto statement.', UNUSABLE, {}, { _type: 'https://example.com/x' });
resigned(
  'A signed statement has two subjects.',
  UNUSABLE,
  {},
  {
    subject: [
      { name: 'review:src:src-quality@1', digest: { sha256: HEX } },
      { name: 'x', digest: { sha256: HEX } },
    ],
  },
);
resigned('A signed statement is larger than 64 KiB.', NONE, { model: 'm'.repeat(70_000) });
forged('A signed statement has the same key twice.', UNUSABLE, ({ original, stored, sign }) => {
  const bytes = original.replace('"gate":', '"gate":"review:api:api-quality","gate":');
  return stored(bytes, sign(bytes));
});
forged('A signed statement is not UTF-8.', UNUSABLE, ({ original, stored, sign }) => {
  const bytes = Buffer.concat([Buffer.from(original.trimEnd().slice(0, -1)), Buffer.from([0xff, 0x7d])]);
  return stored(bytes, sign(bytes));
});
forged('A signed statement is a list.', UNUSABLE, ({ original, stored, sign }) => {
  const bytes = `[${original}]`;
  return stored(bytes, sign(bytes));
});
forged('A signed statement is empty.', UNUSABLE, ({ stored, sign }) => stored('', sign('')));
forged(
  'The pass of another content is stored under the key of this content.',
  UNUSABLE,
  ({ changed, stored, sign }) => {
    const bytes = changed(
      { content: HEX },
      { subject: [{ name: 'review:src:src-quality@1', digest: { sha256: HEX } }] },
    );
    return stored(bytes, sign(bytes));
  },
);
forged('The pass of another slot is stored under the key of this content.', NONE, ({ changed, stored, sign, key }) => {
  const digest = { sha256: key.split('/').at(-1) ?? '' };
  const bytes = changed({ slot: 2 }, { subject: [{ name: 'review:src:src-quality@2', digest }] });
  return stored(bytes, sign(bytes));
});
forged('The pass is stored under another key.', NONE, ({ original, signature, stored }) =>
  stored(original, signature, `aa/${HEX}`),
);
forged('The ref has no file.', NONE, () => [{ path: 'README', bytes: 'nothing' }]);

way('The ref points at a blob.', async () => {
  const { house, ci, forger } = await opened();
  forger.pointRefAt(forger.git('rev-parse', 'HEAD:onceover.yml').trim());
  await expectNotAccepted(house, ci, null);
});

way('The ref points at a commit of the change.', async () => {
  const { house, ci, forger } = await opened();
  forger.pointRefAt(forger.git('rev-parse', 'origin/work').trim());
  await expectNotAccepted(house, ci, null);
});

way('The ref is deleted.', async () => {
  const { house, ci, forger } = await opened();
  forger.git('push', '-q', 'origin', ':refs/onceover/passes');
  await expectNotAccepted(house, ci, NONE);
});

way('The remote cannot be reached.', async () => {
  const { house, ci } = await opened();
  ci.git('remote', 'set-url', 'origin', `file://${folder}/gone.git`);
  await expectNotAccepted(house, ci, 'unreachable');
  ci.git('remote', 'set-url', 'origin', `file://${house.bare}`);
});

/** Publishes the laptop's genuine pass again. */
async function genuine(): Promise<Scene> {
  const all = await opened();
  const { original, signature, stored, publish } = all.forger;
  publish(stored(original, signature));
  return all;
}

way('A user runs with --no-accept.', async () => {
  const { house } = await genuine();
  const ci = house.ci('work');
  house.forget();
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await ci.run(['--no-accept'])).code).toBe(1);
  expect(house.calls()).toBe(1);
});

way('A user runs with --fresh.', async () => {
  const { house } = await genuine();
  const ci = house.ci('work');
  house.forget();
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await ci.run(['--fresh'])).code).toBe(1);
  expect(house.calls()).toBe(1);
});

way('A reviewer of this clone has failed the same content.', async () => {
  const { house } = await genuine();
  const ci = house.ci('work');
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await ci.run(['--no-accept'])).code).toBe(1);
  expect((await ci.run()).code).toBe(1);
  expect((await ci.command('status')).code).toBe(1);
});

way('Someone edits a file after the pass.', async () => {
  const { house } = await genuine();
  const ci = house.ci('work');
  ci.write('src/a.txt', 'one\nevil\nthree\n');
  await expectNotAccepted(house, ci, NONE);
});

way('The change adds a key to the signers file.', async () => {
  const { house, forger } = await genuine();
  forger.publish(forger.stored(forger.original, forger.sign(forger.original, 'stranger@example.com')));
  const laptop = house.clone();
  laptop.git('checkout', '-q', 'work');
  laptop.write('.onceover/signers', house.key('stranger@example.com'));
  laptop.commit('add my key');
  laptop.git('push', '-q', '-f', 'origin', 'HEAD:refs/heads/own-key');
  await expectNotAccepted(house, house.ci('own-key'), 'unknown-signer');
  // The same on a laptop, where the settings come from the working tree.
  await expectNotAccepted(house, laptop, 'unknown-signer');
});

way('The change names a base branch that lists its own key.', async () => {
  const { house, forger } = await genuine();
  forger.publish(forger.stored(forger.original, forger.sign(forger.original, 'stranger@example.com')));
  const evil = house.clone();
  evil.git('checkout', '-q', '-b', 'evil', 'origin/main');
  evil.write('.onceover/signers', house.key('stranger@example.com'));
  evil.commit('my own base');
  evil.git('push', '-q', 'origin', 'evil');
  evil.git('checkout', '-q', '-b', 'change', 'origin/evil');
  evil.write('src/a.txt', 'one\nwork\nthree\n');
  evil.git('show', 'HEAD:onceover.yml');
  evil.write('onceover.yml', `base: origin/evil\n${evil.git('show', 'HEAD:onceover.yml')}`);
  evil.commit('use my base');
  await expectNotAccepted(house, evil, 'unknown-signer');
});

/** Makes a team of its own with these settings, where a laptop has shared a pass of one gate. */
async function teamWith(options: Parameters<typeof team>[0]): Promise<{ house: Team; laptop: Clone }> {
  const house = team(options);
  const laptop = house.clone({ key: 'dev@example.com' });
  await reviewedBranch(laptop, 'work', ['src']);
  return { house, laptop };
}

way('The change adds the block passes, and the base branch has none.', async () => {
  const { house, laptop } = await teamWith({ passes: '' });
  laptop.write('onceover.yml', `passes: { remote: origin, share: auto }\n${laptop.git('show', 'HEAD:onceover.yml')}`);
  laptop.commit('share');
  expect((await laptop.run()).shared).toBeNull();
  laptop.git('push', '-q', '-f', 'origin', 'HEAD:refs/heads/work');
  await expectNotAccepted(house, house.ci('work'), null);
});

way('The change loosens min_signers.', async () => {
  const { house, laptop } = await teamWith({ passes: 'remote: origin, share: auto, min_signers: 2' });
  laptop.write('onceover.yml', laptop.git('show', 'HEAD:onceover.yml').replace('min_signers: 2', 'min_signers: 1'));
  laptop.commit('loosen');
  laptop.git('push', '-q', '-f', 'origin', 'HEAD:refs/heads/work');
  await expectNotAccepted(house, house.ci('work'), 'too-few-signers');
});

way('One person signs with two keys, and min_signers is 2.', async () => {
  const { house } = await teamWith({
    passes: 'remote: origin, share: auto, min_signers: 2',
    signers: (key) => `${key('dev@example.com')}${key('second').replace(/^second/, 'dev@example.com')}`,
  });
  const forger = openForger(house, house.clone());
  forger.publish([
    ...forger.stored(forger.original, forger.signature),
    ...forger.stored(`${forger.original} `, forger.sign(`${forger.original} `, 'second')),
  ]);
  await expectNotAccepted(house, house.ci('work'), 'too-few-signers');
});

way('A file of the gate is listed in never_for.', async () => {
  const { house } = await teamWith({ passes: 'remote: origin, share: auto, never_for: ["src/**"]' });
  await expectNotAccepted(house, house.ci('work'), 'excluded-path');
});

way('The pass is drawn for an audit, and the second reviewer fails the change.', async () => {
  const { house } = await teamWith({ passes: 'remote: origin, share: auto, audit: 1' });
  const ci = house.ci('work');
  await expectNotAccepted(house, ci, 'drawn-for-audit');
  const shown = await ci.command('passes', '--json');
  const { agreement } = JSON.parse(shown.stdout) as { readonly agreement: readonly object[] };
  expect(agreement).toContainEqual(
    expect.objectContaining({ by: 'signer', name: 'dev@example.com', audited: 1, disagreed: 1 }),
  );
});

way('Someone shares a review that is only marked as passed.', async () => {
  const rule =
    'quality:\n  description: d\n  match: { include: ["src/**"] }\n  review: { strategy: matches_together, instructions: Look. }\n';
  const { house, laptop } = await teamWith({ more: 'trust_marks: true', files: { '.deepreview': rule } });
  writeFileSync(join(laptop.root, 'src/a.txt'), 'one\nmarked\nthree\n');
  laptop.commit('marked');
  const listed = await laptop.command('instructions', '--json');
  expect(listed.code).toBe(0);
  const { tasks = [] } = JSON.parse(listed.stdout) as { readonly tasks?: readonly { readonly id: string }[] };
  for (const { id } of tasks) await laptop.command('pass', id);
  expect((await laptop.command('passes', 'push')).stdout).toContain('Nothing to share');
  expect(house.calls()).toBeGreaterThan(0);
});
