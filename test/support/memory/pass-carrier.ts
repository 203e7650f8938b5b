import { ok } from '@onceover/base/kernel/result';
import { distinctFiles, fileName, isStorable } from '@onceover/passes/src/stored-files.ts';
import type { PassCarrier, StoredFile } from '@onceover/passes/types';

/** A store in memory that several carriers share, as several clones share a remote. */
export function memoryPassStore(): { carrier(): PassCarrier } {
  let stored: readonly StoredFile[] = [];
  return {
    carrier() {
      let fetched: readonly StoredFile[] = [];
      return {
        name: 'memory',
        isFresh: () => false,
        async fetch() {
          const isNew = fetched !== stored;
          fetched = stored;
          return ok(isNew);
        },
        async find(keys) {
          const found = fetched.filter(({ key }) => keys.includes(key));
          return ok(new Map([...new Set(found.map(({ key }) => key))].map((key) => [key, filesOf(found, key)])));
        },
        all: async () => ok(fetched),
        async push(files) {
          const known = new Set(stored.map(identity));
          const fresh = distinctFiles(files.filter(isStorable)).filter((one) => !known.has(identity(one)));
          stored = [...stored, ...fresh];
          fetched = stored;
          return ok({ added: fresh.length });
        },
        async prune(isOld) {
          const kept = stored.filter((one) => !isOld(one));
          const removed = stored.length - kept.length;
          stored = kept;
          fetched = kept;
          return ok({ removed });
        },
      };
    },
  };
}

const identity = ({ key, file }: StoredFile) => `${key} ${fileName(file)}`;

function filesOf(stored: readonly StoredFile[], key: string) {
  return stored.filter((one) => one.key === key).map(({ file }) => file);
}
