import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { digestOf, type RepoPath } from '../../kernel/ids.ts';
import { isRecord } from '../../kernel/json.ts';
import type { RepositoryPaths } from '../../kernel/repository.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { checkFolder, makeFolder, removeFile, removeLeftovers, writeAtomically } from '../../platform/files.ts';
import { makeIgnoredFolder, renameUnreadable } from '../../platform/generated-files.ts';
import { readPrivateBytes, readPrivateFile } from '../../platform/private-files.ts';
import type { FeatureFiles, KeptLoop, PhaseLogs, PhaseLoops } from '../run-types.ts';
import { brainstormSource, isMeta, mergeMeta } from './meta-json.ts';

const HISTORY = '.review-history.md';

const META = '.meta.json';

/** Opens `.review-history.md` and `.meta.json` in the folder of a feature. */
export function openFeatureFiles(root: string, feature: RepoPath): FeatureFiles {
  const folder = join(root, feature);
  const read = (name: string): Result<Buffer | null> => {
    const there = feature === '' ? ok('there') : checkFolder(root, feature);
    return there.ok ? readPrivateBytes(join(folder, name)) : there;
  };
  return {
    async meta() {
      const bytes = read(META);
      if (!bytes.ok) return bytes;
      if (bytes.value === null) return ok({ kind: 'none' });
      const text = textOf(bytes.value);
      if (text === null || !isMeta(text)) return ok({ kind: 'unreadable' });
      return ok({ kind: 'read', source: brainstormSource(text) });
    },
    async putMetaAside(at) {
      const there = read(META);
      return there.ok ? renameUnreadable(folder, META, at) : there;
    },
    async tellMeta(update, at) {
      const bytes = read(META);
      if (!bytes.ok) return bytes;
      const text = bytes.value === null ? null : textOf(bytes.value);
      const isLost = bytes.value !== null && text === null;
      const merged = isLost ? null : mergeMeta(text, update);
      const aside = merged?.ok === true ? ok(null) : renameUnreadable(folder, META, at);
      if (!aside.ok) return aside;
      const whole = merged?.ok === true ? merged : mergeMeta(null, update);
      const written = whole.ok ? writeAtomically(folder, META, whole.text) : ok(undefined);
      return written.ok ? aside : written;
    },
    async history() {
      const bytes = read(HISTORY);
      if (!bytes.ok) return bytes;
      const text = bytes.value === null ? '' : textOf(bytes.value);
      // Decoding a history that is not UTF-8 and writing it back would destroy its text, so fail instead.
      return text === null
        ? err({ kind: 'disk', action: 'read', path: join(folder, HISTORY), code: 'not-utf8' })
        : ok(text);
    },
    async writeHistory(text) {
      const there = read(HISTORY);
      return there.ok ? writeAtomically(folder, HISTORY, text) : there;
    },
  };
}

function textOf(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}

/** Opens the logs with prompts and answers, in one folder per run of a phase. */
export function openPhaseLogs(root: string, logDir: RepoPath): PhaseLogs {
  return {
    async write({ id, phase }, name, log) {
      const top = makeIgnoredFolder(root, logDir);
      if (!top.ok) return top;
      const folder = makeFolder(top.value, `phases/${phase}_${id}`);
      return folder.ok ? writeAtomically(folder.value, `${name.replace(/[^A-Za-z0-9._-]/g, '_')}.log`, log) : folder;
    },
  };
}

const FOLDER = 'onceover/phases';

/** Opens the stored loops, one per phase, feature and working tree. Another onceover version cannot read them. */
export function openPhaseLoops(
  { root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>,
  version: string,
): PhaseLoops {
  const nameOf = (phase: string, feature: string) => `${phase}-${digestOf([root, feature]).slice(0, 24)}.json`;
  return {
    async read(phase, feature) {
      const there = checkFolder(commonDir, FOLDER);
      if (!there.ok) return there;
      const text = readPrivateFile(join(commonDir, FOLDER, nameOf(phase, feature)));
      if (!text.ok) return text;
      return ok(text.value === null ? null : parse(text.value, version, { phase, feature }));
    },
    async write(loop) {
      const folder = makeFolder(commonDir, FOLDER);
      if (!folder.ok) return folder;
      removeLeftovers(folder.value, Date.now());
      const text = JSON.stringify({ version, digest: digestOf(loop), loop });
      return writeAtomically(folder.value, nameOf(loop.run.phase, loop.run.feature), text);
    },
    async remove(phase, feature) {
      const there = checkFolder(commonDir, FOLDER);
      return there.ok ? removeFile(join(commonDir, FOLDER, nameOf(phase, feature))) : there;
    },
  };
}

function parse(
  text: string,
  version: string,
  wanted: { readonly phase: string; readonly feature: string },
): KeptLoop | 'unreadable' {
  try {
    const whole: unknown = JSON.parse(text);
    if (!isRecord(whole) || whole['version'] !== version || whole['digest'] !== digestOf(whole['loop'])) {
      return 'unreadable';
    }
    // The digest proves that onceover wrote the file completely, so the cast is safe.
    const loop = JSON.parse(JSON.stringify(whole['loop']), reviveTime) as KeptLoop;
    const { phase, feature } = loop.run;
    return phase === wanted.phase && feature === wanted.feature ? loop : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

function reviveTime(key: string, value: unknown): unknown {
  return key === 'resetAt' && typeof value === 'string' ? new Date(value) : value;
}
