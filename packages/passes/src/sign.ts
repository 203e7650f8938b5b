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
  const keyLabel = key.value;
  const programPath = isAbsolute(program) ? program : findOnPath(program, env['PATH'] ?? '');
  if (programPath === null || !isProgram(programPath)) return trouble('no-program', program);
  if (key.kind === 'file' && !isFile(key.value)) return trouble('no-key-file', keyLabel);
  const run = (args: readonly string[], limitMs: number, options: SignOptions) => {
    const waiting = (line: string) => {
      if (/confirm user presence/i.test(line)) options.waiting?.();
      return true;
    };
    const limits = { timeoutMs: limitMs, idleMs: null, signal: options.stop };
    const command = { program: programPath, args, cwd: root, env: definedVariables(env), input: '' };
    return runProcessGroup({ ...command, ...limits, onErrorLine: waiting });
  };
  return ok({
    key: keyLabel,
    async publicKey() {
      const storedKey = publicKeyIn(key.kind === 'text' ? key.value : readPublicFile(key.value));
      if (storedKey !== null) return ok(storedKey);
      const end = await run(['-y', '-f', key.value], TOUCH_MS, { stop: null });
      const derivedKey = end.kind === 'ended' && end.code === 0 ? publicKeyIn(end.stdout.text) : null;
      return derivedKey === null ? signingFailure(end, keyLabel) : ok(derivedKey);
    },
    async sign(statements, options) {
      if (statements.length === 0) return ok([]);
      const scratchResult = tryDisk('write', 'a temporary folder', () => makeScratch());
      if (!scratchResult.ok) return scratchResult;
      const scratch = scratchResult.value;
      try {
        const files = writeFiles(scratch, key, statements);
        if (!files.ok) return files;
        const { keyFile, paths } = files.value;
        // If only the public key is known, the private key is in ssh-agent, and `-U` says so. git does the same.
        const flags = key.kind === 'text' ? ['-U'] : [];
        const args = ['-Y', 'sign', '-n', SIGNATURE_NAMESPACE, '-f', keyFile, ...flags, ...paths];
        const limitMs = Math.min(TOUCH_MS * statements.length, LONGEST_MS);
        const end = await run(args, limitMs, options);
        if (end.kind === 'not-started' || end.ending !== 'by-itself' || end.code !== 0)
          return signingFailure(end, keyLabel);
        return readSignatures(paths, statements, keyLabel);
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
  const answer = await asResult(git(root, args, { expected: [0, 1] }));
  if (!answer.ok) return answer;
  const settings = new Map<string, string>();
  for (const entry of answer.value.stdout.toString('utf8').split('\0')) {
    const [name = '', ...value] = entry.split('\n');
    settings.set(name, value.join('\n'));
  }
  const program = settings.get('gpg.ssh.program') || 'ssh-keygen';
  const signingKey = env[SIGNING_KEY] ?? '';
  if (signingKey !== '') return ok({ program, key: { kind: 'file', value: keyPath(signingKey, root) } });
  const configuredKey = settings.get('user.signingkey') ?? '';
  const format = settings.get('gpg.format') ?? 'openpgp';
  if (format !== 'ssh') return err({ kind: 'no-signing-key', format: configuredKey === '' ? null : format });
  if (configuredKey === '') return err({ kind: 'no-signing-key', format: null });
  const isText = /^(?:key::|ssh-)/.test(configuredKey);
  if (isText) return ok({ program, key: { kind: 'text', value: configuredKey.replace(/^key::/, '') } });
  return ok({ program, key: { kind: 'file', value: resolve(root, configuredKey) } });
}

function keyPath(path: string, root: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(root, path);
}

// A key file may be a symlink, for example to a mounted secret. So the next two functions follow symlinks.
function isFile(path: string): boolean {
  const stats = tryDisk('read', path, () => statSync(path));
  return stats.ok && stats.value.isFile();
}

/** Returns the text of the public key file next to a private key; if `path` is a public key file, its own text. */
function readPublicFile(path: string): string {
  const file = path.endsWith('.pub') ? path : `${path}.pub`;
  const content = isFile(file) ? tryDisk('read', file, () => readFileSync(file, 'latin1')) : null;
  return content?.ok === true ? content.value : '';
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
    const file = readPlainFile(`${path}.sig`, LARGEST_SIGNATURE);
    const signature = file.ok ? file.bytes.toString('latin1') : '';
    const check = checkSignature(statements[i] ?? new Uint8Array(), signature);
    if (!check.ok) return trouble('unusable-signature', key, check.why);
    signatures.push({ armored: signature, keyFingerprint: check.keyFingerprint });
  }
  return ok(signatures);
}

function trouble(why: SigningTrouble, key: string, message = '') {
  return err({ kind: 'signing-failed', why, key, said: message.trim() });
}

const SIGNS: readonly (readonly [SigningTrouble, RegExp])[] = [
  ['passphrase', /incorrect passphrase|passphrase is too short|bad passphrase/i],
  ['agent', /agent|no private key|couldn't find key/i],
];

function signingFailure(end: ProcessRunEnd, key: string) {
  if (end.kind === 'not-started') return trouble('no-program', key, end.code);
  if (end.ending === 'cancelled') return trouble('cancelled', key);
  if (end.ending !== 'by-itself') return trouble('timeout', key);
  const stderr = end.stderr.text;
  const [why] = SIGNS.find(([, sign]) => sign.test(stderr)) ?? ['other' as const];
  return trouble(why, key, stderr);
}

function definedVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
