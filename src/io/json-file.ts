import { readPlainFile } from './plain-file.ts';
import { decodeUtf8 } from './utf8.ts';

/** The document in a plain file; undefined where there is none, or not a whole one of at most `limit` bytes. */
export function readJsonFile(path: string, limit: number): unknown {
  const read = readPlainFile(path, limit);
  return read.ok && !read.cut ? parseJson(decodeUtf8(read.bytes)?.text ?? '') : undefined;
}

/** The document that a text is; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
