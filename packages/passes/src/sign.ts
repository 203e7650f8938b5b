import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { SigningTrouble } from '@onceover/base/kernel/failure';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { tryDisk } from '@onceover/base/platform/files';
import { readPlainFile } from '@onceover/base/platform/private-files';
import { findOnPath, isProgram } from '@onceover/base/platform/program';
import { type ProcessRunEnd, runProcessGroup } from '@onceover/base/platform/run-process';
import { makeScratch, type Scratch } from '@onceover/base/platform/scratch';
import { asResult, git } from '@onceover/repo/git/git';
import { checkSignature, LARGEST_SIGNATURE } from './ssh-signature.ts';
import { SIGNATURE_NAMESPACE } from './types.ts';

/** The environment variable with the path of the signing key. It replaces git's setting `user.signingkey`. */
const SIGNING_KEY = 'ONCEOVER_SIGNING_KEY';

/** A signature in OpenSSH's text format, and the fingerprint of the key that made it. */
type Signature = { readonly armored: string; readonly keyFingerprint: string };

type SignOptions = {
  readonly stop: AbortSignal | null;
  /** Called when a hardware key waits for a touch. */
  waiting?(): void;
};

/** Signs passes and waivers with the SSH key that git uses for signing. */
export interface StatementSigner {
  /** The signing key as it is configured (a path or a public key), for messages. */
  readonly key: string;
  /** Returns the public key in OpenSSH's format, `key-type key`, without its comment. */
  publicKey(): Promise<Result<string>>;
  /** Returns one signature per file, in the same order. Each signature has been verified. */
  sign(statements: readonly Uint8Array[], options: SignOptions): Promise<Result<readonly Signature[]>>;
}

/** The signing key: a file with a private or public key, or the text of a public key that ssh-agent holds. */
type ConfiguredKey = { readonly kind: 'file' | 'text'; readonly value: string };

type Settings = { readonly key: ConfiguredKey; readonly program: string };

/** Opens the signing key that git's settings in `root` name, or the key file that the environment names. */
export async function openSigner(root: string, env: NodeJS.ProcessEnv): Promise<Result<StatementSigner>> {
  const settings = await readSettings(root, env);
  if (!settings.ok) return settings;
  const { key, program } = settings.value;
  const shown = key.value;
  const found = isAbsolute(program) ? program : findOnPath(program, env['PATH'] ?? '');
  if (found === null || !isProgram(found)) return trouble('no-program', program);
  if (key.kind === 'file' && !isFile(key.value)) return trouble('no-key-file', shown);
  const run = (args: readonly string[], most: number, options: SignOptions) => {
    const waiting = (line: string) => {
      if (/confirm user presence/i.test(line)) options.waiting?.();
      return true;
    };
    const limits = { timeoutMs: most, idleMs: null, signal: options.stop };
    const given = { program: found, args, cwd: root, env: defined(env), input: '' };
    return runProcessGroup({ ...given, ...limits, onErrorLine: waiting });
  };
  return ok({
    key: shown,
    async publicKey() {
      const known = publicKeyIn(key.kind === 'text' ? key.value : readPublicFile(key.value));
      if (known !== null) return ok(known);
      const end = await run(['-y', '-f', key.value], TOUCH_MS, { stop: null });
      const made = end.kind === 'ended' && end.code === 0 ? publicKeyIn(end.stdout.text) : null;
      return made === null ? failed(end, shown) : ok(made);
    },
    async sign(statements, options) {
      if (statements.length === 0) return ok([]);
      const opened = tryDisk('write', 'a temporary folder', () => makeScratch());
      if (!opened.ok) return opened;
      const scratch = opened.value;
      try {
        const files = writeFiles(scratch, key, statements);
        if (!files.ok) return files;
        const { keyFile, paths } = files.value;
        // If only the public key is known, the private key is in ssh-agent, and `-U` says so. git does the same.
        const flags = key.kind === 'text' ? ['-U'] : [];
        const args = ['-Y', 'sign', '-n', SIGNATURE_NAMESPACE, '-f', keyFile, ...flags, ...paths];
        const most = Math.min(TOUCH_MS * statements.length, LONGEST_MS);
        const end = await run(args, most, options);
        if (end.kind === 'not-started' || end.ending !== 'by-itself' || end.code !== 0) return failed(end, shown);
        return readSignatures(paths, statements, shown);
      } finally {
        scratch.remove();
      }
    },
  });
}

/** How long a person has to touch a hardware key or to answer ssh-agent. */
const TOUCH_MS = 60_000;

