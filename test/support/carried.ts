import type { Problem } from '@onceover/base/kernel/failure';
import codeQuality from '@onceover/onceover/src/setup/code-quality.md';
import { findImportSources, readImportSource } from '@onceover/onceover/src/setup/import/import.ts';
import { type ImportFacts, planImport } from '@onceover/onceover/src/setup/import/plan.ts';
import type { ImportTool } from '@onceover/onceover/src/setup/import/types.ts';
import { importedSettings } from '@onceover/onceover/src/setup/starter-settings.ts';
import type { Settings } from '@onceover/repo/config/settings';
import { parseSettings } from '@onceover/repo/src/config/parse-settings.ts';
import { memoryProjectFiles } from './memory/project-files.ts';

/** The prompt that replaces built-in prompts of other tools. */
export const STAND_IN = codeQuality;

const FACTS: ImportFacts = {
  prompts: new Map(),
  inUse: new Set(),
  isFolder: (path) => path === 'src' || path === 'openspec/changes',
  toolWritten: [],
};

/** The result of an import. */
export type Carried = {
  readonly over: ReturnType<typeof planImport>;
  /** The text of `onceover.yml`. */
  readonly text: string;
  /** The parsed text. */
  readonly settings: Settings;
  /** Prompts by the name of their file. */
  readonly prompts: Readonly<Record<string, string>>;
  readonly left: readonly string[];
};

/** Imports the files as `init --from` does; returns the problems of broken files. */
export async function carried(
  tool: ImportTool,
  files: Readonly<Record<string, string | null>>,
  differs: Partial<ImportFacts> = {},
): Promise<Carried | readonly Problem[]> {
  const project = memoryProjectFiles(files);
  if (!(await findImportSources(project)).includes(tool)) throw new Error(`${tool} is not found`);
  const read = await readImportSource(project, tool);
  if (!read.ok) {
    if (read.failure.kind === 'broken-config') return read.failure.problems;
    throw new Error(JSON.stringify(read.failure));
  }
  const { source, notes } = read.value;
  const over = planImport(source, notes, { ...FACTS, ...differs });
  const text = importedSettings(source, [], over.entries);
  const parsed = parseSettings(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.problems)}\n${text}`);
  return {
    over,
    text,
    settings: parsed.settings,
    prompts: Object.fromEntries(over.prompts.map((one) => [one.path.replace('.onceover/reviews/', ''), one.text])),
    left: over.left,
  };
}

/** Imports files that have no problems. */
export async function carriedWell(...given: Parameters<typeof carried>): Promise<Carried> {
  const outcome = await carried(...given);
  if ('over' in outcome) return outcome;
  throw new Error(JSON.stringify(outcome));
}

/** Returns the problems of broken files as `file:line:column kind`. */
export async function problemsOf(...given: Parameters<typeof carried>): Promise<readonly string[]> {
  const outcome = await carried(...given);
  if ('over' in outcome) throw new Error(outcome.text);
  return outcome.map(({ file, line, column, what }) => `${file}:${line}:${column} ${what.kind}`);
}
