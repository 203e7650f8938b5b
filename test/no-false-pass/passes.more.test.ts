import { mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  expectNotAccepted,
  type Forger,
  openForger,
  type RefFile,
  sqlAtOnce,
} from '@onceover/testing/forged-passes.ts';
import { failing, waive } from '@onceover/testing/gates.ts';
import { end, startPassStore, startServer } from '@onceover/testing/pass-store.ts';
import { type Clone, reviewedBranch, type Team, team } from '@onceover/testing/sharing.ts';
import { HAS_STORE, waysUnder } from '@onceover/testing/ways.ts';
import { afterAll, expect } from 'vitest';

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
          key('zone@example.com', 'namespaces="onceover",valid-before="20990101000000+0100"'),
          key('quiet@example.com', 'no-touch-required'),
          key('shouted@example.com', 'namespaces="ONCEOVER"'),
          key('later@example.com').replace(' ', ',me\\012dev@example.com '),
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

// A database row always has a signature, which can be empty.
forged('The pass has no signature.', HAS_STORE ? 'bad-signature' : NONE, ({ stored, original }) =>
  stored(original, ''),
);
forged('The signature of the pass is empty.', 'bad-signature', ({ stored, original }) => stored(original, '\n'));
forged('The signature of the pass belongs to another file.', 'bad-signature', ({ stored, original, sign }) =>
  stored(original, sign('other')),
);
forged('Someone changes one character of a signed pass.', 'bad-signature', ({ stored, original, signature }) =>
  stored(original.replace('"test-1"', '"test-2"'), signature),
);
forged('The signature of the pass is cut off.', 'bad-signature', ({ stored, original, signature }) =>
  stored(original, signature.slice(0, -60)),
);
forged('Other text follows the signature of the pass.', 'bad-signature', ({ stored, original, signature }) =>
  stored(original, `${signature}more\n`),
);
forged(
  'The signature names the namespace of onceover in capital letters.',
  'bad-signature',
  ({ stored, original, sign }) => stored(original, sign(original, 'dev@example.com', 'ONCEOVER')),
);
forged('The signature was made for git commits, not for onceover.', 'bad-signature', ({ stored, original, sign }) =>
  stored(original, sign(original, 'dev@example.com', 'git')),
);
forged(
  'The signers file, which lists the allowed keys, does not contain the key that signed the pass.',
  'unknown-signer',
  ({ stored, original, sign }) => stored(original, sign(original, 'stranger@example.com')),
);
forged('The key that signed the pass is revoked.', 'signer-revoked', ({ stored, original, sign }) =>
  stored(original, sign(original, 'left@example.com')),
);
forged('The key that signed the pass has expired.', 'signer-expired', ({ stored, original, sign }) =>
  stored(original, sign(original, 'past@example.com')),
);
forged(
  'The key that signed the pass has expired, and the pass is dated before that.',
  'signer-expired',
  ({ changed, stored, sign }) => {
    const bytes = changed({ passed_at: '2019-12-01T00:00:00.000Z' });
    return stored(bytes, sign(bytes, 'past@example.com'));
  },
);
forged('The key that signed the pass is not valid yet.', 'signer-expired', ({ stored, original, sign }) =>
  stored(original, sign(original, 'soon@example.com')),
);
forged(
  'The signers file allows the key only for git, not for onceover.',
  'unknown-signer',
  ({ stored, original, sign }) => stored(original, sign(original, 'git@example.com')),
);
forged(
  'The signers file has a time with a time zone offset, which its format does not allow.',
  'unknown-signer',
  (forger) => forger.stored(forger.original, forger.sign(forger.original, 'zone@example.com')),
);
forged('The signers file has an option for the key that onceover does not know.', 'unknown-signer', (forger) =>
  forger.stored(forger.original, forger.sign(forger.original, 'quiet@example.com')),
);
forged('The signers file names the namespace of onceover in capital letters.', 'unknown-signer', (forger) =>
  forger.stored(forger.original, forger.sign(forger.original, 'shouted@example.com')),
);
forged('The name of the signer in the signers file has an escaped line break.', 'unknown-signer', (forger) =>
  forger.stored(forger.original, forger.sign(forger.original, 'later@example.com')),
);
forged('The signers file lists the key only as a key that certifies other keys.', 'unknown-signer', (forger) =>
  forger.stored(forger.original, forger.sign(forger.original, 'authority@example.com')),
);
forged(
  'The signers file has a name that looks like that of a colleague, with a Cyrillic letter.',
  'unknown-signer',
  (forger) => forger.stored(forger.original, forger.sign(forger.original, 'dxv@example.com')),
);
forged('Someone offers the pass of another gate for the same content.', NONE, ({ changed, stored, sign, key }) => {
  const digest = { sha256: key.split('/').at(-1) ?? '' };
  const gate = 'review:api:api-quality';
  const bytes = changed({ gate }, { subject: [{ name: `${gate}@1`, digest }] });
  return stored(bytes, sign(bytes));
});
resigned('The signed pass names two different gates.', UNUSABLE, { gate: 'review:api:api-quality' });
resigned('The signed pass names two different contents.', UNUSABLE, { content: HEX });
resigned('The signed pass was given with another version of the prompt.', 'other-prompt', { prompt_digest: HEX });
resigned('The signed pass was given with other settings.', 'other-settings', { settings_digest: HEX });
resigned('The signed pass was given with another text of a reference file.', 'other-references', {
  references_digest: HEX,
});
resigned('The signed pass was given with another list of files in the prompt.', 'other-context', {
  context_digest: HEX,
});
resigned('The signed pass was given with a setting that only the signer has.', 'other-settings', {
  settings: { convergence: '{"unchangedCode":"must_fix_only"}' },
});
resigned(
  'The signed pass is of an older version of onceover, which did not record all that the verdict depended on.',
  'older-version',
  { references_digest: undefined, context_digest: undefined, settings: undefined },
  { predicateType: 'urn:onceover:pass/v1' },
);
resigned('The signed pass is only about a part of the change.', 'other-scope', { scope: 'uncommitted' });
resigned('The signed pass comes from an agent that the settings do not allow.', 'other-agent', { agent: 'other' });
resigned(
  'The signed pass was given in a resumed session, and the settings accept only new sessions.',
  'session-not-accepted',
  {
    session: 'resumed',
  },
);
resigned('The signed pass is older than the setting `max_age` allows.', 'too-old', {
  passed_at: '2020-01-01T00:00:00.000Z',
});
resigned('The signed pass has a time in the future, because a clock was wrong.', 'in-the-future', {
  passed_at: '2098-01-01T00:00:00.000Z',
});
way('The clock of the CI job is set back to a time before the pass.', async () => {
  const { house } = await genuine();
  const clock = join(folder, 'clock.cjs');
  writeFileSync(
    clock,
    `const back = 3_600_000, Now = Date;
globalThis.Date = class extends Now {
  constructor(...given) { super(...(given.length === 0 ? [Now.now() - back] : given)); }
  static now() { return Now.now() - back; }
};`,
  );
  const ci = house.ci('work', { env: { NODE_OPTIONS: `--require ${clock}` } });
  await expectNotAccepted(house, ci, 'in-the-future');
});
resigned('The signed pass lists other files than those that were reviewed.', UNUSABLE, {
  files: [{ path: 'src/b.txt', mode: '100644', base_mode: null, base_blob: null, head_blob: 'b'.repeat(40) }],
});
resigned('The signed pass lists no file.', UNUSABLE, { files: [] });
resigned('The signed pass depends on a waiver that no one signed.', 'waiver-missing', { waived: [HEX] });
resigned('The signed pass has a field that this version of onceover does not know.', UNUSABLE, { verdict: 'pass' });
resigned('The signed pass has the name of a gate with a line break at its end.', UNUSABLE, {
  gate: 'review:src:src-quality\n',
});
resigned('The signed pass has an unknown field at its top level.', UNUSABLE, {}, { verdict: 'pass' });
resigned('The signed pass has a time in another time zone than UTC.', UNUSABLE, {
  passed_at: '2026-11-18T12:00:00.000+14:00',
});
resigned('The signed pass has a field of the wrong type.', UNUSABLE, { slot: '1' });
resigned(
  'The signed pass has another version of the file format.',
  UNUSABLE,
  {},
  { predicateType: 'urn:onceover:pass/v3' },
);
resigned('The signed pass has the type of a waiver.', UNUSABLE, {}, { predicateType: 'urn:onceover:waiver/v1' });
resigned('The signed file is not an in-toto statement.', UNUSABLE, {}, { _type: 'https://example.com/x' });
resigned(
  'The signed pass has two subjects, although one is allowed.',
  UNUSABLE,
  {},
  {
    subject: [
      { name: 'review:src:src-quality@1', digest: { sha256: HEX } },
      { name: 'x', digest: { sha256: HEX } },
    ],
  },
);
resigned('The signed pass is larger than 64 KiB.', HAS_STORE ? UNUSABLE : NONE, { model: 'm'.repeat(70_000) });
forged('The signed pass has the same JSON key twice.', UNUSABLE, ({ original, stored, sign }) => {
  const bytes = original.replace('"gate":', '"gate":"review:api:api-quality","gate":');
  return stored(bytes, sign(bytes));
});
forged('The signed pass is not in UTF-8.', UNUSABLE, ({ original, stored, sign }) => {
  const bytes = Buffer.concat([Buffer.from(original.trimEnd().slice(0, -1)), Buffer.from([0xff, 0x7d])]);
  return stored(bytes, sign(bytes));
});
forged('The signed pass is a JSON list instead of an object.', UNUSABLE, ({ original, stored, sign }) => {
  const bytes = `[${original}]`;
  return stored(bytes, sign(bytes));
});
forged('The file of the signed pass is empty.', UNUSABLE, ({ stored, sign }) => stored('', sign('')));
forged('A pass of other code is stored under the name for this code.', UNUSABLE, ({ changed, stored, sign }) => {
  const bytes = changed({ content: HEX }, { subject: [{ name: 'review:src:src-quality@1', digest: { sha256: HEX } }] });
  return stored(bytes, sign(bytes));
});
forged(
  'A pass of another reviewer is stored under the name for this reviewer.',
  NONE,
  ({ changed, stored, sign, key }) => {
    const digest = { sha256: key.split('/').at(-1) ?? '' };
    const bytes = changed({ slot: 2 }, { subject: [{ name: 'review:src:src-quality@2', digest }] });
    return stored(bytes, sign(bytes));
  },
);
forged('The pass is stored under the name for another pass.', NONE, ({ original, signature, stored }) =>
  stored(original, signature, `aa/${HEX}`),
);
/** Publishes the genuine pass under changed modes, names or keys of the ref's tree. */
function reshaped(title: string, change: (line: string) => string): void {
  way.inFiles(title, async () => {
    const { house, ci, forger } = await genuine();
    forger.reshape(change);
    await expectNotAccepted(house, ci, NONE);
  });
}

