import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { bytesOf, passStatement } from '@onceover/testing/passes.ts';
import { cleanEnvironment, emptyRepo, type TestRepo } from '@onceover/testing/repo.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSigner } from '../src/sign.ts';
import { checkSignature } from '../src/ssh-signature.ts';

const statements = [bytesOf(passStatement()), bytesOf(passStatement({ slot: 2, agent: 'clé' }))];
let folder = '';
let repo: TestRepo;
let cache = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onceover-sign-'));
  const keygen = (...args: string[]) => execFileSync('ssh-keygen', ['-q', '-C', 'me', ...args], { cwd: folder });
  keygen('-t', 'ed25519', '-N', '', '-f', 'plain');
  keygen('-t', 'ed25519', '-N', 'secret', '-f', 'locked');
  keygen('-t', 'rsa', '-b', '1024', '-N', '', '-f', 'small');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  repo = emptyRepo();
  cache = join(repo.root, '..', 'cache');
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
  vi.stubEnv('GIT_CONFIG_SYSTEM', '/dev/null');
  vi.stubEnv('XDG_CACHE_HOME', cache);
});
afterEach(() => vi.unstubAllEnvs());

const file = (name: string) => join(folder, name);
const publicKey = (name: string) =>
  readFileSync(file(`${name}.pub`), 'utf8')
    .split(' ')
    .slice(0, 2)
    .join(' ');

/** Signs with these git settings and variables. Returns the fingerprint of the key, or the failure. */
async function sign(
  settings: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = {},
  stop: AbortSignal | null = null,
) {
  for (const [name, value] of Object.entries(settings)) repo.git('config', name, value);
  const signer = await openSigner(repo.root, { ...cleanEnvironment(folder), ...env });
  if (!signer.ok) return signer.failure;
  const signatures = await signer.value.sign(statements, { stop });
  // Nothing of the statements and keys stays on disk.
  expect(existsSync(join(cache, 'onceover')) ? readdirSync(join(cache, 'onceover')) : []).toEqual([]);
  if (!signatures.ok) return signatures.failure;
  expect(signatures.value.map(({ armored }, i) => checkSignature(statements[i] ?? Buffer.alloc(0), armored))).toEqual(
    signatures.value.map(({ keyFingerprint }) => ({ ok: true, keyFingerprint })),
  );
  return signatures.value.map(({ keyFingerprint }) => keyFingerprint);
}

function fingerprints(name: string): readonly string[] {
  const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', file(name)], { encoding: 'utf8' }).split(' ')[1] ?? '';
  return [fingerprint, fingerprint];
}

describe('openSigner signs with', () => {
  test('the key file of user.signingkey', async () => {
    expect(await sign({ 'gpg.format': 'ssh', 'user.signingkey': file('plain') })).toEqual(fingerprints('plain'));
  });

  test('the private key next to a public key file', async () => {
    expect(await sign({ 'gpg.format': 'ssh', 'user.signingkey': file('plain.pub') })).toEqual(fingerprints('plain'));
  });

  test('a path that is relative to the working tree', async () => {
    symlinkSync(file('plain'), join(repo.root, 'key'));
    expect(await sign({ 'gpg.format': 'ssh', 'user.signingkey': 'key' })).toEqual(fingerprints('plain'));
  });

  test('the key file of ONCEOVER_SIGNING_KEY, whatever git signs with', async () => {
    const env = { ONCEOVER_SIGNING_KEY: file('plain') };
    expect(await sign({ 'user.signingkey': 'ABCD1234' }, env)).toEqual(fingerprints('plain'));
  });

  test('the program of gpg.ssh.program', async () => {
    const program = join(repo.root, 'own-keygen');
    writeFileSync(program, `#!/bin/sh\necho "$@" > '${repo.root}/called'\nexec ssh-keygen "$@"\n`);
    chmodSync(program, 0o755);
    const settings = { 'gpg.format': 'ssh', 'user.signingkey': file('plain'), 'gpg.ssh.program': program };
    expect(await sign(settings)).toEqual(fingerprints('plain'));
    expect(readFileSync(join(repo.root, 'called'), 'utf8')).toMatch(/^-Y sign -n onceover -f /);
  });
});

describe('ssh-agent', () => {
  let agent: ChildProcess;
  const env = () => ({ SSH_AUTH_SOCK: file('agent') });
  beforeAll(async () => {
    agent = spawn('ssh-agent', ['-D', '-a', file('agent')], { stdio: 'ignore' });
    for (let i = 0; i < 100 && !existsSync(file('agent')); i++) await sleep(20);
    execFileSync('ssh-add', ['-q', file('plain')], { env: { ...process.env, ...env() }, stdio: 'ignore' });
    renameSync(file('plain'), file('plain-away'));
  });
  afterAll(() => {
    renameSync(file('plain-away'), file('plain'));
    agent.kill();
  });

  test.each(['', 'key::'])('signs with the key whose public half git has as text, after "%s"', async (prefix) => {
    const settings = { 'gpg.format': 'ssh', 'user.signingkey': `${prefix}${publicKey('plain')} me` };
    expect(await sign(settings, env())).toEqual(fingerprints('plain.pub'));
  });

  test('signs with the key whose public half is a file', async () => {
    const settings = { 'gpg.format': 'ssh', 'user.signingkey': file('plain.pub') };
    expect(await sign(settings, env())).toEqual(fingerprints('plain.pub'));
  });

  test('fails without the key', async () => {
    const settings = { 'gpg.format': 'ssh', 'user.signingkey': `key::${publicKey('locked')}` };
    expect(await sign(settings, env())).toMatchObject({ kind: 'signing-failed', why: 'agent' });
    expect(await sign(settings)).toMatchObject({ kind: 'signing-failed', why: 'agent' });
    expect(await sign({ 'user.signingkey': file('plain.pub') })).toMatchObject({
      kind: 'signing-failed',
      why: 'agent',
    });
  });
});

