import { parseSettings } from '../../src/config/parse-settings.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { Problem } from '../../src/kernel/failure.ts';
import { describeNotImported } from '../../src/setup/import/describe.ts';
import { findImportSources, readImportSource } from '../../src/setup/import/import.ts';
import { type ImportFacts, planImport } from '../../src/setup/import/plan.ts';
import type { ImportPlan, ImportTool } from '../../src/setup/import/types.ts';
import { importedSettings } from '../../src/setup/starter-settings.ts';
import { memoryProjectFiles } from './memory/project-files.ts';

export const STAND_IN = '# Ours\n';

const FACTS: ImportFacts = {
  prompts: new Map(),
  inUse: new Set(),
  isFolder: (path) => path === 'src' || path === 'openspec/changes',
  toolWritten: [],
  standIn: STAND_IN,
};

/** The result of an import. */
export type Carried = {
  readonly over: ImportPlan;
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
  const over = planImport(read.value, { ...FACTS, ...differs });
  const text = importedSettings(read.value.source, [], over);
  const parsed = parseSettings(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.problems)}\n${text}`);
  return {
    over,
    text,
    settings: parsed.settings,
    prompts: Object.fromEntries(over.prompts.map((one) => [one.path.replace('.onceover/reviews/', ''), one.text])),
    left: over.left.map(describeNotImported),
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
