import type { RepoPath } from '@onceover/base/kernel/ids';
import { isInside } from '@onceover/base/kernel/paths';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { SETTINGS_FILE } from '@onceover/repo/config/settings';
import { newFile, type ProjectFiles, type SetupFacts, type WantedGates } from '../project-files.ts';
import { importedGates, importedSettings, toolWrittenGlobs } from '../starter-settings.ts';
import { readCodeRabbit } from './coderabbit.ts';
import { CONTINUE_FOLDERS, readContinue } from './continue.ts';
import { GAUNTLET_FILE, readGauntlet } from './gauntlet.ts';
import { notYetIn, PROMPTS, planImport, promptName } from './plan.ts';
import { openSourceReader, type SourceReader } from './source-reader.ts';
import { IMPORT_TOOLS, type ImportNote, type ImportTool, type SourceConfig, TOOL_NAMES } from './types.ts';

/** The places where the configuration of a tool can be: the folders to search, and the names of the files in them. */
type Source = {
  readonly folders: readonly string[];
  readonly files: RegExp;
  read(reader: SourceReader, folder: string, file: string): Promise<SourceConfig | null>;
};

const SOURCES: Readonly<Record<ImportTool, Source>> = {
  gauntlet: { folders: ['.validator', '.gauntlet'], files: new RegExp(`^${GAUNTLET_FILE}$`), read: readGauntlet },
  coderabbit: {
    folders: [''],
    files: /^\.coderabbit\.ya?ml$/,
    read: (reader, _folder, file) => readCodeRabbit(reader, file),
  },
  continue: { folders: CONTINUE_FOLDERS, files: /\.md$/, read: readContinue },
};

/** Returns the tools that have a configuration in this repository. */
export async function findImportSources(files: ProjectFiles): Promise<readonly ImportTool[]> {
  const sources = await Promise.all(IMPORT_TOOLS.map((tool) => findSource(files, tool)));
  return IMPORT_TOOLS.filter((_tool, i) => sources[i] !== null);
}

async function findSource(files: ProjectFiles, tool: ImportTool) {
  for (const folder of SOURCES[tool].folders) {
    const listing = await files.list(folder as RepoPath);
    // A folder that cannot be listed, for example because it is a symlink, counts as empty.
    const file = (listing.ok ? listing.value : []).find((name) => SOURCES[tool].files.test(name));
    if (file !== undefined) return { folder, file };
  }
  return null;
}

/** Returns the configuration of a tool, with notes about the parts that are not imported. */
export async function readImportSource(
  files: ProjectFiles,
  tool: ImportTool,
): Promise<Result<{ readonly source: SourceConfig; readonly notes: readonly ImportNote[] }>> {
  const { folder, file } = (await findSource(files, tool)) ?? { folder: '', file: '' };
  const reader = openSourceReader(files);
  const source = await SOURCES[tool].read(reader, folder, file);
  const notes = reader.finish();
  if (!notes.ok) return notes;
  if (source === null) throw new Error('the configuration was not read, but no problem was reported');
  return ok({ source, notes: notes.value });
}

/** Returns the tool from which to import. With 'any', exactly one tool must have a configuration here. */
export function chooseTool(choice: ImportTool | 'any', tools: readonly ImportTool[]): Result<ImportTool> {
  const usage = (message: string) => err({ kind: 'wrong-usage', said: message, command: 'init' });
  const [tool, ...otherTools] = choice === 'any' ? tools : [choice];
  if (tool === undefined || !tools.includes(tool)) {
    const places = (tool === undefined ? IMPORT_TOOLS : [tool]).map((name) => TOOL_NAMES[name][1]);
    const verb = places.length === 1 ? 'does' : 'do';
    return usage(`There is nothing to import: ${places.join(', ')} ${verb} not exist here.`);
  }
  if (otherTools.length === 0) return ok(tool);
  const choices = tools.map((name) => `--from ${name} (${TOOL_NAMES[name][0]})`);
  return usage(`More than one configuration can be imported. Choose one: ${choices.join(', ')}.`);
}

/**
 * Plans the `onceover.yml` and the prompts that replace the configuration of another tool. Existing files are not
 * changed.
 */
export async function planImportedGates(
  files: ProjectFiles,
  { agents, configured, paths }: SetupFacts,
  tool: ImportTool,
): Promise<Result<WantedGates>> {
  const sourceResult = await readImportSource(files, tool);
  if (!sourceResult.ok) return sourceResult;
  const { source, notes } = sourceResult.value;
  const prompts = await readPrompts(files);
  if (!prompts.ok) return prompts;
  const inUse = (configured ?? []).flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => prompt));
  const plan = planImport(source, notes, {
    prompts: prompts.value,
    inUse: new Set(inUse.filter((path) => path.startsWith(`${PROMPTS}/`)).map(promptName)),
    isFolder: (path) => paths.some((candidate) => candidate !== path && isInside(candidate, path)),
    toolWritten: toolWrittenGlobs(paths),
  });
  const newFiles = [
    ...plan.prompts.map(({ path, text }) => newFile(path, text)),
    // The settings are written last. Otherwise they could name a prompt that does not exist yet.
    newFile(SETTINGS_FILE, importedSettings(source, agents, plan.entries)),
  ];
  const missing = configured === null ? [] : notYetIn(plan.entries, configured);
  const carryOver = { tool, source: source.source, left: plan.left };
  const proposal = missing.length === 0 ? null : importedGates(missing);
  return ok({ files: newFiles, found: { agents, carried: carryOver, proposed: proposal } });
}

/**
 * Returns the texts of existing prompts, by name. An unreadable prompt has the text null, so that its name is not used
 * again.
 */
async function readPrompts(files: ProjectFiles): Promise<Result<ReadonlyMap<string, string | null>>> {
  const listing = await files.list(PROMPTS as RepoPath);
  if (!listing.ok) return listing;
  const prompts = new Map<string, string | null>();
  for (const name of listing.value) {
    const prompt = await files.read(`${PROMPTS}/${name}` as RepoPath);
    prompts.set(promptName(name), prompt.ok ? prompt.value : null);
  }
  return ok(prompts);
}
