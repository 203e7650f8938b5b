import { readPlainFile } from './plain-file.ts';
import { decodeUtf8 } from './utf8.ts';

/** The document in a plain file; undefined where there is none, or not a whole one of at most `limit` bytes. */
export function readJsonFile(path: string, limit: number): unknown {
  const read = readPlainFile(path, limit);
  if (!read.ok || read.cut) return undefined;
  try {
    return JSON.parse(decodeUtf8(read.bytes)?.text ?? '');
  } catch {
    return undefined;
  }
}
