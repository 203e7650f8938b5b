import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

/**
 * Reads the fields of SSH's binary format. After an incomplete field, all further fields are empty and `isDone` returns
 * false.
 */
export type SshReader = {
  byte(): number;
  uint32(): number;
  /** Returns a string field: four bytes for its length, then its bytes. */
  string(): Buffer;
  /** Whether every field was complete and no bytes are left. */
  isDone(): boolean;
};

export function readSsh(bytes: Buffer): SshReader {
  let at = 0;
  let isCut = false;
  const take = (length: number): Buffer => {
    if (isCut || length > bytes.length - at) {
      isCut = true;
      return Buffer.alloc(0);
    }
    at += length;
    return bytes.subarray(at - length, at);
  };
  const number = (length: number) => {
    const field = take(length);
    return field.length === 0 ? 0 : field.readUIntBE(0, length);
  };
  return {
    byte: () => number(1),
    uint32: () => number(4),
    string: () => take(number(4)),
    isDone: () => !isCut && at === bytes.length,
  };
}

/** Returns the value encoded as a string field of SSH's binary format. */
export function sshString(value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/**
 * Returns the positive number in a field of SSH's binary format, without leading zeros. Returns `null` if the number is
 * not positive or not in its shortest form: each number, and thus each key, must have only one encoding.
 */
export function positiveNumber(field: Buffer): Buffer | null {
  const [first, second] = field;
  if (first === undefined || first >= 0x80) return null;
  if (first !== 0) return field;
  return second === undefined || second < 0x80 ? null : field.subarray(1);
}

/** The algorithm with which signatures of a key are verified. */
type KeyKind =
  | { readonly name: 'ed25519' }
  | { readonly name: 'ecdsa'; readonly hash: 'sha256' | 'sha384' | 'sha512'; readonly bytes: number }
  | { readonly name: 'rsa'; readonly bytes: number };

/** A public SSH key whose signatures onceover can verify. */
export type SshKey = {
  /** The type that the key itself states, such as `ssh-ed25519`. */
  readonly type: string;
  readonly kind: KeyKind;
  /** The application for which a hardware key was made, such as `ssh:`; `null` for other keys. */
  readonly application: Buffer | null;
  readonly key: KeyObject;
  /** The fingerprint as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
};

type UnusableKey = 'bad-key' | 'unsupported-key' | 'weak-key';

export type ReadKey = { readonly ok: true; readonly key: SshKey } | { readonly ok: false; readonly why: UnusableKey };

const CURVES: ReadonlyMap<string, { readonly jwk: string; readonly kind: KeyKind & { readonly name: 'ecdsa' } }> =
  new Map([
    ['nistp256', { jwk: 'P-256', kind: { name: 'ecdsa', hash: 'sha256', bytes: 32 } }],
    ['nistp384', { jwk: 'P-384', kind: { name: 'ecdsa', hash: 'sha384', bytes: 48 } }],
    ['nistp521', { jwk: 'P-521', kind: { name: 'ecdsa', hash: 'sha512', bytes: 66 } }],
  ]);

const LARGEST_KEY = 4096;

const SMALLEST_RSA_BITS = 2048;

// OpenSSL needs seconds to verify a signature of a longer key.
const LARGEST_RSA_BITS = 16384;

const LONGEST_EXPONENT = 4;

/** Reads a public key in SSH's binary format. Refuses keys with extra bytes, short RSA keys and unsupported types. */
export function readSshKey(blob: Buffer): ReadKey {
  if (blob.length > LARGEST_KEY) return { ok: false, why: 'bad-key' };
  const fields = readSsh(blob);
  const type = fields.string().toString('latin1');
  const reader = READERS.get(type);
  if (reader === undefined) return { ok: false, why: type === '' ? 'bad-key' : 'unsupported-key' };
  const keyParts = reader(fields, type);
  if (typeof keyParts === 'string') return { ok: false, why: keyParts };
  if (!fields.isDone()) return { ok: false, why: 'bad-key' };
  const key = publicKey(keyParts.jwk);
  if (key === null) return { ok: false, why: 'bad-key' };
  const { kind, application = null } = keyParts;
  return { ok: true, key: { type, kind, application, key, fingerprint: fingerprintOf(blob) } };
}

/** Returns the fingerprint of a public key: `SHA256:` and the digest in base64 without padding. */
function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

type KeyFields = {
  readonly jwk: Readonly<Record<string, string>>;
  readonly kind: KeyKind;
  readonly application?: Buffer;
};

type KeyReader = (fields: SshReader, type: string) => KeyFields | UnusableKey;

const READERS: ReadonlyMap<string, KeyReader> = new Map([
  ['ssh-ed25519', readEd25519],
  ['ecdsa-sha2-nistp256', readEcdsa],
  ['ecdsa-sha2-nistp384', readEcdsa],
  ['ecdsa-sha2-nistp521', readEcdsa],
  ['ssh-rsa', readRsa],
  ['sk-ssh-ed25519@openssh.com', withApplication(readEd25519)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', withApplication(readEcdsa)],
]);

function readEd25519(fields: SshReader): KeyFields | UnusableKey {
  const point = fields.string();
  if (point.length !== 32) return 'bad-key';
  return { jwk: { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }, kind: { name: 'ed25519' } };
}

function readEcdsa(fields: SshReader, type: string): KeyFields | UnusableKey {
  const name = fields.string().toString('latin1');
  const point = fields.string();
  const curve = CURVES.get(name);
  if (curve === undefined || !type.replace('@openssh.com', '').endsWith(`-${name}`)) return 'bad-key';
  const { bytes } = curve.kind;
  // A first byte of 4 marks an uncompressed point, which consists of both coordinates.
  if (point.length !== 1 + 2 * bytes || point[0] !== 4) return 'bad-key';
  const x = point.subarray(1, 1 + bytes).toString('base64url');
  const y = point.subarray(1 + bytes).toString('base64url');
  return { jwk: { kty: 'EC', crv: curve.jwk, x, y }, kind: curve.kind };
}

function readRsa(fields: SshReader): KeyFields | UnusableKey {
  const e = positiveNumber(fields.string());
  const n = positiveNumber(fields.string());
  if (e === null || n === null || e.length > LONGEST_EXPONENT) return 'bad-key';
  // With an even exponent or modulus, or the exponent 1, anyone could forge signatures.
  if (isEven(e) || isEven(n) || (e.length === 1 && e[0] === 1)) return 'weak-key';
  const bits = 8 * n.length - Math.clz32(n[0] ?? 0) + 24;
  if (bits < SMALLEST_RSA_BITS) return 'weak-key';
  if (bits > LARGEST_RSA_BITS) return 'unsupported-key';
  const jwk = { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') };
  return { jwk, kind: { name: 'rsa', bytes: n.length } };
}

function isEven(number: Buffer): boolean {
  return ((number.at(-1) ?? 0) & 1) === 0;
}

// Hardware keys for web sites name another application. Refuse them, so that logging in to a web site cannot create a
// valid signature of a pass.
function withApplication(reader: KeyReader): KeyReader {
  return (fields, type) => {
    const keyParts = reader(fields, type);
    const application = fields.string();
    if (typeof keyParts === 'string') return keyParts;
    return application.toString('latin1').startsWith('ssh:') ? { ...keyParts, application } : 'unsupported-key';
  };
}

// Returns `null` if Node.js rejects the key, for example because a point is not on its curve.
function publicKey(jwk: Readonly<Record<string, string>>): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}
