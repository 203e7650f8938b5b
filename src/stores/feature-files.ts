import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { FeatureFiles } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { checkFolder, writeWhole } from '../io/files.ts';
import { readOwnBytes } from '../io/own-file.ts';
import { brainstormSource, isMeta, mergeMeta } from './meta-shape.ts';
import { putAside } from './put-aside.ts';

const HISTORY = '.review-history.md';
const META = '.meta.json';

/** `.review-history.md` and `.meta.json` in the folder of a feature. */
export function openFeatureFiles(root: string, feature: RepoPath): FeatureFiles {
  const folder = join(root, feature);
  const read = (name: string): Result<Buffer | null> => {
    const there = feature === '' ? done('there') : checkFolder(root, feature);
    return there.ok ? readOwnBytes(join(folder, name)) : there;
  };
  return {
    async meta() {
      const bytes = read(META);
      if (!bytes.ok) return bytes;
      if (bytes.value === null) return done({ kind: 'none' });
      const text = textOf(bytes.value);
      if (text === null || !isMeta(text)) return done({ kind: 'unreadable' });
      return done({ kind: 'read', source: brainstormSource(text) });
    },
    async putMetaAside(at) {
      const there = read(META);
      return there.ok ? putAside(folder, META, at) : there;
    },
    async tellMeta(update, at) {
      const bytes = read(META);
      if (!bytes.ok) return bytes;
      const text = bytes.value === null ? null : textOf(bytes.value);
      const isLost = bytes.value !== null && text === null;
      const merged = isLost ? null : mergeMeta(text, update);
      const aside = merged?.ok === true ? done(null) : putAside(folder, META, at);
      if (!aside.ok) return aside;
      const whole = merged?.ok === true ? merged : mergeMeta(null, update);
      const written = whole.ok ? writeWhole(folder, META, whole.text) : done(undefined);
      return written.ok ? aside : written;
    },
    async history() {
      const bytes = read(HISTORY);
      if (!bytes.ok) return bytes;
      const text = bytes.value === null ? '' : textOf(bytes.value);
      // Written back, what cannot be read would be lost.
      return text === null
        ? failed({ kind: 'disk', action: 'read', path: join(folder, HISTORY), code: 'not-utf8' })
        : done(text);
    },
    async writeHistory(text) {
      const there = read(HISTORY);
      return there.ok ? writeWhole(folder, HISTORY, text) : there;
    },
  };
}

function textOf(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}
