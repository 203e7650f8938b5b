import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { digestOf, type RepoPath } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { PhaseName } from '@onceover/base/kernel/review-loops';
import { checkFolder, makeFolder, removeLeftovers, writeAtomically } from '@onceover/base/platform/files';
import { makeIgnoredFolder, renameUnreadable } from '@onceover/base/platform/generated-files';
import { openFolder, readPrivateBytes } from '@onceover/base/platform/private-files';
import type { KeptLoop } from '../state.ts';
import type { MetaUpdate, PhaseRun } from '../types.ts';
import { mergeMeta, readMeta } from './meta-json.ts';

const HISTORY = '.review-history.md';

const META = '.meta.json';

export type FeatureFiles = ReturnType<typeof openFeatureFiles>;

/** Opens `.meta.json` and `.review-history.md` of a feature. People and other tools write to these files too. */
export function openFeatureFiles(root: string, feature: RepoPath) {
  const folder = join(root, feature);
  /** Returns the text of a file: empty if the file does not exist, null if it is not UTF-8. */
  const readText = (name: string): Result<string | null> => {
    const there = feature === '' ? ok('there') : checkFolder(root, feature);
    const bytes = there.ok ? readPrivateBytes(join(folder, name)) : there;
    if (!bytes.ok) return bytes;
    const { value } = bytes;
    return ok(value === null ? '' : isUtf8(value) ? value.toString('utf8') : null);
  };
  return {
    /** Returns the parsed `.meta.json`; null if the file is unreadable. */
    async meta(): Promise<Result<ReturnType<typeof readMeta>>> {
      const text = readText(META);
      return text.ok ? ok(text.value === null ? null : readMeta(text.value)) : text;
    },
    /** Renames an unreadable `.meta.json` and returns its new name. */
    async putMetaAside(at: Date): Promise<Result<string>> {
      const there = readText(META);
      return there.ok ? renameUnreadable(folder, META, at) : there;
    },
    /**
     * Writes the fields of a phase to `.meta.json`. If the old file is unreadable, renames it and returns its new name;
     * otherwise returns null.
     */
    async writeMeta(update: MetaUpdate, at: Date): Promise<Result<string | null>> {
      const before = readText(META);
      if (!before.ok) return before;
      const { text, isReadable } = mergeMeta(before.value, update);
      const aside = isReadable ? ok(null) : renameUnreadable(folder, META, at);
      const writeResult = aside.ok ? writeAtomically(folder, META, text) : aside;
      return writeResult.ok ? aside : writeResult;
    },
    async history(): Promise<Result<string>> {
      const text = readText(HISTORY);
      if (!text.ok) return text;
      // Fail if the history is not UTF-8: decoding it and writing it back would destroy its text.
      return text.value === null
        ? err({ kind: 'disk', action: 'read', path: join(folder, HISTORY), code: 'not-utf8' })
        : ok(text.value);
    },
    async writeHistory(text: string): Promise<Result<void>> {
      const there = readText(HISTORY);
      return there.ok ? writeAtomically(folder, HISTORY, text) : there;
    },
  };
}

export type PhaseLogs = ReturnType<typeof openPhaseLogs>;

/** Opens the logs with prompts and answers, in one folder per run of a phase. */
export function openPhaseLogs(root: string, logDir: RepoPath) {
  return {
    async write({ id, phase }: Pick<PhaseRun, 'id' | 'phase'>, name: string, log: string): Promise<Result<void>> {
      const top = makeIgnoredFolder(root, logDir);
      if (!top.ok) return top;
      const folder = makeFolder(top.value, `phases/${phase}_${id}`);
      return folder.ok ? writeAtomically(folder.value, `${name.replace(/[^A-Za-z0-9._-]/g, '_')}.log`, log) : folder;
    },
  };
}

const FOLDER = 'onceover/phases';

export type PhaseLoops = ReturnType<typeof openPhaseLoops>;

/**
 * Opens the stored loops, one for each phase, feature and working tree. A loop can be read only by the onceover version
 * that stored it.
 */
export function openPhaseLoops({ root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>, version: string) {
  const folder = openFolder(commonDir, FOLDER);
  const nameOf = (phase: string, feature: string) => `${phase}-${digestOf([root, feature]).slice(0, 24)}.json`;
  return {
    /**
     * Returns the stored loop; null if there is none, `unreadable` if it is damaged or another version of onceover
     * stored it.
     */
    async read(phase: PhaseName, feature: RepoPath): Promise<Result<KeptLoop | 'unreadable' | null>> {
      const text = folder.text(nameOf(phase, feature));
      if (!text.ok) return text;
      return ok(text.value === null ? null : parse(text.value, version, { phase, feature }));
    },
    async write(loop: KeptLoop): Promise<Result<void>> {
      const text = JSON.stringify({ version, digest: digestOf(loop), loop });
      // Only the user may read the file: it contains the id of a session, with which anyone could continue the session.
      const writeResult = folder.write(nameOf(loop.run.phase, loop.run.feature), text, 0o600);
      if (writeResult.ok) removeLeftovers(folder.path, Date.now());
      return writeResult;
    },
    async remove(phase: PhaseName, feature: RepoPath): Promise<Result<void>> {
      return folder.remove(nameOf(phase, feature));
    },
  };
}

function parse(
  text: string,
  version: string,
  target: { readonly phase: string; readonly feature: string },
): KeptLoop | 'unreadable' {
  try {
    const whole: unknown = JSON.parse(text, reviveTime);
    if (!isRecord(whole) || whole['version'] !== version || whole['digest'] !== digestOf(whole['loop'])) {
      return 'unreadable';
    }
    // The digest proves that onceover wrote the whole file, so the value has the expected type.
    const loop = whole['loop'] as KeptLoop;
    const { phase, feature } = loop.run;
    return phase === target.phase && feature === target.feature ? loop : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

function reviveTime(key: string, value: unknown): unknown {
  return key === 'resetAt' && typeof value === 'string' ? new Date(value) : value;
}
