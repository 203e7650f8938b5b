import { knownAgents } from '../agents/installed.ts';
import { SETTINGS_FILE, type Settings } from '../config/settings.ts';
import type { RepoPath } from '../kernel/ids.ts';
import type { Repository, RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { ownCommand, ownProgram } from '../platform/own-program.ts';
import { addHookEntry, addMcpEntry, hookFile, type JsonChange } from './agent-config.ts';
import codeQuality from './code-quality.md';
import { checkCommands, isCheckSource } from './detect/checks.ts';
import type { RootFiles } from './detect/scripts.ts';
import { chooseTool, findImportSources, planImportedGates } from './import/import.ts';
import type { ImportTool } from './import/types.ts';
import { openInitManifest } from './own-files.ts';
import {
  NOTHING_FOUND,
  openProjectFiles,
  type PlannedFile,
  type PlannedGates,
  type ProjectFiles,
  planNewFile,
  type SetupFacts,
} from './project-files.ts';
import { starterRules } from './starter-rules.ts';
import { starterGates, starterSettings, toolWrittenGlobs } from './starter-settings.ts';
import { CODE_QUALITY_FILE, type HookAgent, MCP_FILE, RULES_FILE, type SetupOutcome, type SetupStep } from './types.ts';

/** The parts that `init` sets up. */
export type SetupOptions = {
  readonly gates: boolean;
  /** The tool to import from; 'any' for the only tool that has a configuration here, null to import nothing. */
  readonly from: ImportTool | 'any' | null;
  readonly rules: boolean;
  readonly mcp: boolean;
  readonly hook: HookAgent | null;
};

type Project = { readonly place: RepositoryPaths; readonly repository: Repository; readonly settings: Settings };

/**
 * Writes the requested files and adds entries to existing JSON files. If one change cannot be planned, none is made.
 */
export async function setupProject(project: Project, options: SetupOptions): Promise<Result<SetupOutcome>> {
  const { place, repository, settings } = project;
  const files = openProjectFiles(place.root);
  const { hook } = options;
  const listed = await repository.listing();
  if (!listed.ok) return listed;
  const { listing, deleted } = listed.value;
  const gone = new Set(deleted);
  const paths = [...listing.tracked, ...listing.untracked].filter((path) => !gone.has(path));
  const gates = options.gates ? await planGates(files, project, paths, options.from) : ok(null);
  if (!gates.ok) return gates;
  const program = ownProgram(place.root, process);
  const planned = await Promise.all([
    ...(gates.value?.files ?? []).map((file) => ok(file)),
    ...(options.rules ? [planNewFile(files, RULES_FILE, starterRules(paths))] : []),
    ...(options.mcp ? [planJson(files, MCP_FILE, (present) => addMcpEntry(present, program))] : []),
    ...(hook === null ? [] : [planJson(files, hookFile(hook), (present) => addHookEntry(hook, present, program))]),
  ]);
  const failed = planned.find((file) => !file.ok);
  if (failed !== undefined) return failed;
  const manifest = openInitManifest(place.commonDir);
  const steps: SetupStep[] = [];
  for (const { text, ...step } of planned.flatMap((file) => (file.ok ? [file.value] : []))) {
    const written = text === null ? ok(undefined) : await files.write(step.path, text);
    if (!written.ok) return written;
    const ignored = await repository.ignores(step.path);
    if (!ignored.ok) return ignored;
    // If the manifest cannot be written, go on: "init --remove" then keeps the file, as if the user had written it.
    if (step.did === 'written' && text !== null) manifest.note(step.path, text);
    steps.push({ ...step, ignored: ignored.value });
  }
  const isAllNew = gates.value !== null && (await isOnlyChange(repository, settings.base, steps));
  const isEntry = ({ path, added }: SetupStep) => added !== null && path.endsWith('.json');
  const byPath = program[0] === process.execPath && steps.some(isEntry);
  const command = ownCommand(place.root, process);
  return ok({ steps, gates: gates.value && { ...gates.value.found, isAllNew }, hook, byPath, command });
}

// Returns false if git cannot list the changes, because the next run reports that error.
async function isOnlyChange(
  repository: Repository,
  base: string | null,
  steps: readonly SetupStep[],
): Promise<boolean> {
  const changes = await repository.changes(base);
  if (!changes.ok || changes.value.deleted.length > 0) return false;
  const own = new Set(steps.map(({ path }) => path));
  return changes.value.changed.length > 0 && changes.value.changed.every((path) => own.has(path));
}

async function planGates(
  files: ProjectFiles,
  { place, settings }: Project,
  paths: readonly RepoPath[],
  from: SetupOptions['from'],
): Promise<Result<PlannedGates>> {
  const agents = (await knownAgents(settings.agent, process.env, place.root))
    .filter(({ program }) => program !== null)
    .map(({ agent }) => agent.name);
  const facts = { agents, configured: settings.gates, paths };
  const others = await findImportSources(files);
  if (from === null) return planStarterGates(files, facts, others);
  const tool = chooseTool(from, others);
  return tool.ok ? planImportedGates(files, facts, tool.value) : tool;
}

/** Plans a first `onceover.yml` and its prompt. An existing `onceover.yml` stays unchanged. */
async function planStarterGates(
  files: ProjectFiles,
  { agents, configured, paths }: SetupFacts,
  others: readonly ImportTool[],
): Promise<Result<PlannedGates>> {
  const { checks, passedOver } = checkCommands(await rootFiles(files, paths));
  const starter = { checks, exclude: toolWrittenGlobs(paths), prompt: CODE_QUALITY_FILE };
  const prompt = await planNewFile(files, CODE_QUALITY_FILE, codeQuality);
  if (!prompt.ok) return prompt;
  const settings = await planNewFile(files, SETTINGS_FILE, starterSettings(agents, starter));
  if (!settings.ok) return settings;
  // The settings are written last, so that they never name a prompt that does not exist yet.
  const planned = [prompt.value, settings.value];
  if (configured.length > 0) {
    const present = planned.filter(({ text }) => text === null);
    return ok({ files: present, found: { ...NOTHING_FOUND, agents } });
  }
  const proposed = settings.value.text === null ? starterGates(starter) : null;
  return ok({ files: planned, found: { ...NOTHING_FOUND, agents, passedOver, others, proposed } });
}

const LONGEST_SOURCE = 256 * 1024;

const MOST_PACKAGES = 200;

// Skips files that cannot be read, as if they named no command, because the project's own tools report such problems.
async function rootFiles(files: ProjectFiles, paths: readonly RepoPath[]): Promise<RootFiles> {
  const names = new Set(paths.filter((path) => !path.includes('/')));
  const packages = paths.filter((path) => path.endsWith('/package.json')).slice(0, MOST_PACKAGES);
  const texts = new Map<string, string>();
  for (const path of [...[...names].filter(isCheckSource), ...packages]) {
    const read = await files.read(path);
    if (read.ok && read.value !== null && read.value.length <= LONGEST_SOURCE) texts.set(path, read.value);
  }
  return { names, texts };
}

/** Plans a change of an agent's JSON settings file. All other entries in the file are kept. */
async function planJson(
  files: ProjectFiles,
  path: RepoPath,
  change: (present: string | null) => JsonChange,
): Promise<Result<PlannedFile>> {
  const present = await files.read(path);
  if (!present.ok) return present;
  const changed = change(present.value);
  if (changed.kind === 'unreadable') return err({ kind: 'unreadable-json', path, said: changed.said });
  if (changed.kind === 'leave') return ok({ path, did: 'left', added: null, text: null });
  const did = present.value === null ? 'written' : 'extended';
  return ok({ path, did, added: changed.added, text: changed.text });
}
