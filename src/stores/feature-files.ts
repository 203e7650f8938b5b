import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { FeatureFiles } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { checkFolder, codeOf, writeWhole } from '../io/files.ts';
import { readOwn } from '../io/own-file.ts';
import { brainstormSource, isMeta, mergeMeta } from './meta-shape.ts';

const HISTORY = '.review-history.md';
const META = '.meta.json';

/** `.review-history.md` and `.meta.json` in the folder of a feature. */
export function openFeatureFiles(root: string, feature: RepoPath): FeatureFiles {
  const folder = join(root, feature);
  const read = (name: string): Result<string | null> => {
    const there = feature === '' ? done('there') : checkFolder(root, feature);
    return there.ok ? readOwn(join(folder, name)) : there;
  };
  const putAside = (at: Date): Result<string> => {
    const aside = `${META}.unreadable-${at.toISOString().replace(/[-:.]/g, '')}`;
    try {
      renameSync(join(folder, META), join(folder, aside));
      return done(aside);
    } catch (error) {
      return failed({ kind: 'disk', action: 'write', path: join(folder, aside), code: codeOf(error) });
    }
  };
  return {
    async meta() {
      const text = read(META);
      if (!text.ok) return text;
      if (text.value === null) return done({ kind: 'none' });
      if (!isMeta(text.value)) return done({ kind: 'unreadable' });
      return done({ kind: 'read', source: brainstormSource(text.value) });
    },
    async putMetaAside(at) {
      const there = read(META);
      return there.ok ? putAside(at) : there;
    },
    async tellMeta(update, at) {
      const text = read(META);
      if (!text.ok) return text;
      const merged = mergeMeta(text.value, update);
      const aside = merged.ok ? done(null) : putAside(at);
      if (!aside.ok) return aside;
      const whole = merged.ok ? merged : mergeMeta(null, update);
      const written = whole.ok ? writeWhole(folder, META, whole.text) : done(undefined);
      return written.ok ? aside : written;
    },
    async history() {
      const text = read(HISTORY);
      return text.ok ? done(text.value ?? '') : text;
    },
    async writeHistory(text) {
      const there = read(HISTORY);
      return there.ok ? writeWhole(folder, HISTORY, text) : there;
    },
  };
}
