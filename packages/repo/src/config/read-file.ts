import type { PlacedProblem, UnusableFile } from '@onceover/base/kernel/failure';
import { sha256 } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { openFolder } from '@onceover/base/platform/private-files';
import type { TextFiles } from '../git/tree-files.ts';
import type { ParsedSettings } from './parse-settings.ts';
import { SETTINGS_FILE, type Settings } from './settings.ts';

/** The whole text of a file, or the reason why the file cannot be used. */
type SourceText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: UnusableFile };

const LONGEST_BYTES = 1024 * 1024;

/** Returns the whole text of a file, or why the file cannot be used. An empty file has the text ''. */
export function readSourceText(files: TextFiles, path: string): SourceText {
  const file = files.read(path, LONGEST_BYTES);
  if (file.kind === 'unusable') return { ok: false, why: file.why === 'binary' ? 'not-utf8' : file.why };
  return file.cut ? { ok: false, why: 'too-large' } : { ok: true, text: file.text };
}

/** Like `readSourceText`, but fails for an empty file. */
export function readNonEmpty(files: TextFiles, path: string): SourceText {
  const source = readSourceText(files, path);
  return source.ok && source.text.trim() === '' ? { ok: false, why: 'empty' } : source;
}

/**
 * Returns the whole text of an optional file; `null` if it is missing. A symlink to a missing file does not count as
 * missing.
 */
export function readOptional(files: TextFiles, path: string): SourceText | null {
  const source = readSourceText(files, path);
  return !source.ok && source.why === 'missing' && !files.isSymlink(path) ? null : source;
}

/**
 * Returns the problem that a file cannot be used. Its position is the place where the configuration names the file
 * (default: 1:1).
 */
export function unusable(
  path: string,
  why: UnusableFile,
  { line, column }: Pick<PlacedProblem, 'line' | 'column'> = { line: 1, column: 1 },
): PlacedProblem {
  return { line, column, what: { kind: 'unusable-file', path, why } };
}

/** Returns the settings in the `onceover.yml` at the root, or the defaults if there is no such file. */
export async function loadSettings(files: TextFiles, parsedFiles: ParsedFiles): Promise<Result<Settings>> {
  const brokenConfig = (problems: readonly PlacedProblem[]) =>
    err({ kind: 'broken-config', problems: problems.map((problem) => ({ file: SETTINGS_FILE, ...problem })) });
  const source = readOptional(files, SETTINGS_FILE);
  if (source?.ok === false) return brokenConfig([unusable(SETTINGS_FILE, source.why)]);
  const text = source?.text ?? '';
  // Change this number when `Settings` changes, so that results cached by older builds are not used.
  const result = await parsedFiles.get('settings-3', text, isParsedSettings, async () =>
    (await import('./parse-settings.ts')).parseSettings(text),
  );
  return result.ok ? ok(result.settings) : brokenConfig(result.problems);
}

function isParsedSettings(value: unknown): value is ParsedSettings {
  return typeof value === 'object' && value !== null && ('settings' in value || 'problems' in value);
}

/** A cache of parsed configuration files, by content. Parsing would take most of the time of a short command. */
export type ParsedFiles = ReturnType<typeof openParsedFiles>;

const NAME = 'parsed.json';

const MOST_RESULTS = 4000;

const LARGEST_BYTES = 64 * 1024 * 1024;

/** Opens the cache in the git folder of the clone. Results of other onceover versions are ignored. */
export function openParsedFiles(commonDir: string, version: string) {
  const folder = openFolder(commonDir, 'onceover');
  const file = folder.cache(NAME, LARGEST_BYTES);
  const files = isRecord(file) && file['version'] === version ? file['files'] : null;
  const savedResults = isRecord(files) ? files : {};
  const newResults: Record<string, unknown> = {};
  return {
    /**
     * Returns the cached result for this text, if `isWhole` accepts it. Otherwise parses the text and caches the
     * result.
     */
    async get<T>(
      kind: string,
      text: string,
      isWhole: (value: unknown) => value is T,
      parse: () => Promise<T>,
    ): Promise<T> {
      const key = sha256(`${kind}\0${text}`);
      const savedResult = savedResults[key];
      if (isWhole(savedResult)) return savedResult;
      const value = await parse();
      newResults[key] = value;
      return value;
    },

    /** Writes the new results to disk. If that fails, the files only have to be parsed again. */
    save(): void {
      if (Object.keys(newResults).length === 0) return;
      const results = Object.keys(savedResults).length > MOST_RESULTS ? newResults : { ...savedResults, ...newResults };
      folder.writeCache(NAME, { version, files: results });
    },
  };
}
