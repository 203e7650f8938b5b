import { grouped } from '@onceover/base/kernel/collections';
import { formatOf, readTree, type TreeEntry } from '@onceover/repo/git/tree-files';
import { FILE_MODE, FOLDER_MODE } from './git-object-format.ts';
import type { FoundObject, ObjectReader } from './git-object-reader.ts';
import { fileName, isPassKey, isStorable } from './stored-files.ts';
import { LARGEST_STATEMENT, type SignedFile, type StoredFile } from './types.ts';

/**
 * The maximum number of signed files that are read per key. Reading more would only slow down a run. All signed files
 * with the same key are in one git folder.
 */
const MOST_PER_KEY = 64;

// The maximum size, in bytes, of the git tree object of a key's folder: enough for about 5,000 signed files and their
// signatures.
const LARGEST_KEY_TREE = 1024 * 1024;

/** The maximum size, in bytes, of a git tree object, except where `LARGEST_KEY_TREE` applies. */
export const LARGEST_TREE = 32 * 1024 * 1024;

/** Matches a key, which is the name of a folder with signed files: the SHA-256 of what the files are about. */
export const KEY = /^[0-9a-f]{64}$/;

/** Matches the name of a folder that contains the folders of keys: the first two digits of these keys. */
export const SHARD = /^[0-9a-f]{2}$/;

const STATEMENT = /^([0-9a-f]{64})\.json$/;

/** Thrown when the ref with the shared passes cannot be used; `why` has the reason. */
export class UnusableRef extends Error {
  readonly why: 'not-a-commit' | 'damaged' | 'too-large';

  constructor(why: UnusableRef['why']) {
    super(why);
    this.why = why;
  }
}

/**
 * Returns the signed files under these keys; `null` if the ref does not exist. Files that are damaged, too large or
 * without a signature are left out.
 */
export async function findInRef(
  reader: ObjectReader,
  ref: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly SignedFile[]> | null> {
  const passKeys = [...new Set(keys)].filter(isPassKey);
  const [[tip], [root], trees] = await Promise.all([
    reader.read([ref], LARGEST_STATEMENT),
    reader.read([`${ref}^{tree}`], LARGEST_TREE),
    reader.read(
      passKeys.map((key) => `${ref}:${key.slice(0, 2)}/${key}`),
      LARGEST_KEY_TREE,
    ),
  ]);
  if (tip === 'missing' || tip === undefined) return null;
  if (root === undefined || typeof root === 'string') throw new UnusableRef('not-a-commit');
  const pairs = passKeys.flatMap((key, at) =>
    pairsIn(trees[at])
      .slice(0, MOST_PER_KEY)
      .map((pair) => ({ key, ...pair })),
  );
  const files = await readPairs(reader, pairs);
  const filesByKey = new Map<string, SignedFile[]>();
  for (const { key, file } of files) filesByKey.set(key, [...(filesByKey.get(key) ?? []), file]);
  return filesByKey;
}

/** A signed file and its signature in a git tree. `name` is the name that both must have according to `fileName`. */
type Pair = { readonly name: string; readonly statement: TreeEntry; readonly signature: TreeEntry };

/** Returns the pairs of a signed file and its signature in the folder of a key; none if `tree` is not a folder. */
export function pairsIn(tree: FoundObject | undefined): readonly Pair[] {
  const entries = entriesOf(tree)?.filter(({ mode }) => mode === FILE_MODE) ?? [];
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return [...byName.values()].flatMap((statement) => {
    const name = STATEMENT.exec(statement.name)?.[1];
    const signature = byName.get(`${statement.name}.sig`);
    return name === undefined || signature === undefined ? [] : [{ name, statement, signature }];
  });
}

function entriesOf(tree: FoundObject | undefined): readonly TreeEntry[] | null {
  if (tree === undefined || typeof tree === 'string' || tree.type !== 'tree') return null;
  return readTree(formatOf(tree.id), tree.content);
}

async function readPairs<T extends Pair & { readonly key: string }>(
  reader: ObjectReader,
  pairs: readonly T[],
): Promise<readonly (T & StoredFile)[]> {
  const ids = pairs.flatMap(({ statement, signature }) => [statement.id, signature.id]);
  const blobs = await reader.read(ids, LARGEST_STATEMENT);
  return pairs.flatMap((pair, at) => {
    const [statement, signature] = [blobs[2 * at], blobs[2 * at + 1]];
    if (!isBlob(statement) || !isBlob(signature)) return [];
    const file = { statement: statement.content, signature: signature.content.toString('utf8') };
    const storedFile = { key: pair.key, file };
    return isStorable(storedFile) && fileName(file) === pair.name ? [{ ...pair, ...storedFile }] : [];
  });
}

function isBlob(object: FoundObject | undefined): object is Exclude<FoundObject, string> {
  return object !== undefined && typeof object !== 'string' && object.type === 'blob';
}

/**
 * The usable signed files in the folder of a key. `id` is the git id of the folder, which may also contain unusable
 * files.
 */
export type KeyFiles = { readonly key: string; readonly id: string; readonly files: readonly (Pair & StoredFile)[] };

const AT_ONCE = 500;

/** Reads all signed files of a ref, a few hundred keys at a time. Yields nothing if the ref does not exist. */
export async function* walkRef(reader: ObjectReader, ref: string): AsyncGenerator<KeyFiles> {
  const [tip, root] = await Promise.all([
    reader.read([ref], LARGEST_STATEMENT),
    reader.read([`${ref}^{tree}`], LARGEST_TREE),
  ]);
  if (tip[0] === 'missing') return;
  for (const { name: shard, id } of foldersIn(usableTree(root[0], 'not-a-commit'), SHARD)) {
    const [shardObject] = await reader.read([id], LARGEST_TREE);
    const keyFolders = foldersIn(usableTree(shardObject, 'damaged'), KEY).filter(({ name }) => name.startsWith(shard));
    for (let at = 0; at < keyFolders.length; at += AT_ONCE) {
      const part = keyFolders.slice(at, at + AT_ONCE);
      const trees = await reader.read(
        part.map((key) => key.id),
        LARGEST_TREE,
      );
      const pairs = part.flatMap(({ name: key }, n) => pairsIn(trees[n]).map((pair) => ({ key, ...pair })));
      const files = await readPairs(reader, pairs);
      const byKey = grouped(files, ({ key }) => key);
      for (const { name: key, id } of part) yield { key, id, files: byKey.get(key) ?? [] };
    }
  }
}

/** Returns the entries of a git tree. Throws an `UnusableRef` if the tree cannot be read. */
export function usableTree(object: FoundObject | undefined, otherwise: UnusableRef['why']): readonly TreeEntry[] {
  if (object === 'too-large') throw new UnusableRef('too-large');
  const entries = entriesOf(object);
  if (entries === null) throw new UnusableRef(otherwise);
  return entries;
}

/** Returns the folders whose names match the pattern, without duplicate names. */
export function foldersIn(entries: readonly TreeEntry[], name: RegExp): readonly TreeEntry[] {
  const folders = entries.filter((entry) => entry.mode === FOLDER_MODE && name.test(entry.name));
  return [...new Map(folders.map((entry) => [entry.name, entry])).values()];
}
