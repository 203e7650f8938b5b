import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareWithClones, type Clones, carrierAt, okValue, storedSample } from '@onceover/testing/pass-clones.ts';
import { describe, expect, test } from 'vitest';

const [one, two] = [storedSample('one'), storedSample('two')];

describe('the git carrier', () => {
  test('a folder of the working tree is not taken for a remote', async () => {
    const clones = bareWithClones();
    const root = clones.join('a');
    clones.git(root, 'clone', '-q', '--bare', clones.bare, 'tools');
    okValue(await carrierAt(root).push([one], null));
    clones.git(root, 'push', '-q', 'tools', 'refs/onceover/fetched/origin:refs/onceover/passes');
    const carrier = carrierAt(root, 'tools');
    const failure = { kind: 'passes-carrier', why: 'not-a-remote' };
    expect(await carrier.fetch(null)).toMatchObject({ ok: false, failure });
    expect(await carrier.push([two], null)).toMatchObject({ ok: false, failure });
    expect(okValue(await carrier.find([one.key]))).toEqual(new Map());
  });

  test('two remotes whose names begin alike have statements of their own', async () => {
    const [clones, otherClones] = [bareWithClones(), bareWithClones()];
    const root = clones.join('a');
    clones.git(root, 'config', 'remote.origin/x.url', otherClones.bare);
    okValue(await carrierAt(root).push([one], null));
    okValue(await carrierAt(root, 'origin/x').push([two], null));
    expect(okValue(await carrierAt(root).all())).toEqual([one]);
    expect(okValue(await carrierAt(root, 'origin/x').all())).toEqual([two]);
  });

  test("changes nothing in the user's clone except objects and its own ref", async () => {
    const clones = bareWithClones();
    const root = clones.clone('a', '--depth=1');
    clones.git(root, 'config', 'core.logAllRefUpdates', 'always');
    writeFileSync(join(root, 'new.txt'), 'x');
    clones.git(root, 'add', 'new.txt');
    for (const hook of ['pre-push', 'reference-transaction', 'post-index-change']) {
      mkdirSync(join(root, '.git/hooks'), { recursive: true });
      writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\ntouch ${root}/hook-ran\n`);
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    }
    const before = stateOf(clones, root);
    const carrier = carrierAt(root);
    okValue(await carrier.push([one], null));
    okValue(await carrierAt(clones.join('b')).push([two], null));
    okValue(await carrier.fetch(null));
    okValue(await carrier.prune(({ key }) => key === one.key));
    expect(okValue(await carrier.all())).toEqual([two]);
    expect(stateOf(clones, root)).toEqual(before);
    expect(leftovers(root)).toEqual([]);
  });

  test('needs no git identity and no branch', async () => {
    const clones = bareWithClones();
    okValue(await carrierAt(clones.join('a')).push([one], null));
    const authorLine = clones.git(clones.bare, 'log', '--format=%an <%ae> %cn', 'refs/onceover/passes').trim();
    expect(authorLine).toBe('onceover <onceover@localhost> onceover');
  });

  test('fetches only what is new', async () => {
    const clones = bareWithClones();
    const [root, otherCarrier] = [clones.join('a'), carrierAt(clones.join('b'))];
    const samples = Array.from({ length: 60 }, (_, n) => storedSample(`${n}`));
    okValue(await otherCarrier.push(samples, null));
    const carrier = carrierAt(root);
    okValue(await carrier.fetch(null));
    const objects = () => Number(/^count: (\d+)$/m.exec(clones.git(root, 'count-objects', '-v'))?.[1]);
    const packs = () => readdirSync(join(root, '.git/objects/pack')).filter((name) => name.endsWith('.pack')).length;
    expect(packs()).toBe(1);
    expect(objects()).toBe(0);
    okValue(await otherCarrier.push([one], null));
    okValue(await carrier.fetch(null));
    // A commit, three trees and two blobs.
    expect([packs(), objects()]).toEqual([1, 6]);
    okValue(await carrier.fetch(null));
    expect([packs(), objects()]).toEqual([1, 6]);
  });

  test('is fresh for a minute after a fetch, also if the fetch brought nothing new', async () => {
    const clones = bareWithClones();
    okValue(await carrierAt(clones.join('b')).push([one], null));
    const root = clones.join('a');
    const carrier = carrierAt(root);
    expect(carrier.isFresh()).toBe(false);
    for (const isNew of [true, false]) {
      expect(okValue(await carrier.fetch(null))).toBe(isNew);
      expect(carrier.isFresh()).toBe(true);
      // Also a time in the future is not recent, as after someone set the clock back.
      for (const seconds of [-61, 3600]) {
        const time = new Date(Date.now() + seconds * 1000);
        utimesSync(join(root, '.git/refs/onceover/fetched/origin'), time, time);
        expect(carrier.isFresh()).toBe(false);
      }
    }
  });

  test('in a partial clone gets the statements, and the clone stays partial', async () => {
    const clones = bareWithClones();
    okValue(await carrierAt(clones.join('a')).push([one, two], null));
    const root = clones.clone('b', '--filter=blob:none');
    const config = readFileSync(join(root, '.git/config'), 'utf8');
    const carrier = carrierAt(root);
    okValue(await carrier.fetch(null));
    expect(okValue(await carrier.find([one.key])).get(one.key)).toEqual([one.file]);
    expect(okValue(await carrier.push([storedSample('three')], null))).toEqual({ added: 1 });
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(config);
  });

  test('in a partial clone does not call the remote for missing statements', async () => {
    const clones = bareWithClones();
    okValue(await carrierAt(clones.join('a')).push([one], null));
    const root = clones.clone('b', '--filter=blob:none');
    clones.git(root, 'fetch', '-q', 'origin', '+refs/onceover/passes:refs/onceover/fetched/origin');
    const failure = { kind: 'git-failed', said: expect.stringMatching(/promisor|protocol|transport|lazy/i) };
    expect(await carrierAt(root).find([one.key])).toMatchObject({ ok: false, failure });
    const missing = clones.git(root, 'rev-list', '--objects', '--missing=print', 'refs/onceover/fetched/origin');
    expect(missing.match(/^\?/gm)).toHaveLength(2);
  });

  test('says that the remote cannot be reached', async () => {
    const clones = bareWithClones();
    const root = clones.join('a');
    clones.git(root, 'config', 'remote.origin.url', join(root, 'nowhere.git'));
    const failure = { kind: 'passes-carrier', where: 'origin', why: 'unreachable' };
    expect(await carrierAt(root).fetch(null)).toMatchObject({ ok: false, failure });
    expect(await carrierAt(root).push([one], null)).toMatchObject({ ok: false, failure });
    expect(leftovers(root)).toEqual([]);
  });

  test('says that the remote refuses the ref', async () => {
    const clones = bareWithClones();
    mkdirSync(join(clones.bare, 'hooks'));
    writeFileSync(join(clones.bare, 'hooks/pre-receive'), '#!/bin/sh\necho no passes here >&2\nexit 1\n');
    chmodSync(join(clones.bare, 'hooks/pre-receive'), 0o755);
    const push = await carrierAt(clones.join('a')).push([one], null);
    expect(push).toMatchObject({
      ok: false,
      failure: { why: 'refused', said: expect.stringContaining('no passes') },
    });
  });

  test.each(['fetch', 'push'] as const)(
    'ends %s at once when it is stopped, and leaves nothing behind',
    async (action) => {
      const { clones, root } = withSlowRemote();
      const carrier = carrierAt(root);
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 300);
      const start = performance.now();
      const result = await (action === 'fetch' ? carrier.fetch(stop.signal) : carrier.push([one], stop.signal));
      expect(result).toMatchObject({ ok: false, failure: { kind: 'passes-carrier', why: 'stopped' } });
      expect(performance.now() - start).toBeLessThan(8000);
      expect(leftovers(root)).toEqual([]);
      expect(clones.git(root, 'for-each-ref')).toBe('');
      expect(await carrier.fetch(stop.signal)).toMatchObject({ ok: false, failure: { why: 'stopped' } });
    },
  );

  test('gives up after the time limit', async () => {
    const { root } = withSlowRemote();
    const carrier = carrierAt(root, 'origin', { fetchMs: 200, pushMs: 200 });
    expect(await carrier.fetch(null)).toMatchObject({ ok: false, failure: { why: 'timeout' } });
    expect(await carrier.push([one], null)).toMatchObject({ ok: false, failure: { why: 'timeout' } });
    expect(leftovers(root)).toEqual([]);
  });

  test('has no terminal on which git or ssh could prompt', async () => {
    const clones = bareWithClones();
    const root = clones.join('a');
    const log = join(root, 'ssh.log');
    const ssh = join(root, 'ssh');
    writeFileSync(
      ssh,
      `#!/bin/sh\n(exec </dev/tty) 2>/dev/null && echo terminal >${log} || echo none $SSH_ASKPASS_REQUIRE >${log}\nexit 1\n`,
    );
    chmodSync(ssh, 0o755);
    clones.git(root, 'config', 'core.sshCommand', ssh);
    clones.git(root, 'config', 'remote.origin.url', 'ssh://example.invalid/x.git');
    expect(await carrierAt(root).fetch(null)).toMatchObject({ ok: false, failure: { why: 'unreachable' } });
    expect(readFileSync(log, 'utf8')).toBe('none never\n');
  });

  test('removes the lock of a killed process, and reports one that is new', async () => {
    const clones = bareWithClones();
    const root = clones.join('a');
    okValue(await carrierAt(clones.join('b')).push([one], null));
    const lock = join(root, '.git/refs/onceover/fetched/origin.lock');
    mkdirSync(join(lock, '..'), { recursive: true });
    writeFileSync(lock, '');
    const message = expect.stringContaining('origin.lock');
    expect(await carrierAt(root).fetch(null)).toMatchObject({ ok: false, failure: { why: 'locked', said: message } });
    utimesSync(lock, 1, 1);
    okValue(await carrierAt(root).fetch(null));
    expect(existsSync(lock)).toBe(false);
    expect(okValue(await carrierAt(root).all())).toEqual([one]);
  });

  test('removes what a killed transfer has left behind, later', async () => {
    const clones = bareWithClones();
    const root = clones.join('a');
    const old = join(root, '.git/objects/tmp_objdir-onceover-1-abc');
    mkdirSync(join(old, 'objects/pack'), { recursive: true });
    okValue(await carrierAt(root).fetch(null));
    expect(existsSync(old)).toBe(true);
    utimesSync(old, 1, 1);
    okValue(await carrierAt(root).fetch(null));
    expect(existsSync(old)).toBe(false);
  });
});

