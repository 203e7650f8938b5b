import type { RepoPath } from '@onceover/base/kernel/ids';
import { err, ok } from '@onceover/base/kernel/result';
import { mergeMeta, readMeta } from '@onceover/loops/src/phases/record/meta-json.ts';
import type { FeatureFiles } from '@onceover/loops/src/phases/record/store.ts';

/** Folder of the files of a feature. */
type Files = {
  read(path: RepoPath): string | null;
  write(path: RepoPath, text: string): void;
  remove(path: RepoPath): void;
};

/** `.review-history.md` and `.meta.json` of a feature in memory. */
export function memoryFeatureFiles(files: Files, feature: RepoPath): FeatureFiles {
  const at = (name: string) => (feature === '' ? name : `${feature}/${name}`) as RepoPath;
  const [META, HISTORY] = [at('.meta.json'), at('.review-history.md')];
  const putAside = (text: string, time: Date): string => {
    const name = `.meta.json.unreadable-${time.toISOString().replace(/[-:.]/g, '')}`;
    let [aside, number] = [name, 1];
    while (files.read(at(aside)) !== null) aside = `${name}-${++number}`;
    files.write(at(aside), text);
    files.remove(META);
    return aside;
  };
  return {
    async meta() {
      return ok(readMeta(files.read(META) ?? ''));
    },
    async putMetaAside(time) {
      const text = files.read(META);
      if (text !== null) return ok(putAside(text, time));
      return err({ kind: 'disk', action: 'write', path: META, code: 'ENOENT' });
    },
    async writeMeta(update, time) {
      const before = files.read(META) ?? '';
      const { text, isReadable } = mergeMeta(before, update);
      const aside = isReadable ? null : putAside(before, time);
      files.write(META, text);
      return ok(aside);
    },
    async history() {
      return ok(files.read(HISTORY) ?? '');
    },
    async writeHistory(text) {
      files.write(HISTORY, text);
      return ok(undefined);
    },
  };
}
