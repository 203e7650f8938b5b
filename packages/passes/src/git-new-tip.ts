import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { grouped } from '@onceover/base/kernel/collections';
import { formatOf, type ObjectFormat, type TreeEntry } from '@onceover/repo/git/tree-files';
import { FILE_MODE, FOLDER_MODE, type NewObject, newCommit, newObject, newTree } from './git-object-format.ts';
import type { ObjectReader } from './git-object-reader.ts';
import {
  foldersIn,
  KEY,
  type KeyFiles,
  LARGEST_TREE,
  pairsIn,
  SHARD,
  UnusableRef,
  usableTree,
} from './git-pass-tree.ts';
import { fileName } from './stored-files.ts';
import type { StoredFile } from './types.ts';

/** New git objects, and the one commit among them that the ref should point at. */
export type NewTip = { readonly commit: string; readonly objects: readonly NewObject[]; readonly format: ObjectFormat };

const LARGEST_COMMIT = 64 * 1024;

/**
 * Returns the commit that a ref points at; `null` if the ref does not exist. Throws `UnusableRef` if the ref points at
 * something other than a commit.
 */
export async function statementTip(reader: ObjectReader, ref: string): Promise<string | null> {
  const [tip] = await reader.read([ref], LARGEST_COMMIT);
  if (tip === undefined || tip === 'missing') return null;
  if (tip === 'too-large' || tip.type !== 'commit') throw new UnusableRef('not-a-commit');
  return tip.id;
}

/**
 * Returns a commit that adds the files to the commit `tip`, and how many files are new. Only the folders that change
 * are read and written again; entries in these folders that onceover did not make are dropped.
 */
export async function addToTip(
  reader: ObjectReader,
  { tip, format, now }: { tip: string | null; format: ObjectFormat; now: number },
  files: readonly StoredFile[],
): Promise<NewTip & { readonly added: number }> {
  const objects = collector();
  const root = byName(tip === null ? [] : await folders(reader, `${tip}^{tree}`, SHARD));
  let addedCount = 0;
  for (const [shard, inShard] of grouped(files, ({ key }) => key.slice(0, 2))) {
    const old = root.get(shard);
    const keys = byName(old === undefined ? [] : await folders(reader, old.id, KEY));
    const addedBefore = addedCount;
    for (const [key, filesOfKey] of grouped(inShard, (file) => file.key)) {
      const entries = await entriesOfKey(reader, keys.get(key));
      const before = addedCount;
      for (const { file } of filesOfKey) {
        const name = `${fileName(file)}.json`;
        const statement = newObject(format, 'blob', file.statement);
        const signature = newObject(format, 'blob', Buffer.from(file.signature, 'utf8'));
        // Compare the git ids of the contents, not only the names, because anyone may have stored other bytes under
        // this name.
        const isThere = entries.get(name)?.id === statement.id && entries.get(`${name}.sig`)?.id === signature.id;
        if (isThere) continue;
        entries.set(name, { mode: FILE_MODE, name, id: objects.add(statement) });
        entries.set(`${name}.sig`, { mode: FILE_MODE, name: `${name}.sig`, id: objects.add(signature) });
        addedCount++;
      }
      if (addedCount === before) continue;
      keys.set(key, { mode: FOLDER_MODE, name: key, id: objects.add(newTree(format, [...entries.values()])) });
    }
    if (addedCount === addedBefore) continue;
    root.set(shard, { mode: FOLDER_MODE, name: shard, id: objects.add(newTree(format, [...keys.values()])) });
  }
  const tree = objects.add(newTree(format, [...root.values()]));
  const message = `Add ${addedCount} ${addedCount === 1 ? 'statement' : 'statements'}`;
  const commit = objects.add(newCommit(format, { tree, parent: tip, message, now }));
  return { commit, objects: objects.all(), format, added: addedCount };
}

async function folders(reader: ObjectReader, name: string, names: RegExp): Promise<readonly TreeEntry[]> {
  const [tree] = await reader.read([name], LARGEST_TREE);
  return foldersIn(usableTree(tree, 'damaged'), names);
}

async function entriesOfKey(reader: ObjectReader, folder: TreeEntry | undefined): Promise<Map<string, TreeEntry>> {
  if (folder === undefined) return new Map();
  const [tree] = await reader.read([folder.id], LARGEST_TREE);
  // If the folder cannot be read, fail instead of replacing it, because the passes of other clones would be lost.
  usableTree(tree, 'damaged');
  return byName(pairsIn(tree).flatMap(({ statement, signature }) => [statement, signature]));
}

/**
 * Returns a commit without a parent that contains only the files in `keyFiles`, so that clones no longer fetch the
 * removed files. `keyFiles` lists the remaining files by key.
 */
export function newHistory(tip: string, keyFiles: readonly KeyFiles[], now: number): NewTip {
  const format = formatOf(tip);
  const objects = collector();
  const root: TreeEntry[] = [];
  for (const [shard, keys] of grouped(keyFiles, ({ key }) => key.slice(0, 2))) {
    const inShard = keys.flatMap(({ key, id, files }) => {
      if (files.length === 0) return [];
      const tree = newTree(
        format,
        files.flatMap(({ statement, signature }) => [statement, signature]),
      );
      return [{ mode: FOLDER_MODE, name: key, id: tree.id === id ? id : objects.add(tree) }];
    });
    if (inShard.length === 0) continue;
    root.push({ mode: FOLDER_MODE, name: shard, id: objects.add(newTree(format, inShard)) });
  }
  const tree = objects.add(newTree(format, root));
  const commit = objects.add(newCommit(format, { tree, parent: null, message: 'Remove old statements', now }));
  return { commit, objects: objects.all(), format };
}

function byName(entries: readonly TreeEntry[]): Map<string, TreeEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** Returns a collector of new git objects that holds each object once. */
function collector() {
  const objects = new Map<string, NewObject>();
  return {
    /** Adds an object and returns its id. */
    add(object: NewObject): string {
      objects.set(object.id, object);
      return object.id;
    },
    all: () => [...objects.values()],
  };
}

/** The numbers that git's pack format uses for the object types. */
const TYPES = { commit: 1, tree: 2, blob: 3 } as const;

/** Returns a git pack with these objects. `git unpack-objects` can store the whole pack in a single process. */
export function packOf(format: ObjectFormat, objects: readonly NewObject[]): Buffer {
  const header = Buffer.alloc(12);
  header.write('PACK', 'latin1');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([
    header,
    ...objects.flatMap((object) => [packHeader(object), deflateSync(object.content)]),
  ]);
  return Buffer.concat([body, createHash(format).update(body).digest()]);
}

// The header of an object in a pack: its type and the lowest 4 bits of its size, then 7 more bits of the size per byte.
// The highest bit of each byte says whether another byte follows.
function packHeader({ type, content }: NewObject): Buffer {
  const bytes: number[] = [];
  let byte = (TYPES[type] << 4) | (content.length & 0x0f);
  for (let remainingSize = content.length >>> 4; remainingSize > 0; remainingSize >>>= 7) {
    bytes.push(byte | 0x80);
    byte = remainingSize & 0x7f;
  }
  return Buffer.from([...bytes, byte]);
}
