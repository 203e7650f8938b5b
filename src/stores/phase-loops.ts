import { join } from 'node:path';
import type { Place } from '../domain/change.ts';
import { digestOf } from '../domain/digest.ts';
import { isRecord } from '../domain/is-record.ts';
import type { KeptLoop } from '../domain/phase-run.ts';
import type { PhaseLoops } from '../domain/ports.ts';
import { done } from '../domain/result.ts';
import { checkFolder, makeFolder, removeFile, removeForgotten, writeWhole } from '../io/files.ts';
import { readOwn } from '../io/own-file.ts';

const FOLDER = 'onceover/phases';

/** Loops that wait for whoever called: one a phase and feature of a working tree, readable by the version that wrote it. */
export function openPhaseLoops({ root, commonDir }: Pick<Place, 'root' | 'commonDir'>, version: string): PhaseLoops {
  const nameOf = (phase: string, feature: string) => `${phase}-${digestOf([root, feature]).slice(0, 24)}.json`;
  return {
    async read(phase, feature) {
      const there = checkFolder(commonDir, FOLDER);
      if (!there.ok) return there;
      const text = readOwn(join(commonDir, FOLDER, nameOf(phase, feature)));
      if (!text.ok) return text;
      return done(text.value === null ? null : parse(text.value, version, { phase, feature }));
    },
    async write(loop) {
      const folder = makeFolder(commonDir, FOLDER);
      if (!folder.ok) return folder;
      removeForgotten(folder.value, Date.now());
      const text = JSON.stringify({ version, digest: digestOf(loop), loop });
      return writeWhole(folder.value, nameOf(loop.run.phase, loop.run.feature), text);
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
    // What has its digest was written by us, whole.
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
