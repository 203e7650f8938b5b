import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeWhole } from '../io/files.ts';

/** What configuration files were found to say, by their bytes: reading YAML is what takes most of a short command's time. */
export type ParsedFiles = {
  /** The kept result for this text, where it is whole, or a new one that is kept. */
  get<T>(kind: string, text: string, isWhole: (value: unknown) => value is T, parse: () => Promise<T>): Promise<T>;
  /** Writes what is new; that it cannot be written costs time later and nothing else. */
  save(): void;
};

const NAME = 'parsed.json';
const MOST_KEPT = 4000;

type Kept = { readonly version: string; readonly files: Record<string, unknown> };

/** The results that this version of the program kept in the clone's own folder. */
export function openParsedFiles(commonDir: string, version: string): ParsedFiles {
  const kept = read(join(commonDir, 'onceover', NAME), version);
  const used: Record<string, unknown> = {};
  let isNew = false;
  return {
    async get(kind, text, isWhole, parse) {
      const key = createHash('sha256').update(`${kind}\0${text}`).digest('hex');
      const known = Object.hasOwn(kept.files, key) ? kept.files[key] : undefined;
      if (isWhole(known)) {
        used[key] = known;
        return known;
      }
      isNew = true;
      const value = await parse();
      used[key] = value;
      return value;
    },
    save() {
      if (!isNew) return;
      const all = Object.keys(kept.files).length > MOST_KEPT ? used : { ...kept.files, ...used };
      const folder = makeFolder(commonDir, 'onceover');
      if (folder.ok) writeWhole(folder.value, NAME, JSON.stringify({ version, files: all }));
    },
  };
}

function read(path: string, version: string): Kept {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isKept(kept) && kept.version === version) return kept;
  } catch {
    // Missing or broken: everything is read anew.
  }
  return { version, files: {} };
}

function isKept(value: unknown): value is Kept {
  return (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    typeof value.version === 'string' &&
    'files' in value &&
    typeof value.files === 'object' &&
    value.files !== null
  );
}
