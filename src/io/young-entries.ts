import { createHash } from 'node:crypto';

/**
 * An index without what it knows of the sizes of files that were changed in this second or later: git compares times by
 * whole seconds, so one that is written once more in the same second, with its old time and length, would pass for the
 * same. An entry without a size has git read the file, as git itself does with an entry as young as its index.
 * Null: it is no index that git could have written.
 */
export function forgetYoung(index: Buffer, second: number): Buffer | null {
  const sum = kindOfSum(index);
  if (sum === null) return null;
  const entries = entriesIn(index, sum.length);
  if (entries === null) return null;
  const young = entries.filter((at) => index.readUInt32BE(at) >= second && index.readUInt32BE(at + SIZE) !== 0);
  if (young.length === 0) return index;
  const forgotten = Buffer.from(index);
  for (const at of young) forgotten.writeUInt32BE(0, at + SIZE);
  const end = forgotten.length - sum.length;
  createHash(sum.algorithm).update(forgotten.subarray(0, end)).digest().copy(forgotten, end);
  return forgotten;
}

/** Whether an index ends with a checksum of itself, which git does not look at when it reads one. */
export function isWhole(index: Buffer): boolean {
  return kindOfSum(index) !== null;
}

const SUMS = [
  { algorithm: 'sha1', length: 20 },
  { algorithm: 'sha256', length: 32 },
] as const;

function kindOfSum(index: Buffer): (typeof SUMS)[number] | null {
  const isSum = ({ algorithm, length }: (typeof SUMS)[number]) => {
    const end = index.length - length;
    return end > 0 && createHash(algorithm).update(index.subarray(0, end)).digest().equals(index.subarray(end));
  };
  return SUMS.find(isSum) ?? null;
}

const HEADER = 12;
const SIZE = 36;
const ID = 40;
const EXTENDED = 0x4000;

/** Where each entry begins; an id is as long as the sum at the end. */
function entriesIn(index: Buffer, idLength: number): number[] | null {
  if (index.toString('latin1', 0, 4) !== 'DIRC') return null;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  const entries: number[] = [];
  for (let at = HEADER; entries.length < count; ) {
    const flags = at + ID + idLength;
    if (flags + 2 > index.length) return null;
    entries.push(at);
    const name = flags + ((index.readUInt16BE(flags) & EXTENDED) === 0 ? 2 : 4);
    const end = index.indexOf(0, version >= 4 ? afterNumber(index, name) : name);
    if (end < 0) return null;
    // Before version 4 an entry is filled up with zeros to a multiple of eight bytes, one of them at least.
    at = version >= 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
  return entries;
}

// Of a name, version 4 says how much of the one before is to be taken off: a number of as many bytes as it needs.
function afterNumber(index: Buffer, at: number): number {
  let end = at;
  while ((index[end] ?? 0) >= 0x80) end += 1;
  return end + 1;
}
