import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** The hash function of a repository's object ids. */
export type ObjectFormat = 'sha1' | 'sha256';

/** The types of git objects that carry passes, with their numbers in a pack. */
const PACK_TYPES = { commit: 1, tree: 2, blob: 3 } as const;

/** An object to be stored, with the id that git gives it. */
export type NewObject = {
  readonly id: string;
  readonly type: keyof typeof PACK_TYPES;
  readonly content: Uint8Array;
};

/** An entry of a git tree. `name` has one latin1 character per byte. */
export type TreeEntry = { readonly mode: string; readonly name: string; readonly id: string };

/** git's file mode of a folder in a tree. */
export const FOLDER_MODE = '40000';

/** git's file mode of a plain file in a tree. */
export const FILE_MODE = '100644';

/** Returns the hash function that made this object id. */
export function formatOf(id: string): ObjectFormat {
  return id.length === 64 ? 'sha256' : 'sha1';
}

/** Returns an object and its id. */
export function newObject(format: ObjectFormat, type: NewObject['type'], content: Uint8Array): NewObject {
  const hash = createHash(format).update(`${type} ${content.length}\0`).update(content);
  return { id: hash.digest('hex'), type, content };
}

/** Returns a tree with these entries, in the order that git requires. */
export function newTree(format: ObjectFormat, entries: readonly TreeEntry[]): NewObject {
  const sorted = [...entries].sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)));
  const parts = sorted.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(id, 'hex'),
  ]);
  return newObject(format, 'tree', Buffer.concat(parts));
}

// git sorts a folder as if its name ended with a slash.
function sortKey({ mode, name }: TreeEntry): Buffer {
  return Buffer.from(mode === FOLDER_MODE ? `${name}/` : name, 'latin1');
}

/** Returns the entries of a tree, without checking their names or modes; `null` if the tree is damaged. */
export function readTree(format: ObjectFormat, content: Buffer): readonly TreeEntry[] | null {
  const idBytes = format === 'sha256' ? 32 : 20;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, at);
    const end = nul + 1 + idBytes;
    if (space === -1 || nul === -1 || space > nul || end > content.length) return null;
    const mode = content.toString('latin1', at, space);
    const name = content.toString('latin1', space + 1, nul);
    entries.push({ mode, name, id: content.toString('hex', nul + 1, end) });
    at = end;
  }
  return entries;
}

/** Returns a commit that onceover makes. It has a fixed author, so the user needs no git identity. */
export function newCommit(
  format: ObjectFormat,
  { tree, parent, message, now }: { tree: string; parent: string | null; message: string; now: number },
): NewObject {
  const person = `onceover <onceover@localhost> ${Math.floor(now / 1000)} +0000`;
  const lines = [
    `tree ${tree}`,
    ...(parent === null ? [] : [`parent ${parent}`]),
    `author ${person}`,
    `committer ${person}`,
    '',
    `${message}\n`,
  ];
  return newObject(format, 'commit', Buffer.from(lines.join('\n'), 'utf8'));
}

/** Returns a pack with these objects, which `git unpack-objects` stores with a single process. */
export function packOf(format: ObjectFormat, objects: readonly NewObject[]): Buffer {
  const header = Buffer.alloc(12);
  header.write('PACK', 'latin1');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([header, ...objects.flatMap((one) => [packHeader(one), deflateSync(one.content)])]);
  return Buffer.concat([body, createHash(format).update(body).digest()]);
}

// The type and the lowest 4 bits of the size, then 7 bits of the size per byte. The highest bit says that more follow.
function packHeader({ type, content }: NewObject): Buffer {
  const bytes: number[] = [];
  let byte = (PACK_TYPES[type] << 4) | (content.length & 0x0f);
  for (let rest = content.length >>> 4; rest > 0; rest >>>= 7) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  return Buffer.from([...bytes, byte]);
}