reshaped('In the git tree of the shared passes, the pass is a symlink.', (line) => line.replace('100644', '120000'));
reshaped('In the git tree of the shared passes, the signature is an executable file.', (line) =>
  line.includes('.sig') ? line.replace('100644', '100755') : line,
);
reshaped('In the git tree of the shared passes, the pass is a submodule.', (line) =>
  line.includes('.sig') ? line : line.replace(/^100644 blob \w+/, `160000 commit ${'a'.repeat(40)}`),
);
reshaped('The file name of the pass has capital letters.', (line) =>
  line.replace(/\t([0-9a-f]+)/, (_, name: string) => `\t${name.toUpperCase()}`),
);
forged('The git ref of the shared passes contains no file.', NONE, () => [{ path: 'README', bytes: 'nothing' }]);

way.inFiles('The git ref of the shared passes points at a blob.', async () => {
  const { house, ci, forger } = await opened();
  forger.pointRefAt(forger.git('rev-parse', 'HEAD:onceover.yml').trim());
  await expectNotAccepted(house, ci, null);
});

way.inFiles('The git ref of the shared passes points at a commit of the change.', async () => {
  const { house, ci, forger } = await opened();
  forger.pointRefAt(forger.git('rev-parse', 'origin/work').trim());
  await expectNotAccepted(house, ci, null);
});

