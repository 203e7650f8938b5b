import { realpathSync, statSync } from 'node:fs';
import { isRecord } from '../domain/is-record.ts';
import { openListFile } from '../io/list-file.ts';

/** The versions of programs: a program is started only where its file is not the one that told before. */
export type Versions = {
  /** The version, kept or asked for; null where it tells none. */
  of(program: string, ask: () => Promise<string | null>): Promise<string | null>;
};

const MOST_KEPT = 50;
// A launcher that picks among versions stays the same file when another is picked.
const KNOWN_FOR_MS = 24 * 60 * 60 * 1000;

/** A program's file as it was when it told its version. */
type Told = ProgramFile & { readonly version: string; readonly at: number };

type ProgramFile = { readonly path: string; readonly size: number; readonly changed: number };

/** What programs told on this machine, in the clone's own folder; where that cannot be read, they are asked. */
export function openVersions(commonDir: string, now: () => number = Date.now): Versions {
  const list = openListFile(commonDir, 'versions.json');
  const read = () => list.read().filter(isTold);
  const asking = new Map<string, Promise<string | null>>();

  function find(file: ProgramFile): string | null {
    const told = read().find((one) => isSame(one, file));
    return told !== undefined && told.at <= now() && now() - told.at < KNOWN_FOR_MS ? told.version : null;
  }

  // That it cannot be kept costs time later and nothing else.
  async function askAndKeep(file: ProgramFile, ask: () => Promise<string | null>): Promise<string | null> {
    const version = await ask();
    if (version === null) return null;
    const others = read().filter((one) => one.path !== file.path);
    list.write([...others.slice(1 - MOST_KEPT), { ...file, version, at: now() }]);
    return version;
  }

  return {
    async of(program, ask) {
      const file = fileOf(program);
      if (file === null) return ask();
      const key = JSON.stringify(file);
      const answer = asking.get(key) ?? find(file) ?? askAndKeep(file, ask);
      asking.set(key, Promise.resolve(answer));
      return answer;
    },
  };
}

// The time of the last change of any kind: a copy may bring the time of its last writing along.
function fileOf(program: string): ProgramFile | null {
  try {
    const path = realpathSync(program);
    const { size, ctimeMs } = statSync(path);
    return { path, size, changed: ctimeMs };
  } catch {
    return null;
  }
}

function isTold(value: unknown): value is Told {
  if (!isRecord(value)) return false;
  const { path, size, changed, version, at } = value;
  const isVersion = typeof version === 'string' && /^\d+\.\d+\.\d+[-+.\w]{0,100}$/.test(version);
  return isVersion && typeof path === 'string' && [size, changed, at].every((one) => typeof one === 'number');
}

function isSame(a: ProgramFile, b: ProgramFile): boolean {
  return a.path === b.path && a.size === b.size && a.changed === b.changed;
}
