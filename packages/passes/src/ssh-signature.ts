import { constants, createHash, verify } from 'node:crypto';
import { positiveNumber, readSsh, readSshKey, type SshKey, sshString } from './ssh-key.ts';
import { SIGNATURE_NAMESPACE } from './types.ts';

/** The reason why a signature is not valid. */
export type SignatureProblem =
  /** The text is not exactly one signature in OpenSSH's text format (`-----BEGIN SSH SIGNATURE-----`). */
  | 'not-a-signature'
  /** The decoded bytes are incomplete, too long, or of another format version. */
  | 'broken-signature'
  /** The signature was made for another purpose, such as a git commit. */
  | 'other-namespace'
  | 'bad-key'
  | 'weak-key'
  /** The type of the key, the signature or the hash is not supported. This includes RSA signatures with SHA-1. */
  | 'unsupported-key'
  | 'unsupported-hash'
  | 'unsupported-signature'
  /** The hardware key signed without being touched. */
  | 'not-touched'
  /** The signature was made for other bytes, or by another key. */
  | 'wrong-signature';

export type SignatureCheck =
  | { readonly ok: true; readonly keyFingerprint: string }
  | { readonly ok: false; readonly why: SignatureProblem };

const MAGIC = 'SSHSIG';

const VERSION = 1;

/** The size limit of a signature in text form, in characters. A signature of the largest RSA key has about 6 KiB. */
export const LARGEST_SIGNATURE = 16 * 1024;

/**
 * Verifies an SSH signature in text form (OpenSSH's PROTOCOL.sshsig) over `message`, and returns the key that signed.
 */
export function checkSignature(message: Uint8Array, signatureText: string): SignatureCheck {
  const bytes = readArmor(signatureText);
  if (bytes === null) return refuse('not-a-signature');
  const fields = readFields(bytes);
  if (fields === null) return refuse('broken-signature');
  if (fields.namespace !== SIGNATURE_NAMESPACE) return refuse('other-namespace');
  if (fields.hash !== 'sha256' && fields.hash !== 'sha512') return refuse('unsupported-hash');
  const keyResult = readSshKey(fields.key);
  if (!keyResult.ok) return refuse(keyResult.why);
  const signedBytes = Buffer.concat([
    Buffer.from(MAGIC),
    sshString(SIGNATURE_NAMESPACE),
    sshString(''),
    sshString(fields.hash),
    sshString(createHash(fields.hash).update(message).digest()),
  ]);
  const problem = verifyWith(keyResult.key, signedBytes, fields.signature);
  return problem === null ? { ok: true, keyFingerprint: keyResult.key.fingerprint } : refuse(problem);
}

function refuse(why: SignatureProblem): SignatureCheck {
  return { ok: false, why };
}

const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n?$/;

/**
 * Decodes a signature in text form. Returns `null` if there is other text around it, or if its base64 differs from what
 * encoding the bytes again gives.
 */
function readArmor(text: string): Buffer | null {
  if (text.length > LARGEST_SIGNATURE) return null;
  const base64 = ARMOR.exec(text)?.[1]?.replaceAll('\n', '') ?? '';
  return readBase64(base64);
}

/** Decodes base64. Returns `null` if the text is empty, or if it differs from what encoding the bytes again gives. */
export function readBase64(base64: string): Buffer | null {
  const bytes = Buffer.from(base64, 'base64');
  return base64 !== '' && bytes.toString('base64') === base64 ? bytes : null;
}

type SignatureFields = {
  readonly key: Buffer;
  readonly namespace: string;
  readonly hash: string;
  readonly signature: Buffer;
};

function readFields(bytes: Buffer): SignatureFields | null {
  if (bytes.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) return null;
  const fields = readSsh(bytes.subarray(MAGIC.length));
  if (fields.uint32() !== VERSION) return null;
  const key = fields.string();
  const namespace = fields.string().toString('latin1');
  // The reserved field must be empty. ssh-keygen would ignore its content, but no known program writes any, so refuse
  // it.
  const reservedField = fields.string();
  const hash = fields.string().toString('latin1');
  const signature = fields.string();
  return fields.isDone() && reservedField.length === 0 ? { key, namespace, hash, signature } : null;
}

/** The bit in the flags of a hardware key's signature that says that someone touched the key. */
const TOUCHED = 1;

/** Returns why the signature was not made by this key over `signedBytes`; `null` if it was. */
function verifyWith(key: SshKey, signedBytes: Buffer, blob: Buffer): SignatureProblem | null {
  const fields = readSsh(blob);
  const type = fields.string().toString('latin1');
  const signature = fields.string();
  const hash = hashOf(key, type);
  if (hash === undefined) return 'unsupported-signature';
  if (key.application === null) {
    if (!fields.isDone()) return 'broken-signature';
    return isBy(key, hash, signedBytes, signature) ? null : 'wrong-signature';
  }
  const flags = fields.byte();
  const counter = fields.uint32();
  if (!fields.isDone()) return 'broken-signature';
  if ((flags & TOUCHED) === 0) return 'not-touched';
  // A hardware key signs three things: the digest of its application, its flags and counter, and the digest of the
  // data.
  const state = Buffer.alloc(5);
  state.writeUInt8(flags);
  state.writeUInt32BE(counter, 1);
  const data = Buffer.concat([sha256Bytes(key.application), state, sha256Bytes(signedBytes)]);
  return isBy(key, hash, data, signature) ? null : 'wrong-signature';
}

// The oldest type, `ssh-rsa`, is missing because it uses SHA-1.
const RSA_HASHES: ReadonlyMap<string, string> = new Map([
  ['rsa-sha2-256', 'sha256'],
  ['rsa-sha2-512', 'sha512'],
]);

/**
 * Returns the hash algorithm of a signature type. Returns `null` for Ed25519, which needs no choice, and `undefined` if
 * the key must not make signatures of this type.
 */
function hashOf({ type, kind }: SshKey, signatureType: string): string | null | undefined {
  if (kind.name === 'rsa') return RSA_HASHES.get(signatureType);
  if (signatureType !== type) return undefined;
  return kind.name === 'ecdsa' ? kind.hash : null;
}

function isBy({ kind, key }: SshKey, hash: string | null, data: Buffer, signature: Buffer): boolean {
  switch (kind.name) {
    case 'ed25519':
      return signature.length === 64 && verify(hash, data, key, signature);
    case 'rsa':
      return (
        signature.length === kind.bytes && verify(hash, data, { key, padding: constants.RSA_PKCS1_PADDING }, signature)
      );
    case 'ecdsa': {
      const pair = readPair(signature, kind.bytes);
      return pair !== null && verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, pair);
    }
  }
}

/** Returns the two numbers of an ECDSA signature, both padded to the same number of bytes. */
function readPair(signature: Buffer, bytes: number): Buffer | null {
  const fields = readSsh(signature);
  const r = positiveNumber(fields.string());
  const s = positiveNumber(fields.string());
  if (!fields.isDone() || r === null || s === null || r.length > bytes || s.length > bytes) return null;
  const pair = Buffer.alloc(2 * bytes);
  r.copy(pair, bytes - r.length);
  s.copy(pair, 2 * bytes - s.length);
  return pair;
}

function sha256Bytes(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