way.inFiles('The git ref of the shared passes is truncated: the remote has lost one of its files.', async () => {
  const { house, ci, forger } = await genuine();
  forger.git('fetch', '-q', 'origin', 'refs/onceover/passes');
  const [, id = ''] = /^\w+ blob (\w+)\t/m.exec(forger.git('ls-tree', '-r', 'FETCH_HEAD')) ?? [];
  const object = join(house.bare, 'objects', id.slice(0, 2), id.slice(2));
  renameSync(object, `${object}-lost`);
  await expectNotAccepted(house, ci, 'unreachable');
  renameSync(`${object}-lost`, object);
});

way.inFiles('The git ref of the shared passes is deleted.', async () => {
  const { house, ci, forger } = await opened();
  forger.git('push', '-q', 'origin', ':refs/onceover/passes');
  await expectNotAccepted(house, ci, NONE);
});

way.inFiles('The git remote with the shared passes cannot be reached.', async () => {
  const { house, ci } = await opened();
  ci.git('remote', 'set-url', 'origin', `file://${folder}/gone.git`);
  await expectNotAccepted(house, ci, 'unreachable');
  ci.git('remote', 'set-url', 'origin', `file://${house.bare}`);
});

/** Returns the address of a server that takes requests and never answers. */
async function silentServer(): Promise<string> {
  return (await startServer(() => {})).address;
}

