// What can be told from the bytes of an index of git's without reading its entries.

/** Whether an entry's name may have this part; from version 4 on, names are not written out. */
export function mayName(index: Buffer, part: string): boolean {
  return versionOf(index) >= 4 || index.includes(part);
}

/** Whether an index may say of files that they are not checked out, which needs version 3; false is certain. */
export function mayLeaveOut(index: Buffer): boolean {
  return index.length > 0 && (versionOf(index) >= 3 || namesLess(index));
}

// What git writes into an index in which a folder stands for all that is in it, and into one that is split in two.
const NAMES_LESS = ['sdir\0\0\0\0', 'link\0'];

/** Whether there may be files that an index does not name; false is certain. */
export function namesLess(index: Buffer): boolean {
  return NAMES_LESS.some((mark) => index.includes(mark));
}

function versionOf(index: Buffer): number {
  return index.readUInt32BE(4);
}
