import { createHash } from 'node:crypto';
import { LARGEST_STATEMENT, type SignedFile, type StoredFile } from './types.ts';

/** The size limit of a signature file, in bytes. A signature of the largest RSA key has about 6 KiB. */
const LARGEST_SIGNATURE = 16 * 1024;

/** Whether the text can be the key under which a signed file is stored: a SHA-256 in hexadecimal digits. */
export function isPassKey(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Whether a file may be stored: its key is valid, and neither the file nor its signature is too large. */
export function isStorable({ key, file }: StoredFile): boolean {
  const signatureBytes = Buffer.byteLength(file.signature);
  return isPassKey(key) && file.statement.length <= LARGEST_STATEMENT && signatureBytes <= LARGEST_SIGNATURE;
}

/**
 * Returns the name of a signed file: the SHA-256 of the file and its signature. A forged signature therefore cannot
 * replace a real one, and clones that add files at the same time never use the same name for different files.
 */
export function fileName({ statement, signature }: SignedFile): string {
  return createHash('sha256').update(statement).update('\0').update(signature).digest('hex');
}

/** Returns the files without duplicates. */
export function distinctFiles(files: readonly StoredFile[]): readonly StoredFile[] {
  return [...new Map(files.map((entry) => [`${entry.key} ${fileName(entry.file)}`, entry])).values()];
}