way.inFiles('The git remote with the shared passes does not answer.', async () => {
  const { house, ci } = await opened();
  ci.git('remote', 'set-url', 'origin', `${await silentServer()}/repo.git`);
  const start = Date.now();
  const { stderr } = await expectNotAccepted(house, ci, 'unreachable');
  const seconds = (Date.now() - start) / 1000;
  expect(stderr).toMatch(/took too long to answer/);
  expect(seconds).toBeGreaterThan(5);
  expect(seconds).toBeLessThan(30);
  ci.git('remote', 'set-url', 'origin', `file://${house.bare}`);
});

way.inFiles('The git ref of the shared passes has 100,000 files for this code.', async () => {
  const { house, ci, forger } = await opened();
  forger.publishMany(100_000, 'files');
  await expectNotAccepted(house, ci, NONE);
});

way.inFiles('The git ref of the shared passes has a folder with passes for 100,000 versions of code.', async () => {
  const { house, ci, forger } = await opened();
  forger.publishMany(100_000, 'keys');
  await expectNotAccepted(house, ci, NONE);
});

/** Makes a team with an HTTP store, where a laptop has shared a pass of one gate. `answer` then answers for the store. */
async function storeWith(answer: RequestListener | null): Promise<{ house: Team; ci: Clone }> {
  const token = 'secret';
  const store = await startPassStore(token);
  let isShared = false;
  const { address } = await startServer((request, response) => {
    if (isShared && answer !== null) return answer(request, response);
    const { method, headers } = request;
    request.pipe(
      httpRequest(`${store.address}${request.url}`, { method, headers }, (from) => {
        response.writeHead(from.statusCode ?? 500);
        from.pipe(response);
      }),
    );
  });
  const house = team({ passes: `store: "${address}", share: auto` });
  const env = { ONCEOVER_PASSES_TOKEN: token };
  const laptop = house.clone({ key: 'dev@example.com', env });
  expect((await reviewedBranch(laptop, 'work', ['src'])).shared).toEqual({ passes: 1, waivers: 0 });
  isShared = true;
  return { house, ci: house.ci('work', { env }) };
}

way.inFiles('The HTTP store with the shared passes does not answer.', async () => {
  const { house, ci } = await storeWith(() => {});
  const start = Date.now();
  await expectNotAccepted(house, ci, 'unreachable');
  expect((Date.now() - start) / 1000).toBeLessThan(30);
});

way.inFiles('The HTTP store answers with the pass of other code.', async () => {
  const { forger } = await genuine();
  const { changed, sign } = forger;
  const bytes = changed({ gate: 'review:api:api-quality' });
  const body = JSON.stringify({ statement: Buffer.from(bytes).toString('base64'), signature: sign(bytes) });
  const { house, ci } = await storeWith((_, response) => end(response, 200, body));
  await expectNotAccepted(house, ci, null);
});

way.inFiles('The HTTP store requires another token than the configured one.', async () => {
  const { house, ci } = await storeWith((_, response) => end(response, 401));
  await expectNotAccepted(house, ci, 'unreachable');
});

/** Publishes the laptop's genuine pass again. */
async function genuine(): Promise<Scene> {
  const all = await opened();
  const { original, signature, stored, publish } = all.forger;
  publish(stored(original, signature));
  return all;
}

