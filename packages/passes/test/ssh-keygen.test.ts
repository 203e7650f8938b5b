import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOf, NOW, passStatement } from '@onceover/testing/passes.ts';
import { makeKey } from '@onceover/testing/ssh-signing.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findSigner, readSigners } from '../src/signers.ts';
import { checkSignature } from '../src/ssh-signature.ts';

// These tests need the real ssh-keygen of OpenSSH.
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onceover-ssh-keygen-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const statement = bytesOf(passStatement());

function keygen(args: readonly string[], input: Buffer = Buffer.alloc(0)) {
  return spawnSync('ssh-keygen', args, { cwd: folder, input, encoding: 'utf8' });
}

/** Whether `ssh-keygen -Y verify` accepts the signature, with these lines in allowed_signers and a clock at `NOW`. */
function verifies(signature: string, lines: string, extraArgs: readonly string[] = []): boolean {
  writeFileSync(join(folder, 'statement.json.sig'), signature);
  writeFileSync(join(folder, 'signers'), lines);
  const args = ['-Y', 'verify', '-f', 'signers', '-I', 'dev@example.com', '-n', 'onceover', '-s', 'statement.json.sig'];
  const time = NOW.toISOString().replace(/[-:T]|\.\d+/g, '');
  return keygen([...args, `-Overify-time=${time}`, ...extraArgs], statement).status === 0;
}

describe.each([
  ['ed25519', ['-t', 'ed25519']],
  ['ecdsa-256', ['-t', 'ecdsa', '-b', '256']],
  ['ecdsa-384', ['-t', 'ecdsa', '-b', '384']],
  ['ecdsa-521', ['-t', 'ecdsa', '-b', '521']],
  ['rsa', ['-t', 'rsa', '-b', '2048']],
])('a key of ssh-keygen: %s', (name, type) => {
  beforeAll(() => expect(keygen(['-q', '-N', '', '-C', 'laptop', '-f', name, ...type]).status).toBe(0));
  const sign = (hash: string) =>
    keygen(['-Y', 'sign', '-n', 'onceover', '-f', name, `-Ohashalg=${hash}`], statement).stdout;
  const printedFingerprint = () => /SHA256:\S+/.exec(keygen(['-l', '-f', name]).stdout)?.[0] ?? '';

  test.each(['sha256', 'sha512'])('its signature over %s is valid here', (hash) => {
    expect(checkSignature(statement, sign(hash))).toEqual({ ok: true, keyFingerprint: printedFingerprint() });
    expect(checkSignature(Buffer.concat([statement, statement]), sign(hash)).ok).toBe(false);
  });

  test('the same two files are valid for ssh-keygen -Y verify and for us', () => {
    const lines = `dev@example.com namespaces="onceover" ${readFileSync(join(folder, `${name}.pub`), 'utf8')}`;
    expect(verifies(sign('sha512'), lines)).toBe(true);
    const signers = readSigners(lines);
    expect(signers.problems).toEqual([]);
    expect(findSigner(signers, printedFingerprint(), [NOW])).toEqual({ ok: true, principals: ['dev@example.com'] });
  });
});

describe('signatures that the tests make', () => {
  test.each(['ed25519', 'p256', 'p384', 'p521', 'rsa', 'sk-ed25519', 'sk-p256'] as const)(
    'ssh-keygen accepts those of %s, so our tests of them are worth something',
    (name) => {
      const key = makeKey(name);
      expect(verifies(key.sign(statement), `dev@example.com ${key.line}\n`)).toBe(true);
    },
  );
});

describe('lines of a signers file mean here what they mean to ssh-keygen', () => {
  const key = makeKey('ed25519');
  const signature = key.sign(statement);
  const rows: readonly [line: string, isAllowed: boolean][] = [
    [`dev@example.com ${key.line}`, true],
    [`dev@example.com ${key.line} a comment`, true],
    [`  dev@example.com\t${key.line}`, true],
    [`# dev@example.com ${key.line}`, false],
    [`me@example.com,dev@example.com ${key.line}`, true],
    [`*@example.com ${key.line}`, true],
    [`d?v@example.com ${key.line}`, true],
    [`!dev@example.com,*@example.com ${key.line}`, true],
    [`dev@example.com,!dev@example.com ${key.line}`, false],
    [`*,!* ${key.line}`, false],
    [`dev@example.com namespaces="onceover" ${key.line}`, true],
    [`dev@example.com namespaces="git,once*" ${key.line}`, true],
    [`dev@example.com namespaces="git" ${key.line}`, false],
    [`dev@example.com namespaces="*,!onceover" ${key.line}`, false],
    [`dev@example.com NameSpaces="onceover" ${key.line}`, true],
    [`dev@example.com namespaces=onceover ${key.line}`, false],
    [`dev@example.com namespaces="onceover",namespaces="git" ${key.line}`, false],
    [`dev@example.com valid-after="20261101Z" ${key.line}`, true],
    [`dev@example.com valid-after="20261201Z" ${key.line}`, false],
    [`dev@example.com valid-before="20261101Z" ${key.line}`, false],
    [`dev@example.com valid-before="20261201120000Z" ${key.line}`, true],
    [`dev@example.com valid-after="20261101Z",valid-before="202612011200Z" ${key.line}`, true],
    [`dev@example.com valid-after="20261201Z",valid-before="20261101Z" ${key.line}`, false],
    [`dev@example.com valid-before="tomorrow" ${key.line}`, false],
    [`dev@example.com valid-before="20261301Z" ${key.line}`, false],
    [`dev@example.com cert-authority ${key.line}`, false],
    [`dev@example.com no-such-option ${key.line}`, false],
    [`dev@example.com ${key.line.replace('ssh-ed25519', 'ssh-rsa')}`, false],
    [`dev@example.com ${makeKey('ed25519').line}`, false],
  ];
  test.each(rows)('%s', (line, isAllowed) => {
    // ssh-keygen needs a name to look for. Of a line that excludes the name, others remain.
    const theirs = verifies(signature, `${line}\n`) || (line.startsWith('!') && isAllowed);
    const isValidHere = findSigner(readSigners(line), key.fingerprint, [NOW]).ok;
    expect({ theirs, ours: isValidHere }).toEqual({ theirs: isAllowed, ours: isAllowed });
  });

  test('a key in the list of revoked keys', () => {
    const list = `# lost laptop\n${makeKey('p256').line}\n${key.line} dev\n`;
    writeFileSync(join(folder, 'revoked'), list);
    const line = `dev@example.com ${key.line}\n`;
    expect(verifies(signature, line, ['-r', 'revoked'])).toBe(false);
    expect(findSigner(readSigners(line, list), key.fingerprint, [NOW])).toEqual({ ok: false, why: 'signer-revoked' });
  });
});
