import { SETTINGS_FILE } from '../../config/settings.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import { isInside } from '../../kernel/paths.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { toolWrittenGlobs } from '../detect/languages.ts';
import {
  NOTHING_FOUND,
  type PlannedFile,
  type PlannedGates,
  pathsOf,
  planNewFile,
  type SetupFacts,
  type SetupPorts,
} from '../planned-file.ts';
import { CODE_QUALITY, importedGates, importedSettings } from '../starter-settings.ts';
import type { ProjectFiles } from '../types.ts';
import { readCodeRabbit } from './coderabbit.ts';
import { CONTINUE_FOLDERS, readContinue } from './continue.ts';
import { GAUNTLET_FILE, readGauntlet } from './gauntlet.ts';
import { notYetIn, PROMPTS, planImport, promptName } from './plan.ts';
import { IMPORT_TOOLS, type ImportTool, type SourceConfig } from './types.ts';

/** The configuration of a tool: the places to look in, the files that show it, and its reader. */
type Source = {
  readonly folders: readonly string[];
  readonly files: RegExp;
  read(files: ProjectFiles, folder: string, file: string): Promise<Result<SourceConfig>>;
};

const SOURCES: Readonly<Record<ImportTool, Source>> = {
  gauntlet: { folders: ['.validator', '.gauntlet'], files: new RegExp(`^${GAUNTLET_FILE}$`), read: readGauntlet },
  coderabbit: {
    folders: [''],
    files: /^\.coderabbit\.ya?ml$/,
    read: (files, _folder, file) => readCodeRabbit(files, file),
  },
  continue: { folders: CONTINUE_FOLDERS, files: /\.md$/, read: readContinue },
};

/** Returns the tools whose configuration is in the repository. */
export async function findImportSources(files: ProjectFiles): Promise<readonly ImportTool[]> {
  const found = await Promise.all(IMPORT_TOOLS.map((tool) => findSource(files, tool)));
  return IMPORT_TOOLS.filter((_tool, i) => found[i] !== null);
}

/** Reads the configuration of a tool. */
export async function readImportSource(files: ProjectFiles, tool: ImportTool): Promise<Result<SourceConfig>> {
  const { folder, file } = (await findSource(files, tool)) ?? { folder: '', file: '' };
  return SOURCES[tool].read(files, folder, file);
}

async function findSource(files: ProjectFiles, tool: ImportTool) {
  for (const folder of SOURCES[tool].folders) {
    const listed = await files.list(folder as RepoPath);
    // A folder that cannot be listed, such as a symlink, counts as empty.
    const file = (listed.ok ? listed.value : []).find((name) => SOURCES[tool].files.test(name));
    if (file !== undefined) return { folder, file };
  }
  return null;
}

/** Plans an `onceover.yml` and the prompts that match another tool's configuration. Existing files stay unchanged. */
export async function planImportedGates(
  { files, repository }: SetupPorts,
  { agents, configured }: SetupFacts,
  source: SourceConfig,
): Promise<Result<PlannedGates>> {
  const paths = await pathsOf(repository);
  if (!paths.ok) return paths;
  const prompts = await readPrompts(files);
  if (!prompts.ok) return prompts;
  const inUse = configured.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => prompt));
  const plan = planImport(source, {
    prompts: prompts.value,
    inUse: new Set(inUse.filter((path) => path.startsWith(`${PROMPTS}/`)).map(promptName)),
    isFolder: (path) => paths.value.some((one) => one !== path && isInside(one, path)),
    toolWritten: toolWrittenGlobs(paths.value),
    standIn: CODE_QUALITY,
  });
  const planned: PlannedFile[] = [];
  for (const { path, text, isOurs } of plan.prompts) {
    const file = await planNewFile(files, path, () => text);
    if (!file.ok) return file;
    planned.push({ ...file.value, copied: !isOurs });
  }
  // The settings are written last, so that the prompts that they name exist.
  const settings = await planNewFile(files, SETTINGS_FILE, () => importedSettings(source.source, agents, plan));
  if (!settings.ok) return settings;
  const missing = settings.value.text === null ? notYetIn(plan.entries, configured) : [];
  const carried = { tool: source.tool, source: source.source, left: plan.left };
  const proposed = missing.length === 0 ? null : importedGates(missing);
  return ok({ files: [...planned, settings.value], found: { ...NOTHING_FOUND, agents, carried, proposed } });
}

/** Returns the existing prompts by name; a prompt that cannot be read is null, but keeps its name. */
async function readPrompts(files: ProjectFiles): Promise<Result<ReadonlyMap<string, string | null>>> {
  const listed = await files.list(PROMPTS as RepoPath);
  if (!listed.ok) return listed;
  const prompts = new Map<string, string | null>();
  for (const name of listed.value) {
    const read = await files.read(`${PROMPTS}/${name}` as RepoPath);
    prompts.set(promptName(name), read.ok ? read.value : null);
  }
  return ok(prompts);
}