describe('a failure says what is missing:', () => {
  const rows: readonly [title: string, settings: () => Readonly<Record<string, string>>, expected: object][] = [
    ['no settings', () => ({}), { kind: 'no-signing-key', format: null }],
    ['an SSH format without a key', () => ({ 'gpg.format': 'ssh' }), { kind: 'no-signing-key', format: null }],
    ['a PGP key', () => ({ 'user.signingkey': 'ABCD1234' }), { kind: 'no-signing-key', format: 'openpgp' }],
    [
      'an X.509 key',
      () => ({ 'gpg.format': 'x509', 'user.signingkey': 'me' }),
      { kind: 'no-signing-key', format: 'x509' },
    ],
    ['a missing file', () => ({ 'gpg.format': 'ssh', 'user.signingkey': file('none') }), { why: 'no-key-file' }],
    ['a passphrase', () => ({ 'gpg.format': 'ssh', 'user.signingkey': file('locked') }), { why: 'passphrase' }],
    [
      'a short key',
      () => ({ 'gpg.format': 'ssh', 'user.signingkey': file('small') }),
      { why: 'unusable-signature', said: 'weak-key' },
    ],
    [
      'a file that is not a key',
      () => ({ 'gpg.format': 'ssh', 'user.signingkey': join(repo.root, '.git/HEAD') }),
      { why: 'other' },
    ],
    [
      'a missing program',
      () => ({ 'gpg.format': 'ssh', 'user.signingkey': file('plain'), 'gpg.ssh.program': 'no-such-keygen' }),
      { why: 'no-program', key: 'no-such-keygen' },
    ],
    [
      'a program that writes no signature',
      () => ({ 'gpg.format': 'ssh', 'user.signingkey': file('plain'), 'gpg.ssh.program': '/bin/true' }),
      { why: 'unusable-signature', said: 'not-a-signature' },
    ],
  ];
  test.each(rows)('%s', async (_title, settings, failureFields) => {
    const failure = await sign(settings());
    expect(failure).toMatchObject(failureFields);
    if (!('kind' in failure)) throw new Error('signed');
    expect(describeFailure(failure).next).toMatch(/\.$/);
  });

  test('a person who does not touch the key until the run is stopped', async () => {
    const program = join(repo.root, 'waiting');
    writeFileSync(program, '#!/bin/sh\necho "Confirm user presence for key ED25519-SK" >&2\nsleep 60\n');
    chmodSync(program, 0o755);
    const settings = { 'gpg.format': 'ssh', 'user.signingkey': file('plain'), 'gpg.ssh.program': program };
    for (const [name, value] of Object.entries(settings)) repo.git('config', name, value);
    const signer = await openSigner(repo.root, cleanEnvironment(folder));
    if (!signer.ok) throw new Error(signer.failure.kind);
    const stop = new AbortController();
    const waiting = vi.fn(() => stop.abort());
    const end = await signer.value.sign(statements, { stop: stop.signal, waiting });
    expect(end).toMatchObject({ ok: false, failure: { kind: 'signing-failed', why: 'cancelled' } });
    expect(waiting).toHaveBeenCalledOnce();
  });
});

describe('publicKey', () => {
  const keyOf = async (settings: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries({ 'gpg.format': 'ssh', ...settings })) repo.git('config', name, value);
    const signer = await openSigner(repo.root, cleanEnvironment(folder));
    const key = signer.ok ? await signer.value.publicKey() : signer;
    return key.ok ? key.value : key.failure;
  };

  test.each(['plain', 'plain.pub'])('reads the public file of %s', async (name) => {
    expect(await keyOf({ 'user.signingkey': file(name) })).toBe(publicKey('plain'));
  });

  test('takes the key from a text', async () => {
    expect(await keyOf({ 'user.signingkey': `key::${publicKey('plain')} me@laptop` })).toBe(publicKey('plain'));
  });

  test('asks ssh-keygen if there is no public file', async () => {
    symlinkSync(file('plain'), join(repo.root, 'alone'));
    expect(await keyOf({ 'user.signingkey': 'alone' })).toBe(publicKey('plain'));
  });

  test('fails if the private key is locked and there is no public file', async () => {
    symlinkSync(file('small.pub'), join(repo.root, 'alone'));
    expect(await keyOf({ 'user.signingkey': 'alone' })).toMatchObject({ kind: 'signing-failed' });
  });
});