/** Makes a clone whose remote never answers. */
function withSlowRemote(): { readonly clones: Clones; readonly root: string } {
  const clones = bareWithClones();
  const root = clones.join('a');
  const slow = join(root, '../slow');
  writeFileSync(slow, '#!/bin/sh\nsleep 30\n');
  chmodSync(slow, 0o755);
  clones.git(root, 'config', 'remote.origin.uploadpack', slow);
  clones.git(root, 'config', 'remote.origin.receivepack', slow);
  return { clones, root };
}

function stateOf({ git }: Clones, root: string) {
  const contentOf = (name: string) => (existsSync(join(root, name)) ? readFileSync(join(root, name), 'base64') : null);
  const refs = git(root, 'for-each-ref').split('\n');
  return {
    files: ['.git/index', '.git/HEAD', '.git/config', '.git/FETCH_HEAD', '.git/shallow', '.git/ORIG_HEAD'].map(
      contentOf,
    ),
    refs: refs.filter((line) => !line.endsWith('refs/onceover/fetched/origin')),
    logs: readdirSync(join(root, '.git/logs'), { recursive: true }).sort(),
    tree: readdirSync(root).sort(),
    top: readdirSync(join(root, '.git')).sort(),
  };
}

function leftovers(root: string): readonly string[] {
  const names = readdirSync(join(root, '.git/objects'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /tmp_|incoming/.test(name));
}
