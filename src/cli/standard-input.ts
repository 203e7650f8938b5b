import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { done, failed, type Result } from '../domain/result.ts';

/**
 * All of standard input; null if its first byte does not come within `patience` milliseconds. What could not be read to
 * its end is a failure: the beginning of a list is another list.
 */
export function readStdin(patience: number | null, stdin: Readable = process.stdin): Promise<Result<string | null>> {
  // Node takes a folder for an input that has ended.
  if (stdin === process.stdin && isFolder(0)) return Promise.resolve(failed({ kind: 'input-cut-off', code: 'EISDIR' }));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const timer =
      patience === null
        ? undefined
        : setTimeout(() => {
            stdin.destroy();
            resolve(done(null));
          }, patience);
    stdin.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stdin.on('end', () => {
      clearTimeout(timer);
      resolve(done(Buffer.concat(chunks).toString('utf8')));
    });
    stdin.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve(failed({ kind: 'input-cut-off', code: error.code ?? error.message }));
    });
  });
}

function isFolder(file: number): boolean {
  try {
    return fstatSync(file).isDirectory();
  } catch {
    return false;
  }
}
