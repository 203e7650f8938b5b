import type { RepoPath } from '../domain/brand.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Settings } from '../domain/settings.ts';
import type { TextFiles } from '../io/text-files.ts';
import type { ParsedSettings } from './parse-settings.ts';
import type { ParsedFiles } from './parsed-files.ts';

const SETTINGS_FILE = 'onceover.yml' as RepoPath;

const LONGEST_FILE = 1024 * 1024;

/** Reads `onceover.yml` at the root; without one, the defaults. */
export async function loadSettings(files: TextFiles, parsed: ParsedFiles): Promise<Result<Settings>> {
  const read = files.read(SETTINGS_FILE, LONGEST_FILE);
  if (read.kind === 'unusable' && (read.why !== 'missing' || files.isSymlink(SETTINGS_FILE))) {
    return unusable(read.why === 'binary' ? 'not-utf8' : read.why);
  }
  if (read.kind === 'text' && read.cut) return unusable('too-large');
  const text = read.kind === 'text' ? read.text : '';
  const said = await parsed.get('settings', text, isParsedSettings, async () =>
    (await import('./parse-settings.ts')).parseSettings(text),
  );
  if (said.ok) return done(said.settings);
  return failed({
    kind: 'broken-config',
    problems: said.problems.map((problem) => ({ file: SETTINGS_FILE, ...problem })),
  });
}

function isParsedSettings(value: unknown): value is ParsedSettings {
  return typeof value === 'object' && value !== null && ('settings' in value || 'problems' in value);
}

function unusable(why: 'not-a-file' | 'outside' | 'not-utf8' | 'too-large' | 'empty' | 'unreadable' | 'missing') {
  const what = { kind: 'unusable-file', path: SETTINGS_FILE, why } as const;
  return failed({ kind: 'broken-config', problems: [{ file: SETTINGS_FILE, line: 1, column: 1, what }] });
}