way('The user runs the gates with --no-accept.', async () => {
  const { house } = await genuine();
  const ci = house.ci('work');
  house.forget();
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await ci.run(['--no-accept'])).code).toBe(1);
  expect(house.calls()).toBe(1);
});

way('The user runs the gates with --fresh.', async () => {
  const { house } = await genuine();
  const ci = house.ci('work');
  house.forget();
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await ci.run(['--fresh'])).code).toBe(1);
  expect(house.calls()).toBe(1);
});

way('A reviewer in this clone has failed the same code.', async () => {
  const { house } = await genuine();
  const ci = house.ci('work');
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await ci.run(['--no-accept'])).code).toBe(1);
  expect((await ci.run()).code).toBe(1);
  expect((await ci.command('status')).code).toBe(1);
});

way('Someone edits a file after the pass was given.', async () => {
  const { house } = await genuine();
  const ci = house.ci('work');
  ci.write('src/a.txt', 'one\nevil\nthree\n');
  await expectNotAccepted(house, ci, NONE);
});

way('The change under review adds a key to the signers file.', async () => {
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

way('The change under review sets another base branch, whose signers file lists a key of the author.', async () => {
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

/** Pushes a branch whose signers file lists only the stranger's key, and a pass that this key signed. */
async function strangersBase({ house, forger }: Scene): Promise<Clone> {
  forger.publish(forger.stored(forger.original, forger.sign(forger.original, 'stranger@example.com')));
  const evil = house.clone();
  evil.git('checkout', '-q', '-B', 'strangers-base', 'origin/main');
  evil.write('.onceover/signers', house.key('stranger@example.com'));
  evil.commit('my own base');
  evil.git('push', '-q', '-f', 'origin', 'strangers-base');
  return evil;
}

way('The clone lacks the target branch, and someone pushed a tag with the name of this branch.', async () => {
  const scene = await genuine();
  const evil = await strangersBase(scene);
  for (const tag of ['origin/main', 'refs/remotes/origin/main', 'refs/heads/origin/main']) {
    evil.git('tag', '-f', tag, 'strangers-base');
    evil.git('push', '-q', '-f', 'origin', `refs/tags/${tag}`);
  }
  for (const args of [[], ['--depth', '3']]) {
    const ci = scene.house.ci('work', { args: ['--single-branch', '--branch', 'work', ...args] });
    ci.git('fetch', '-q', '--tags', 'origin');
    const run = await ci.command('run');
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('origin/main')]);
  }
  for (const tag of ['origin/main', 'refs/remotes/origin/main', 'refs/heads/origin/main']) {
    evil.git('push', '-q', 'origin', `:refs/tags/${tag}`);
  }
});

way(
  'The clone has no default branch, and the change sets a base branch whose signers file lists a key of the author.',
  async () => {
    const scene = await genuine();
    await strangersBase(scene);
    const laptop = scene.house.clone();
    laptop.git('checkout', '-q', '-b', 'change', 'origin/strangers-base');
    laptop.write('src/a.txt', 'one\nwork\nthree\n');
    laptop.write('onceover.yml', `base: origin/strangers-base\n${laptop.git('show', 'HEAD:onceover.yml')}`);
    laptop.commit('use my base');
    laptop.git('remote', 'set-head', 'origin', '--delete');
    laptop.git('branch', '-q', '-D', 'main');
    laptop.git('update-ref', '-d', 'refs/remotes/origin/main');
    await expectNotAccepted(scene.house, laptop, null);
  },
);

way('On the base branch, a list of revoked keys is a symlink.', async () => {
  const { house, laptop } = await teamWith({});
  const main = house.clone();
  symlinkSync('signers', join(main.root, '.onceover/signers.revoked'));
  main.commit('link');
  main.git('push', '-q', 'origin', 'main');
  await expectNotAccepted(house, house.ci('work'), 'not-configured');
  expect(laptop.root).not.toBe(main.root);
});

/** Makes a team of its own with these settings, where a laptop has shared a pass of one gate. */
async function teamWith(options: Parameters<typeof team>[0]): Promise<{ house: Team; laptop: Clone }> {
  const house = team(options);
  const laptop = house.clone({ key: 'dev@example.com' });
  await reviewedBranch(laptop, 'work', ['src']);
  return { house, laptop };
}

way('The change adds the setting `passes`, which the base branch does not have.', async () => {
  const { house, laptop } = await teamWith({ passes: '' });
  laptop.write('onceover.yml', `passes: { remote: origin, share: auto }\n${laptop.git('show', 'HEAD:onceover.yml')}`);
  laptop.commit('share');
  expect((await laptop.run()).shared).toBeNull();
  laptop.git('push', '-q', '-f', 'origin', 'HEAD:refs/heads/work');
  await expectNotAccepted(house, house.ci('work'), null);
});

way('The change edits the script of the reviewer, and a colleague whose key is allowed runs the gates.', async () => {
  const house = team({});
  const laptop = house.clone({ key: 'dev@example.com' });
  const settings = laptop.git('show', 'HEAD:onceover.yml');
  const [, agent = ''] = /command: \[node, ([^,]+),/.exec(settings) ?? [];
  laptop.write('onceover.yml', settings.replace(agent, 'tools/review.mjs'));
  laptop.write('tools/review.mjs', `import '${agent}';\n`);
  laptop.commit('a reviewer in the repository');
  laptop.git('push', '-q', 'origin', 'main');
  laptop.git('fetch', '-q', 'origin');
  // A pass of the script on the base branch travels, and does not count for a change that edits the script.
  expect((await reviewedBranch(laptop, 'work', ['src'])).shared).toEqual({ passes: 1, waivers: 0 });
  expect((await house.ci('work').run()).gates[0]?.why).toBe('accepted');
  laptop.write('tools/review.mjs', `console.log('{"status":"pass","violations":[]}');\n`);
  laptop.commit('edit the reviewer');
  laptop.git('push', '-q', 'origin', 'HEAD:refs/heads/edited');
  await expectNotAccepted(house, house.ci('edited'), 'changed-agent');
  // A pass of the edited script does not travel, also not after the script is restored.
  laptop.write('src/a.txt', 'one\nedited\nthree\n');
  laptop.commit('edit the code');
  expect(await laptop.run()).toMatchObject({ code: 0, shared: null });
  laptop.git('checkout', '-q', 'origin/main', 'tools');
  laptop.commit('restore the reviewer');
  laptop.git('push', '-q', '-f', 'origin', 'HEAD:refs/heads/restored');
  expect((await laptop.command('passes', 'push')).stdout).toContain('Nothing to share');
  house.answers(failing('src/a.txt', 'edited', { line: 2 }));
  expect((await house.ci('restored').run()).code).toBe(1);
});

way('The change lowers the setting `min_signers`.', async () => {
  const { house, laptop } = await teamWith({ passes: 'remote: origin, share: auto, min_signers: 2' });
  laptop.write('onceover.yml', laptop.git('show', 'HEAD:onceover.yml').replace('min_signers: 2', 'min_signers: 1'));
  laptop.commit('loosen');
  laptop.git('push', '-q', '-f', 'origin', 'HEAD:refs/heads/work');
  await expectNotAccepted(house, house.ci('work'), 'too-few-signers');
});

way('One person signs with two keys, and the setting `min_signers` is 2.', async () => {
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

way('An allowed person and a stranger sign, and the setting `min_signers` is 2.', async () => {
  const { house } = await teamWith({ passes: 'remote: origin, share: auto, min_signers: 2' });
  const forger = openForger(house, house.clone());
  forger.publish([
    ...forger.stored(forger.original, forger.signature),
    ...forger.stored(forger.original, forger.sign(forger.original, 'stranger@example.com')),
  ]);
  await expectNotAccepted(house, house.ci('work'), 'too-few-signers');
});

way('The setting `never_for` lists a file of the gate.', async () => {
  const { house } = await teamWith({ passes: 'remote: origin, share: auto, never_for: ["src/**"]' });
  await expectNotAccepted(house, house.ci('work'), 'excluded-path');
});

way('The setting `never_for` names a folder above a file of the gate.', async () => {
  const { house } = await teamWith({ passes: 'remote: origin, share: auto, never_for: [src]' });
  await expectNotAccepted(house, house.ci('work'), 'excluded-path');
});

way('A pattern of the setting `never_for` matches no file of the repository.', async () => {
  const { house } = await teamWith({ passes: 'remote: origin, share: auto, never_for: [scr]' });
  const ci = house.ci('work');
  await expectNotAccepted(house, ci, 'idle-pattern');
  const check = await ci.command('config', 'check');
  expect([check.code, check.stdout]).toEqual([2, expect.stringContaining('in passes.never_for matches no file')]);
});

way('The CI job has no secret that decides which passes are audited.', async () => {
  const { house } = await teamWith({ passes: 'remote: origin, share: auto, audit: 0.5' });
  const missing = await house.ci('work').run();
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('ONCEOVER_AUDIT_SECRET')]);
  // With the secret, every job draws the same passes.
  const env = { ONCEOVER_AUDIT_SECRET: 'the secret of this repository' };
  const draws = [];
  for (let job = 0; job < 3; job++) draws.push((await house.ci('work', { env }).run()).gates[0]?.why);
  expect(new Set(draws).size).toBe(1);
});

way('onceover chooses the pass for a second review, and the second reviewer fails the change.', async () => {
  const { house } = await teamWith({ passes: 'remote: origin, share: auto, audit: 1' });
  const ci = house.ci('work');
  await expectNotAccepted(house, ci, 'drawn-for-audit');
  const shown = await ci.command('passes', '--json');
  const { agreement } = JSON.parse(shown.stdout) as { readonly agreement: readonly object[] };
  expect(agreement).toContainEqual(
    expect.objectContaining({ by: 'signer', name: 'dev@example.com', audited: 1, disagreed: 1 }),
  );
});

way('Someone shares a review that is only marked as passed, and that no reviewer has passed.', async () => {
  const rule =
    'quality:\n  description: d\n  match: { include: ["src/**"] }\n  review: { strategy: matches_together, instructions: Look. }\n';
  const { house, laptop } = await teamWith({ more: 'trust_marks: true', files: { '.deepreview': rule } });
  writeFileSync(join(laptop.root, 'src/a.txt'), 'one\nmarked\nthree\n');
  laptop.commit('marked');
  const listed = await laptop.command('instructions', '--json');
  expect(listed.code).toBe(0);
  const { tasks = [] } = JSON.parse(listed.stdout) as { readonly tasks?: readonly { readonly id: string }[] };
  expect(tasks).toHaveLength(1);
  for (const { id } of tasks) expect((await laptop.command('pass', id)).code).toBe(0);
  // On this laptop the mark counts, but no statement of it leaves the clone.
  expect((await laptop.command('instructions', '--json')).stdout).not.toContain(tasks[0]?.id);
  const before = statementsOf(laptop);
  expect((await laptop.command('passes', 'push')).stdout).toContain('Nothing to share');
  expect(statementsOf(laptop)).toEqual(before);
  laptop.git('push', '-q', '-f', 'origin', 'HEAD:refs/heads/marked');
  const ci = house.ci('marked');
  house.forget();
  const run = await ci.run();
  expect(run.gates.map(({ why }) => why)).not.toContain('accepted');
  expect(house.calls()).toBe(run.gates.length);
});

way(
  'A colleague whose key is not allowed waives a finding, and a colleague whose key is allowed runs the gates.',
  async () => {
    const house = team({ more: 'waivers: { who: people, signers: .onceover/signers }' });
    const stranger = house.clone({ key: 'stranger@example.com' });
    house.answers(failing('src/a.txt', 'work', { line: 2 }));
    expect((await reviewedBranch(stranger, 'work', ['src'])).code).toBe(1);
    await waive(stranger, 'F1');
    expect((await stranger.run()).code).toBe(0);
    // With a store for teams, the waiver of the stranger counts in this clone too. It must not sign the waiver.
    const colleague = house.clone({ key: 'dev@example.com' });
    colleague.git('checkout', '-q', 'work');
    house.answers(failing('src/a.txt', 'work', { line: 2 }));
    expect((await colleague.run(['--share'])).shared).toBeNull();
    await expectNotAccepted(house, house.ci('work'), null);
  },
);

/** Returns the names of all statements on the remote, or in the store for teams. */
function statementsOf(clone: Clone): string {
  if (HAS_STORE) return JSON.stringify(sqlAtOnce('SELECT name FROM onceover.statements ORDER BY name'));
  clone.git('fetch', '-q', 'origin', 'refs/onceover/passes');
  return clone.git('ls-tree', '-r', '--name-only', 'FETCH_HEAD');
}
