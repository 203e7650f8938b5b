import { armor, type KeyName, makeKey, mpint, type SignatureChanges, text } from '@onceover/testing/ssh-signing.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSshKey } from '../src/ssh-key.ts';
import { checkSignature, type SignatureProblem } from '../src/ssh-signature.ts';

const message = Buffer.from('{"_type":"https://in-toto.io/Statement/v1"}\n');
const NAMES = ['ed25519', 'p256', 'p384', 'p521', 'rsa', 'sk-ed25519', 'sk-p256'] as const;
const keys = Object.fromEntries([...NAMES, 'small-rsa' as const].map((name) => [name, makeKey(name)])) as Record<
  KeyName,
  ReturnType<typeof makeKey>
>;

describe('checkSignature', () => {
  test.each(NAMES.flatMap((name) => [[name, 'sha256'] as const, [name, 'sha512'] as const]))(
    'accepts a signature of %s over %s',
    (name, hash) => {
      const { fingerprint } = keys[name];
      expect(checkSignature(message, keys[name].sign(message, { hash }))).toEqual({
        ok: true,
        keyFingerprint: fingerprint,
      });
    },
  );

  test('accepts an RSA signature with SHA-256', () => {
    expect(checkSignature(message, keys.rsa.sign(message, { signatureType: 'rsa-sha2-256' })).ok).toBe(true);
  });

  const refusals: readonly [title: string, name: KeyName, changes: SignatureChanges, why: SignatureProblem][] = [
    ['another namespace', 'ed25519', { namespace: 'git' }, 'other-namespace'],
    ['no namespace', 'ed25519', { namespace: '' }, 'other-namespace'],
    ['a namespace that begins with ours', 'ed25519', { namespace: 'onceover2' }, 'other-namespace'],
    ['our namespace around a signature for another one', 'ed25519', { signedNamespace: 'git' }, 'wrong-signature'],
    ['version 0', 'ed25519', { version: 0 }, 'broken-signature'],
    ['version 2', 'ed25519', { version: 2 }, 'broken-signature'],
    ['another magic', 'ed25519', { magic: 'SSHSIX' }, 'broken-signature'],
    ['a reserved field that is not empty', 'ed25519', { reserved: 'x' }, 'broken-signature'],
    ['SHA-1 over the message', 'ed25519', { hash: 'sha1' }, 'unsupported-hash'],
    ['SHA-384 over the message', 'ed25519', { hash: 'sha384' }, 'unsupported-hash'],
    ['a hash that is a name of JavaScript', 'ed25519', { hash: 'constructor' }, 'unsupported-hash'],
    ['trailing bytes', 'ed25519', { after: Buffer.from([0]) }, 'broken-signature'],
    ['trailing bytes in the inner signature', 'ed25519', { afterInner: Buffer.from([0]) }, 'broken-signature'],
    ['an RSA signature with SHA-1', 'rsa', { signatureType: 'ssh-rsa' }, 'unsupported-signature'],
    ['a type that is a name of JavaScript', 'rsa', { signatureType: 'toString' }, 'unsupported-signature'],
    ['an RSA key of 1024 bits', 'small-rsa', {}, 'weak-key'],
    ['the type of another curve', 'p256', { signatureType: 'ecdsa-sha2-nistp384' }, 'unsupported-signature'],
    ['the type of a hardware key', 'ed25519', { signatureType: 'sk-ssh-ed25519@openssh.com' }, 'unsupported-signature'],
    [
      'the plain type in a signature of a hardware key',
      'sk-ed25519',
      { signatureType: 'ssh-ed25519' },
      'unsupported-signature',
    ],
    ['no touch of the hardware key', 'sk-ed25519', { flags: 0 }, 'not-touched'],
    ['a PIN but no touch', 'sk-p256', { flags: 4 }, 'not-touched'],
    [
      'a hardware signature for another application',
      'sk-p256',
      { application: 'https://example.com' },
      'wrong-signature',
    ],
    ['trailing bytes in a hardware signature', 'sk-p256', { afterInner: Buffer.from([0]) }, 'broken-signature'],
    ['the key of someone else', 'ed25519', { blob: makeKey('ed25519').blob }, 'wrong-signature'],
    ['an empty key', 'ed25519', { blob: Buffer.alloc(0) }, 'bad-key'],
    ['a key with trailing bytes', 'ed25519', { blob: Buffer.concat([keys.ed25519.blob, Buffer.from([0])]) }, 'bad-key'],
    ['a DSA key', 'ed25519', { blob: text('ssh-dss') }, 'unsupported-key'],
    ['a certificate', 'ed25519', { blob: text('ssh-ed25519-cert-v01@openssh.com') }, 'unsupported-key'],
    [
      'base64 without line breaks of 100 kB',
      'ed25519',
      { armor: (base64) => armor(base64.repeat(400)) },
      'not-a-signature',
    ],
    ['no armor', 'ed25519', { armor: (base64) => base64 }, 'not-a-signature'],
    ['text before the armor', 'ed25519', { armor: (base64) => `x\n${armor(base64)}` }, 'not-a-signature'],
    ['text after the armor', 'ed25519', { armor: (base64) => `${armor(base64)}x\n` }, 'not-a-signature'],
    ['two signatures', 'ed25519', { armor: (base64) => armor(base64) + armor(base64) }, 'not-a-signature'],
    ['the armor of PGP', 'ed25519', { armor: (base64) => armor(base64).replaceAll('SSH', 'PGP') }, 'not-a-signature'],
    [
      'line ends of Windows',
      'ed25519',
      { armor: (base64) => armor(base64).replaceAll('\n', '\r\n') },
      'not-a-signature',
    ],
    ['half of the base64', 'ed25519', { armor: (base64) => armor(base64.slice(0, 100)) }, 'broken-signature'],
    [
      'base64 with bits after the end',
      'ed25519',
      { armor: (base64) => armor(`${base64.replace(/=*$/, '')}=`) },
      'not-a-signature',
    ],
    ['no base64', 'ed25519', { armor: () => armor('') }, 'not-a-signature'],
  ];
  test.each(refusals)('refuses %s', (_title, name, changes, why) => {
    expect(checkSignature(message, keys[name].sign(message, changes))).toEqual({ ok: false, why });
  });

  test.each(NAMES)('refuses a signature of %s over other bytes', (name) => {
    const signature = keys[name].sign(message);
    expect(checkSignature(Buffer.concat([message, Buffer.from('\n')]), signature)).toEqual({
      ok: false,
      why: 'wrong-signature',
    });
  });

  test.each(NAMES)('refuses a signature of %s with any bit flipped', (name) => {
    const bytes = Buffer.from(keys[name].sign(message, { armor: (base64) => base64 }), 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const flippedBytes = Buffer.from(bytes);
        flippedBytes[bit >> 3] = (flippedBytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(checkSignature(message, armor(flippedBytes.toString('base64'))).ok).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  test.each(NAMES)('refuses a signature of %s that is cut off anywhere', (name) => {
    const bytes = Buffer.from(keys[name].sign(message, { armor: (base64) => base64 }), 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        expect(checkSignature(message, armor(bytes.subarray(0, length).toString('base64'))).ok).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  test('never throws, and accepts no random text', () => {
    fc.assert(fc.property(fc.string(), (junk) => !checkSignature(message, junk).ok));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (junk) => {
        const fields = Buffer.concat([Buffer.from('SSHSIG\0\0\0\x01'), Buffer.from(junk)]);
        expect(checkSignature(message, armor(fields.toString('base64'))).ok).toBe(false);
      }),
    );
  });
});

describe('readSshKey', () => {
  const rsa = (e: Buffer, n: Buffer) => Buffer.concat([text('ssh-rsa'), e, n]);
  const odd = Buffer.alloc(256, 0xff);
  const three = mpint(Buffer.from([3]));
  const rows: readonly [title: string, blob: Buffer, why: string][] = [
    ['an RSA key with a negative modulus', rsa(three, text(odd)), 'bad-key'],
    ['an RSA key with a padded modulus', rsa(three, text(Buffer.concat([Buffer.alloc(2), odd]))), 'bad-key'],
    ['an RSA key with an even modulus', rsa(three, mpint(Buffer.concat([odd, Buffer.from([0])]))), 'weak-key'],
    ['an RSA key with the exponent 1', rsa(mpint(Buffer.from([1])), mpint(odd)), 'weak-key'],
    ['an RSA key with an even exponent', rsa(mpint(Buffer.from([2])), mpint(odd)), 'weak-key'],
    ['an RSA key with a huge exponent', rsa(mpint(odd), mpint(odd)), 'bad-key'],
    ['an RSA key of 2047 bits', rsa(three, mpint(Buffer.concat([Buffer.from([0x7f]), odd.subarray(1)]))), 'weak-key'],
    ['an RSA key of 20000 bits', rsa(three, mpint(Buffer.alloc(2500, 0xff))), 'unsupported-key'],
    ['an ed25519 key of 31 bytes', Buffer.concat([text('ssh-ed25519'), text(Buffer.alloc(31))]), 'bad-key'],
    [
      'a point that is not on the curve',
      Buffer.concat([
        text('ecdsa-sha2-nistp256'),
        text('nistp256'),
        text(Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)])),
      ]),
      'bad-key',
    ],
    [
      'a curve that is not that of the type',
      Buffer.concat([text('ecdsa-sha2-nistp384'), keys.p256.blob.subarray(text('ecdsa-sha2-nistp256').length)]),
      'bad-key',
    ],
    ['a key of a web site', makeKey('sk-ed25519', 'https://example.com').blob, 'unsupported-key'],
    ['a long blob', Buffer.alloc(5000), 'bad-key'],
  ];
  test.each(rows)('refuses %s', (_title, blob, why) => {
    expect(readSshKey(blob)).toEqual({ ok: false, why });
  });

  test('never throws', () => {
    const types = fc.constantFrom(
      'ssh-ed25519',
      'ssh-rsa',
      'ecdsa-sha2-nistp256',
      'sk-ecdsa-sha2-nistp256@openssh.com',
      '',
    );
    fc.assert(
      fc.property(types, fc.uint8Array({ maxLength: 200 }), (type, junk) => {
        expect(readSshKey(Buffer.concat([text(type), Buffer.from(junk)])).ok).toBe(false);
      }),
    );
  });
});
