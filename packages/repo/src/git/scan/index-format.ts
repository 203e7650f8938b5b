import { createHash } from 'node:crypto';

/** An entry of a git index: its byte position, the mode and size of the file on disk, its object id, and its name. */
export type IndexEntry = {
  readonly at: number;
  readonly mode: number;
  readonly size: number;
  readonly id: Buffer;
  /** The file name. Each character stands for one byte (latin1), because a name may not be valid UTF-8. */
  readonly name: string;
};

const CHECKSUMS = [
  { algorithm: 'sha1', length: 20 },
  { algorithm: 'sha256', length: 32 },
];

function checksumOf(index: Buffer) {
  return CHECKSUMS.find(({ algorithm, length }) => {
    const end = index.length - length;
    return end > 0 && createHash(algorithm).update(index.subarray(0, end)).digest().equals(index.subarray(end));
  });
}

/** Whether an index is complete: it ends with the checksum of its content, which git itself does not verify. */
export function isCompleteIndex(index: Buffer): boolean {
  return checksumOf(index) !== undefined;
}

/** The length of the header of an index, in bytes. */
export const HEADER_BYTES = 12;

// The byte positions of the file's mode, its size and the object id inside an entry.
const MODE = 24;
const SIZE = 36;
const ID = 40;

// If this bit is set in the flags of an entry, two more bytes of flags follow.
const EXTENDED = 0x4000;

/** Returns the entries of an index; `null` if the index is broken or does not end with its own checksum. */
export function indexEntries(index: Buffer): readonly IndexEntry[] | null {
  const idLength = checksumOf(index)?.length;
  if (idLength === undefined || index.toString('latin1', 0, 4) !== 'DIRC') return null;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  const entries: IndexEntry[] = [];
  let name = '';
  for (let at = HEADER_BYTES; entries.length < count; ) {
    const flags = at + ID + idLength;
    if (flags + 2 > index.length) return null;
    let start = flags + ((index.readUInt16BE(flags) & EXTENDED) === 0 ? 2 : 4);
    let prefix = '';
    if (version >= 4) {
      // In version 4, a name begins with a number, which says how many bytes to drop from the end of the previous name.
      // The rest of the new name follows what remains.
      const number = numberAt(index, start);
      prefix = name.slice(0, name.length - number.value);
      start = number.end;
    }
    const end = index.indexOf(0, start);
    if (end < 0) return null;
    name = prefix + index.toString('latin1', start, end);
    const id = index.subarray(at + ID, flags);
    entries.push({ at, mode: index.readUInt32BE(at + MODE), size: index.readUInt32BE(at + SIZE), id, name });
    // Before index version 4, git pads each entry with one to eight zeros to a multiple of eight bytes.
    at = version >= 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
  return entries;
}

// Reads a number that git stores in groups of seven bits. The highest bit of each byte says whether another byte
// follows.
function numberAt(index: Buffer, start: number): { readonly value: number; readonly end: number } {
  let end = start;
  let byte = index[end++] ?? 0;
  let value = byte & 0x7f;
  while (byte >= 0x80) {
    byte = index[end++] ?? 0;
    value = (value + 1) * 0x80 + (byte & 0x7f);
  }
  return { value, end };
}

/**
 * Returns the index with size 0 for each file that changed in `second` or later, so that git reads these files again;
 * `null` if the index is invalid. git compares times in whole seconds, so it would not notice another write in the same
 * second that keeps the length.
 */
export function clearRacySizes(index: Buffer, second: number): Buffer | null {
  const entries = indexEntries(index);
  const checksum = checksumOf(index);
  if (checksum === undefined || entries === null) return null;
  const young = entries.filter(({ at, size }) => index.readUInt32BE(at) >= second && size !== 0);
  if (young.length === 0) return index;
  const clearedIndex = Buffer.from(index);
  for (const { at } of young) clearedIndex.writeUInt32BE(0, at + SIZE);
  const end = clearedIndex.length - checksum.length;
  createHash(checksum.algorithm).update(clearedIndex.subarray(0, end)).digest().copy(clearedIndex, end);
  return clearedIndex;
}

/**
 * Whether git may track files that this index does not list. Only the answer `false` is certain. A sparse index lists a
 * folder instead of its files, and a split index has names in another file.
 */
export function isSparseOrSplit(index: Buffer): boolean {
  return index.includes('sdir\0\0\0\0') || index.includes('link\0');
}

const SUBMODULE_MODE = Buffer.from([0x00, 0x00, 0xe0, 0x00]);

/**
 * Whether the index may contain submodules. Only the answer `false` is certain. If a submodule is not checked out, git
 * does not update its entry, so an index with submodules is always built again from the commit.
 */
export function mayHaveRepositories(index: Buffer): boolean {
  return index.includes(SUBMODULE_MODE);
}
