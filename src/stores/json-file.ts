import { readPlainFile } from '../io/plain-file.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The document in a plain file; undefined where there is none, or not a whole one of at most `limit` bytes. */
export function readJsonFile(path: string, limit: number): unknown {
  const read = readPlainFile(path, limit);
  if (!read.ok || read.cut) return undefined;
  try {
    return JSON.parse(UTF8.decode(read.bytes));
  } catch {
    return undefined;
  }
}
