import { done, failed, type Result } from '../domain/result.ts';
import type { Settings } from '../domain/settings.ts';
import { SETTINGS_FILE } from '../domain/settings.ts';
import type { TextFiles } from '../io/text-files.ts';
import type { ParsedSettings } from './parse-settings.ts';
import type { ParsedFiles } from './parsed-files.ts';
import { readOptional, unusable } from './whole-text.ts';
import type { PlacedProblem } from './yaml-file.ts';

/** Reads `onceover.yml` at the root; without one, the defaults. */
export async function loadSettings(files: TextFiles, parsed: ParsedFiles): Promise<Result<Settings>> {
  const broken = (problems: readonly PlacedProblem[]) =>
    failed({ kind: 'broken-config', problems: problems.map((problem) => ({ file: SETTINGS_FILE, ...problem })) });
  const read = readOptional(files, SETTINGS_FILE);
  if (read?.ok === false) return broken([unusable(SETTINGS_FILE, read.why)]);
  const text = read?.text ?? '';
  const said = await parsed.get('settings', text, isParsedSettings, async () =>
    (await import('./parse-settings.ts')).parseSettings(text),
  );
  return said.ok ? done(said.settings) : broken(said.problems);
}

function isParsedSettings(value: unknown): value is ParsedSettings {
  return typeof value === 'object' && value !== null && ('settings' in value || 'problems' in value);
}
