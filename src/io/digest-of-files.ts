import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { readPlainFile } from './plain-file.ts';

const LARGEST = 64 * 1024 * 1024;

/** One digest over the bytes of those names that are files, from `root` where they are relative; the others are nothing. */
export function digestOfFiles(root: string, names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of names) {
    const file = readPlainFile(realPath(resolve(root, name)), LARGEST);
    hash.update(file.ok ? createHash('sha256').update(file.bytes).digest() : 'nothing');
  }
  return hash.digest('hex');
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
