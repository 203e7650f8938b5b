import { join } from 'node:path';
import { sha256 } from '../domain/digest.ts';
import { isRecord } from '../domain/is-record.ts';
import { makeFolder, writeWhole } from '../io/files.ts';
import { readJsonFile } from '../io/json-file.ts';

/** What configuration files were found to say, by their bytes: reading YAML is what takes most of a short command's time. */
export type ParsedFiles = {
  /** The kept result for this text, where it is whole, or a new one that is kept. */
  get<T>(kind: string, text: string, isWhole: (value: unknown) => value is T, parse: () => Promise<T>): Promise<T>;
  /** Writes what is new; that it cannot be written costs time later and nothing else. */
  save(): void;
};

const NAME = 'parsed.json';
const MOST_KEPT = 4000;
const LARGEST_BYTES = 64 * 1024 * 1024;

type Kept = { readonly version: string; readonly files: Readonly<Record<string, unknown>> };

/** The results that this version of the program kept in the clone's own folder. */
export function openParsedFiles(commonDir: string, version: string): ParsedFiles {
  const kept = read(join(commonDir, 'onceover', NAME), version);
  const used: Record<string, unknown> = {};
  let isNew = false;
  return {
    async get(kind, text, isWhole, parse) {
      const key = sha256(`${kind}\0${text}`);
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

// Missing, broken or another version's: everything is read anew.
function read(path: string, version: string): Kept {
  const kept = readJsonFile(path, LARGEST_BYTES);
  const files = isRecord(kept) && kept['version'] === version ? kept['files'] : null;
  return { version, files: isRecord(files) ? files : {} };
}
