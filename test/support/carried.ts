import { findForeign, readForeign } from '../../src/app/foreign.ts';
import { parseSettings } from '../../src/config/parse-settings.ts';
import type { CarriedOver, ForeignTool } from '../../src/domain/carry-over.ts';
import type { Problem } from '../../src/domain/problem.ts';
import type { Settings } from '../../src/domain/settings.ts';
import { type CarryFacts, carryOver } from '../../src/plan/carry-over.ts';
import { carriedSettings } from '../../src/prompt/carried-settings.ts';
import { tellLeftOver } from '../../src/text/carry-over.ts';
import { memoryProjectFiles } from './memory/project-files.ts';

export const STAND_IN = '# Ours\n';

const FACTS: CarryFacts = {
  prompts: new Map(),
  inUse: new Set(),
  isFolder: (path) => path === 'src' || path === 'openspec/changes',
  toolWritten: [],
  standIn: STAND_IN,
};

/** What became of another tool's files. */
export type Carried = {
  readonly over: CarriedOver;
  /** The text of `onceover.yml`. */
  readonly text: string;
  /** What that says. */
  readonly settings: Settings;
  /** Prompts by the name of their file. */
  readonly prompts: Readonly<Record<string, string>>;
  readonly left: readonly string[];
};

/** Carries the files over, as `init --from` does; problems where they are broken. */
export async function carried(
  tool: ForeignTool,
  files: Readonly<Record<string, string | null>>,
  differs: Partial<CarryFacts> = {},
): Promise<Carried | readonly Problem[]> {
  const project = memoryProjectFiles(files);
  if (!(await findForeign(project)).includes(tool)) throw new Error(`${tool} is not found`);
  const read = await readForeign(project, tool);
  if (!read.ok) {
    if (read.failure.kind === 'broken-config') return read.failure.problems;
    throw new Error(JSON.stringify(read.failure));
  }
  const over = carryOver(read.value, { ...FACTS, ...differs });
  const text = carriedSettings(read.value.source, [], over);
  const parsed = parseSettings(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.problems)}\n${text}`);
  return {
    over,
    text,
    settings: parsed.settings,
    prompts: Object.fromEntries(over.prompts.map((one) => [one.path.replace('.onceover/reviews/', ''), one.text])),
    left: over.left.map(tellLeftOver),
  };
}

/** The same for files that are in order. */
export async function carriedWell(...given: Parameters<typeof carried>): Promise<Carried> {
  const outcome = await carried(...given);
  if ('over' in outcome) return outcome;
  throw new Error(JSON.stringify(outcome));
}

/** The problems of files that are broken, as `file:line:column kind`. */
export async function problemsOf(...given: Parameters<typeof carried>): Promise<readonly string[]> {
  const outcome = await carried(...given);
  if ('over' in outcome) throw new Error(outcome.text);
  return outcome.map(({ file, line, column, what }) => `${file}:${line}:${column} ${what.kind}`);
}
