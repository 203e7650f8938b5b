import { createHash } from 'node:crypto';
import type { ObjectFormat, TreeEntry } from '@onceover/repo/git/tree-files';

/** A git object to store, with the id that git computes for it. */
export type NewObject = {
  readonly id: string;
  readonly type: 'commit' | 'tree' | 'blob';
  readonly content: Uint8Array;
};

/** git's file mode of a folder in a tree. */
export const FOLDER_MODE = '40000';

/** git's file mode of a plain file in a tree. */
export const FILE_MODE = '100644';

/** Returns a git object with its id. */
export function newObject(format: ObjectFormat, type: NewObject['type'], content: Uint8Array): NewObject {
  const hash = createHash(format).update(`${type} ${content.length}\0`).update(content);
  return { id: hash.digest('hex'), type, content };
}

/** Returns a git tree with these entries, in the order that git requires. */
export function newTree(format: ObjectFormat, entries: readonly TreeEntry[]): NewObject {
  const sortedEntries = [...entries].sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)));
  const parts = sortedEntries.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(id, 'hex'),
  ]);
  return newObject(format, 'tree', Buffer.concat(parts));
}

// git sorts folders as if their names ended with a slash.
function sortKey({ mode, name }: TreeEntry): Buffer {
  return Buffer.from(mode === FOLDER_MODE ? `${name}/` : name, 'latin1');
}

/** Returns a git commit with a fixed author, so that the user does not need a git identity. */
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
