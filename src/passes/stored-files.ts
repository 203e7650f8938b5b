import { createHash } from 'node:crypto';
import { LARGEST_STATEMENT, type SignedFile, type StoredFile } from './types.ts';

/** The limit for a signature file, in bytes. Signatures of the largest RSA keys have about 6 KiB. */
const LARGEST_SIGNATURE = 16 * 1024;

/** Whether a text is a key: the SHA-256 in hex of a statement's subject. */
export function isPassKey(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Whether a carrier may store the file: a valid key, and neither the statement nor the signature is too large. */
export function isStorable({ key, file }: StoredFile): boolean {
  const signatureBytes = Buffer.byteLength(file.signature);
  return isPassKey(key) && file.statement.length <= LARGEST_STATEMENT && signatureBytes <= LARGEST_SIGNATURE;
}

/**
 * Returns the name of a signed file: the SHA-256 over statement and signature. A forged signature thus cannot take the
 * place of a real one, and clones that add files at the same time never disagree about a name.
 */
export function fileName({ statement, signature }: SignedFile): string {
  return createHash('sha256').update(statement).update('\0').update(signature).digest('hex');
}

/** Returns the files without those that occur twice. */
export function distinctFiles(files: readonly StoredFile[]): readonly StoredFile[] {
  return [...new Map(files.map((one) => [`${one.key} ${fileName(one.file)}`, one])).values()];
}