const LONGEST_MS = 5 * TOUCH_MS;

async function readSettings(root: string, env: NodeJS.ProcessEnv): Promise<Result<Settings>> {
  const names = '^(gpg\\.format|gpg\\.ssh\\.program|user\\.signingkey)$';
  // `--type=path` expands `~`, as git does when it reads these settings itself.
  const args = ['config', '-z', '--type=path', '--get-regexp', names];
  const said = await asResult(git(root, args, { expected: [0, 1] }));
  if (!said.ok) return said;
  const settings = new Map<string, string>();
  for (const entry of said.value.stdout.toString('utf8').split('\0')) {
    const [name = '', ...value] = entry.split('\n');
    settings.set(name, value.join('\n'));
  }
  const program = settings.get('gpg.ssh.program') || 'ssh-keygen';
  const own = env[SIGNING_KEY] ?? '';
  if (own !== '') return ok({ program, key: { kind: 'file', value: keyPath(own, root) } });
  const written = settings.get('user.signingkey') ?? '';
  const format = settings.get('gpg.format') ?? 'openpgp';
  if (format !== 'ssh') return err({ kind: 'no-signing-key', format: written === '' ? null : format });
  if (written === '') return err({ kind: 'no-signing-key', format: null });
  const isText = /^(?:key::|ssh-)/.test(written);
  if (isText) return ok({ program, key: { kind: 'text', value: written.replace(/^key::/, '') } });
  return ok({ program, key: { kind: 'file', value: resolve(root, written) } });
}

function keyPath(written: string, root: string): string {
  return written.startsWith('~/') ? join(homedir(), written.slice(2)) : resolve(root, written);
}

// A key file may be a symlink, for example to a mounted secret. So the next two functions follow symlinks.
function isFile(path: string): boolean {
  const stats = tryDisk('read', path, () => statSync(path));
  return stats.ok && stats.value.isFile();
}

/** Returns the text of the public key file next to a private key; if `path` is a public key file, its own text. */
function readPublicFile(path: string): string {
  const file = path.endsWith('.pub') ? path : `${path}.pub`;
  const read = isFile(file) ? tryDisk('read', file, () => readFileSync(file, 'latin1')) : null;
  return read?.ok === true ? read.value : '';
}

function publicKeyIn(text: string): string | null {
  const [, key = null] = /^((?:ssh|ecdsa|sk)-[!-~]+ [A-Za-z0-9+/=]+)(?:[ \r\n]|$)/.exec(text.trim()) ?? [];
  return key;
}

function writeFiles(scratch: Scratch, key: ConfiguredKey, statements: readonly Uint8Array[]) {
  return tryDisk('write', scratch.folder, () => {
    const keyFile = key.kind === 'file' ? key.value : scratch.put('key.pub', `${key.value}\n`);
    // Some replacements of ssh-keygen do not read standard input, so pass the bytes to sign in files, as git does.
    const paths = statements.map((bytes, i) => scratch.put(`${i}.json`, Buffer.from(bytes).toString('utf8')));
    return { keyFile, paths };
  });
}

function readSignatures(
  paths: readonly string[],
  statements: readonly Uint8Array[],
  key: string,
): Result<readonly Signature[]> {
  const signatures: Signature[] = [];
  for (const [i, path] of paths.entries()) {
    const read = readPlainFile(`${path}.sig`, LARGEST_SIGNATURE);
    const armored = read.ok ? read.bytes.toString('latin1') : '';
    const checked = checkSignature(statements[i] ?? new Uint8Array(), armored);
    if (!checked.ok) return trouble('unusable-signature', key, checked.why);
    signatures.push({ armored, keyFingerprint: checked.keyFingerprint });
  }
  return ok(signatures);
}

function trouble(why: SigningTrouble, key: string, said = '') {
  return err({ kind: 'signing-failed', why, key, said: said.trim() });
}

const SIGNS: readonly (readonly [SigningTrouble, RegExp])[] = [
  ['passphrase', /incorrect passphrase|passphrase is too short|bad passphrase/i],
  ['agent', /agent|no private key|couldn't find key/i],
];

function failed(end: ProcessRunEnd, key: string) {
  if (end.kind === 'not-started') return trouble('no-program', key, end.code);
  if (end.ending === 'cancelled') return trouble('cancelled', key);
  if (end.ending !== 'by-itself') return trouble('timeout', key);
  const said = end.stderr.text;
  const [why] = SIGNS.find(([, sign]) => sign.test(said)) ?? ['other' as const];
  return trouble(why, key, said);
}

function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
