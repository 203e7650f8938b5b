// Makes a bare repository with many signed statements on the ref that carries passes.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';

const NAMESPACE = 'onceover';
const PER_COMMIT = 5;

/** Returns a new ed25519 key: its line for a signers file, and a function that signs as `ssh-keygen -Y sign` does. */
export function newSigner() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const raw = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  const publicKey = Buffer.concat([field('ssh-ed25519'), field(raw)]);
  return {
    line: `dev@example.com ssh-ed25519 ${publicKey.toString('base64')}\n`,
    sign(statement) {
      const digest = createHash('sha512').update(statement).digest();
      const parts = [field(NAMESPACE), field(''), field('sha512')];
      const signed = Buffer.concat([Buffer.from('SSHSIG'), ...parts, field(digest)]);
      const signature = Buffer.concat([field('ssh-ed25519'), field(sign(null, signed, privateKey))]);
      const version = Buffer.from([0, 0, 0, 1]);
      const all = Buffer.concat([Buffer.from('SSHSIG'), version, field(publicKey), ...parts, field(signature)]);
      const lines = all.toString('base64').match(/.{1,70}/g) ?? [];
      return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
    },
  };
}

function field(value) {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Returns the facts of a pass without its content, different for each number. */
export function passNumber(n) {
  const digest = (what) => createHash('sha256').update(`${what} ${n}`).digest('hex');
  const files = Array.from({ length: 1 + (n % 4) }, (_, at) => ({
    path: `src/area${n % 300}/part${at}/file${n}.ts`,
    mode: '100644',
    baseMode: '100644',
    baseBlob: digest(`base ${at}`).slice(0, 40),
    headBlob: digest(`head ${at}`).slice(0, 40),
  }));
  return {
    kind: 'pass',
    gate: `review:src/area${n % 300}:quality`,
    slot: 1,
    scope: 'full',
    promptDigest: digest('prompt'),
    settingsDigest: digest('settings'),
    files,
    agent: 'claude',
    model: 'claude-sonnet-5-5',
    agentVersion: '3.1.0',
    onceoverVersion: '0.1.0',
    session: n % 3 === 0 ? 'resumed' : 'new',
    filesOpened: files.map(({ path }) => path),
    usage: { inputTokens: 9000 + n, cachedInputTokens: 4000, cacheWriteTokens: 0, outputTokens: 700, costUsd: 0.05 },
    durationMs: 30_000 + n,
    passedAt: new Date(Date.now() - (n % 1000) * 60_000).toISOString(),
    transcriptDigest: digest('transcript'),
    waived: [],
  };
}

/** Writes files to the ref, five per commit as runs do, on top of what is there. Repacks if `isLast`. */
export async function importFiles(bare, ref, files, { isLast }) {
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: bare, stdio: ['pipe', 'ignore', 'inherit'] });
  const known = spawnSync('git', ['rev-parse', '-q', '--verify', ref], { cwd: bare }).status === 0;
  const write = async (text) => {
    if (!child.stdin.write(text)) await once(child.stdin, 'drain');
  };
  for (let at = 0; at < files.length; at += PER_COMMIT) {
    await write(`commit ${ref}\ncommitter bench <bench@example.invalid> ${1_700_000_000 + at} +0000\ndata 1\nx\n`);
    if (at === 0 && known) await write(`from ${ref}^0\n`);
    for (const { key, name, statement, signature } of files.slice(at, at + PER_COMMIT)) {
      const path = `${key.slice(0, 2)}/${key}/${name}.json`;
      for (const [file, bytes] of [
        [path, statement],
        [`${path}.sig`, Buffer.from(signature)],
      ]) {
        await write(`M 100644 inline ${file}\ndata ${bytes.length}\n`);
        await write(bytes);
        await write('\n');
      }
    }
  }
  child.stdin.end();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`git fast-import: exit ${code}`);
  // A server keeps its objects packed. Otherwise, most of the time of a first fetch would be the server's.
  if (isLast) spawnSync('git', ['repack', '-a', '-d', '-q'], { cwd: bare, stdio: 'inherit' });
}
