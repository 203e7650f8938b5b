import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** The types of keys that tests sign with. Signatures of hardware keys (`sk-`) are made in the same way as by a device. */
export type KeyName = 'ed25519' | 'p256' | 'p384' | 'p521' | 'rsa' | 'small-rsa' | 'sk-ed25519' | 'sk-p256';

/** The changes that a test makes to a signature. */
export type SignatureChanges = {
  readonly magic?: string;
  readonly version?: number;
  readonly namespace?: string;
  /** The namespace that is signed, if it differs from the one in the signature. */
  readonly signedNamespace?: string;
  readonly reserved?: string;
  readonly hash?: string;
  readonly signatureType?: string;
  /** Replaces the public key in the signature. */
  readonly blob?: Buffer;
  /** The flags of a hardware key; 1: touched. */
  readonly flags?: number;
  readonly application?: string;
  /** Bytes after the signature. */
  readonly after?: Buffer;
  readonly afterInner?: Buffer;
  readonly armor?: (base64: string) => string;
};

export type TestKey = {
  readonly blob: Buffer;
  /** The key as in a `.pub` file, without a comment. */
  readonly line: string;
  readonly fingerprint: string;
  sign(message: Uint8Array, changes?: SignatureChanges): string;
};

const CURVES = { p256: 'nistp256', p384: 'nistp384', p521: 'nistp521' } as const;
const HASHES = { p256: 'sha256', p384: 'sha384', p521: 'sha512' } as const;

/** Makes a key pair and a signer that follows PROTOCOL.sshsig, except where a test changes something. */
export function makeKey(name: KeyName, application = 'ssh:'): TestKey {
  const isHardware = name.startsWith('sk-');
  const plain = name.replace(/^sk-|^small-/, '') as 'ed25519' | 'rsa' | keyof typeof CURVES;
  const { publicKey, privateKey } = pairOf(plain, name === 'small-rsa' ? 1024 : 2048);
  const type = typeOf(plain, isHardware);
  const blob = Buffer.concat([text(type), ...fieldsOf(plain, publicKey), ...(isHardware ? [text(application)] : [])]);
  return {
    blob,
    line: `${type} ${blob.toString('base64')}`,
    fingerprint: `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`,
    sign(message, changes = {}) {
      const { magic = 'SSHSIG', version = 1, namespace = 'onceover', reserved = '', hash = 'sha512' } = changes;
      const digest = createHash(['sha256', 'sha512'].includes(hash) ? hash : 'sha1')
        .update(message)
        .digest();
      const signedNamespace = changes.signedNamespace ?? namespace;
      const signed = Buffer.concat([
        Buffer.from('SSHSIG'),
        ...[signedNamespace, reserved, hash].map(text),
        text(digest),
      ]);
      const flags = changes.flags ?? 1;
      const state = Buffer.from([flags, 0, 0, 0, 7]);
      const data = isHardware
        ? Buffer.concat([sha256(changes.application ?? application), state, sha256(signed)])
        : signed;
      const signatureType = changes.signatureType ?? (plain === 'rsa' ? 'rsa-sha2-512' : type);
      const inner = Buffer.concat([
        text(signatureType),
        text(rawSignature(plain, privateKey, data, signatureType)),
        ...(isHardware ? [state] : []),
        changes.afterInner ?? Buffer.alloc(0),
      ]);
      const whole = Buffer.concat([
        Buffer.from(magic),
        number(version),
        text(changes.blob ?? blob),
        ...[namespace, reserved, hash].map(text),
        text(inner),
        changes.after ?? Buffer.alloc(0),
      ]);
      return (changes.armor ?? armor)(whole.toString('base64'));
    },
  };
}

/** Wraps base64 as ssh-keygen does. */
export function armor(base64: string): string {
  const lines = base64.match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
}

/** Returns a string field of SSH's binary format. */
export function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a number field of SSH's binary format. */
export function mpint(digits: Buffer): Buffer {
  const zeros = digits.findIndex((byte) => byte !== 0);
  const short = digits.subarray(zeros === -1 ? digits.length : zeros);
  return text((short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short);
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

function pairOf(plain: 'ed25519' | 'rsa' | keyof typeof CURVES, bits: number) {
  if (plain === 'ed25519') return generateKeyPairSync('ed25519');
  if (plain === 'rsa') return generateKeyPairSync('rsa', { modulusLength: bits });
  return generateKeyPairSync('ec', { namedCurve: plain.replace('p', 'P-') });
}

function typeOf(plain: 'ed25519' | 'rsa' | keyof typeof CURVES, isHardware: boolean): string {
  const type = plain === 'ed25519' ? 'ssh-ed25519' : plain === 'rsa' ? 'ssh-rsa' : `ecdsa-sha2-${CURVES[plain]}`;
  return isHardware ? `sk-${type}@openssh.com` : type;
}

function fieldsOf(plain: 'ed25519' | 'rsa' | keyof typeof CURVES, publicKey: KeyObject): readonly Buffer[] {
  const jwk = publicKey.export({ format: 'jwk' });
  const field = (value: string | undefined) => Buffer.from(value ?? '', 'base64url');
  if (plain === 'ed25519') return [text(field(jwk.x))];
  if (plain === 'rsa') return [mpint(field(jwk.e)), mpint(field(jwk.n))];
  return [text(CURVES[plain]), text(Buffer.concat([Buffer.from([4]), field(jwk.x), field(jwk.y)]))];
}

function rawSignature(
  plain: 'ed25519' | 'rsa' | keyof typeof CURVES,
  privateKey: KeyObject,
  data: Buffer,
  signatureType: string,
): Buffer {
  if (plain === 'ed25519') return sign(null, data, privateKey);
  if (plain === 'rsa') {
    const bits = /^rsa-sha2-(256|512)$/.exec(signatureType)?.[1] ?? '1';
    return sign(`sha${bits}`, data, privateKey);
  }
  const pair = sign(HASHES[plain], data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return Buffer.concat([mpint(pair.subarray(0, pair.length / 2)), mpint(pair.subarray(pair.length / 2))]);
}
