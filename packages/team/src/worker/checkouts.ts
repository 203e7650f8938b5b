import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { addPack, checkOutTree, makeObjectStore } from '@onceover/agents/remote/pack-trees';
import { downloadPart, partsOf, type SnapshotPart } from '@onceover/agents/remote/snapshots';
import type { CallRequest } from '@onceover/agents/remote/types';
import { makeScratch } from '@onceover/base/platform/scratch';
import type { Database } from '@onceover/store/connect';

/** A folder with the files of one agent call, or the reason why they could not be checked out. */
type Checkout = { readonly folder: string; remove(): void } | { readonly why: string };

/**
 * How many snapshots one folder of git objects may receive. After that the folder is removed, so that it does not grow
 * for ever.
 */
const MOST_SNAPSHOTS = 50;

type ObjectStore = {
  readonly folder: string;
  readonly objects: Promise<string | null>;
  readonly parts: Map<string, Promise<string | null>>;
  users: number;
  isOld: boolean;
  remove(): void;
};

/**
 * Manages the checkouts of a worker. Calls on the same repository share its git objects, but each agent call has its
 * own files.
 */
export function openCheckouts({ query }: Pick<Database, 'query'>, base: string | null) {
  const stores = new Map<number, ObjectStore>();

  function storeOf(repository: number, format: 'sha1' | 'sha256'): ObjectStore {
    const currentStore = stores.get(repository);
    if (currentStore !== undefined && currentStore.parts.size < MOST_SNAPSHOTS) return currentStore;
    if (currentStore !== undefined) retire(currentStore);
    const scratch = makeScratch(base);
    const folder = join(scratch.folder, 'objects.git');
    const objects = makeObjectStore(folder, format).then((result) => (result.ok ? result.value : null));
    const store = { folder, objects, parts: new Map(), users: 0, isOld: false, remove: scratch.remove };
    stores.set(repository, store);
    return store;
  }

  function retire(store: ObjectStore): void {
    store.isOld = true;
    if (store.users === 0) store.remove();
  }

  /** Downloads a part of a snapshot, once per object store. Returns `null` on success, or the reason of the failure. */
  function addPart(store: ObjectStore, repository: number, part: SnapshotPart): Promise<string | null> {
    const key = `${part.tree} ${part.base}`;
    const earlierAddition = store.parts.get(key);
    if (earlierAddition !== undefined) return earlierAddition;
    const addition = (async () => {
      const pack = await downloadPart(query, repository, part);
      if (pack === null) return 'the store no longer has the files';
      const result = await addPack(store.folder, pack);
      if (result.ok) return null;
      return result.failure.kind === 'git-failed' ? result.failure.said : result.failure.kind;
    })();
    store.parts.set(key, addition);
    // If the download failed, forget it, so that the next agent call tries again.
    const forget = (why: unknown) => why !== null && store.parts.delete(key);
    addition.then(forget, forget);
    return addition;
  }

  return {
    /** Checks out the code of an agent call in a folder of its own. */
    async open(repository: number, { tree, baseTree }: CallRequest): Promise<Checkout> {
      const store = storeOf(repository, tree.length === 64 ? 'sha256' : 'sha1');
      store.users++;
      const scratch = makeScratch(base);
      const remove = () => {
        scratch.remove();
        store.users--;
        if (store.isOld && store.users === 0) store.remove();
      };
      const fail = (why: string) => {
        remove();
        return { why: `the files could not be checked out: ${why}` };
      };
      try {
        const objects = await store.objects;
        if (objects === null) return fail('git could not make a repository');
        for (const part of partsOf(tree, baseTree)) {
          const why = await addPart(store, repository, part);
          if (why !== null) return fail(why);
        }
        const checkout = await checkOutTree(join(scratch.folder, 'tree'), objects, tree, baseTree);
        if (!checkout.ok)
          return fail(checkout.failure.kind === 'git-failed' ? checkout.failure.said : checkout.failure.kind);
        return { folder: realpathSync(checkout.value), remove };
      } catch (error) {
        remove();
        throw error;
      }
    },

    close() {
      for (const store of stores.values()) store.remove();
    },
  };
}
