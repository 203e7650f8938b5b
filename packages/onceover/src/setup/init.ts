import { knownAgents } from '@onceover/agents/adapters/installed';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Repository, RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { ownCommand, ownProgram } from '@onceover/base/platform/own-program';
import { SETTINGS_FILE, type Settings } from '@onceover/repo/config/settings';
import { addHookEntry, addMcpEntry, hookFile } from './agent-config.ts';
import codeQuality from './code-quality.md';
import { checkCommands, isCheckSource } from './detect/checks.ts';
import { packagePaths, type RootFiles } from './detect/scripts.ts';
import { chooseTool, findImportSources, planImportedGates } from './import/import.ts';
import type { ImportTool } from './import/types.ts';
import { openInitManifest } from './own-files.ts';
import {
  newFile,
  openProjectFiles,
  type ProjectFiles,
  type SetupFacts,
  type WantedFile,
  type WantedGates,
} from './project-files.ts';
import { starterRules } from './starter-rules.ts';
import { starterGates, starterSettings, toolWrittenGlobs } from './starter-settings.ts';
import { CODE_QUALITY_FILE, type HookAgent, MCP_FILE, RULES_FILE, type SetupOutcome, type SetupStep } from './types.ts';

/** The parts that `init` is asked to set up. */
export type SetupOptions = {
  readonly gates: boolean;
  /** The tool to import from; 'any' for the only tool that has a configuration here, null to import nothing. */
  readonly from: ImportTool | 'any' | null;
  readonly rules: boolean;
  readonly mcp: boolean;
  readonly hook: HookAgent | null;
  /** Whether to set up the sharing of passes with other clones. Default: no. */
  readonly passes?: boolean;
};

/** A file that `init` will write or leave as it is. `text` is the new text; null if the file is not changed. */
type PlannedFile = Omit<SetupStep, 'ignored'> & { readonly text: string | null };

type Project = { readonly place: RepositoryPaths; readonly repository: Repository; readonly settings: Settings };

/** Writes the requested files and adds entries to JSON files. If one of the changes is not possible, makes none. */
export async function setupProject(project: Project, options: SetupOptions): Promise<Result<SetupOutcome>> {
  const { place, repository, settings } = project;
  const files = openProjectFiles(place.root);
  const { hook } = options;
  const listingResult = await repository.listing();
  if (!listingResult.ok) return listingResult;
  const { listing, deleted } = listingResult.value;
  const deletedPaths = new Set(deleted);
  const paths = [...listing.tracked, ...listing.untracked].filter((path) => !deletedPaths.has(path));
  const gates = options.gates ? await planGates(files, project, paths, options.from) : ok(null);
  if (!gates.ok) return gates;
  const sharing =
    options.passes === true ? await (await import('./share-passes.ts')).planSharing(place.root, settings) : ok([]);
  if (!sharing.ok) return sharing;
  const program = ownProgram(place.root, process);
  const wantedFiles: readonly WantedFile[] = [
    ...(gates.value?.files ?? []),
    ...sharing.value,
    ...(options.rules ? [newFile(RULES_FILE, starterRules(paths))] : []),
    ...(options.mcp ? [{ path: MCP_FILE, change: (present: string | null) => addMcpEntry(present, program) }] : []),
    ...(hook === null
      ? []
      : [{ path: hookFile(hook), change: (present: string | null) => addHookEntry(hook, present, program) }]),
  ];
  const plan: PlannedFile[] = [];
  for (const { path, change } of wantedFiles) {
    const present = await files.read(path);
    if (!present.ok) return present;
    const edit = change(present.value);
    if (edit.kind === 'unreadable') return err({ kind: 'unreadable-json', path, said: edit.said });
    const did = edit.kind === 'leave' ? 'left' : present.value === null ? 'written' : 'extended';
    plan.push({ path, did, added: null, text: null, ...edit });
  }
  // Ignore a failure of git here, because the next run reports it.
  const before = gates.value === null ? null : await repository.changes(settings.base);
  const isClean = before?.ok === true && before.value.changed.length + before.value.deleted.length === 0;
  const manifest = openInitManifest(place.commonDir);
  const steps: SetupStep[] = [];
  for (const { path, did, added, text } of plan) {
    const writeResult = text === null ? ok(undefined) : await files.write(path, text);
    if (!writeResult.ok) return writeResult;
    const ignoreResult = await repository.ignores(path);
    if (!ignoreResult.ok) return ignoreResult;
    // If the list of written files cannot be updated, continue: "init --remove" then treats the file as if the user had
    // written it.
    if (did === 'written' && text !== null) manifest.note(path, text);
    steps.push({ path, did, added, ignored: ignoreResult.value });
  }
  const isAllNew = isClean && steps.some(({ added }) => added !== null);
  const base = before?.ok === true ? (before.value.base?.name ?? null) : null;
  const isEntry = ({ path, added }: SetupStep) => added !== null && path.endsWith('.json');
  const byPath = program[0] === process.execPath && steps.some(isEntry);
  const command = ownCommand(place.root, process);
  const sharesPasses = options.passes === true;
  return ok({
    steps,
    gates: gates.value && { ...gates.value.found, isAllNew, base },
    hook,
    sharesPasses,
    byPath,
    command,
  });
}

async function planGates(
  files: ProjectFiles,
  { place, settings }: Project,
  paths: readonly RepoPath[],
  from: SetupOptions['from'],
): Promise<Result<WantedGates>> {
  const agents = (await knownAgents(settings.agent, process.env, place.root))
    .filter(({ program }) => program !== null)
    .map(({ agent }) => agent.name);
  const settingsFile = await files.read(SETTINGS_FILE);
  if (!settingsFile.ok) return settingsFile;
  const facts = { agents, configured: settingsFile.value === null ? null : settings.gates, paths };
  const importTools = await findImportSources(files);
  if (from === null) return ok(planStarterGates(facts, importTools, await rootFiles(files, paths)));
  const tool = chooseTool(from, importTools);
  return tool.ok ? planImportedGates(files, facts, tool.value) : tool;
}

/** Plans a first `onceover.yml` and its prompt. An existing `onceover.yml` stays unchanged. */
function planStarterGates(
  { agents, configured, paths }: SetupFacts,
  importTools: readonly ImportTool[],
  root: RootFiles,
): WantedGates {
  const { checks, passedOver } = checkCommands(root);
  const starter = { checks, exclude: toolWrittenGlobs(paths), packages: packagePaths(root) };
  // The settings are written last. Otherwise they could name a prompt that does not exist yet.
  const starterFiles = [
    newFile(CODE_QUALITY_FILE, codeQuality),
    newFile(SETTINGS_FILE, starterSettings(agents, starter)),
  ];
  if (configured !== null && configured.length > 0) {
    const present = starterFiles.filter(({ path }) => path === SETTINGS_FILE || paths.includes(path));
    return { files: present, found: { agents } };
  }
  const proposal = configured === null ? null : starterGates(starter);
  return { files: starterFiles, found: { agents, passedOver, others: importTools, proposed: proposal } };
}

const LONGEST_SOURCE = 256 * 1024;

const MOST_PACKAGES = 200;

// Reads the files at the root that may contain commands. Leaves out unreadable ones, so that `init` proposes no checks
// from them; the project's own tools report such files.
async function rootFiles(files: ProjectFiles, paths: readonly RepoPath[]): Promise<RootFiles> {
  const names = new Set(paths.filter((path) => !path.includes('/')));
  const packages = paths.filter((path) => path.endsWith('/package.json')).slice(0, MOST_PACKAGES);
  const texts = new Map<string, string>();
  for (const path of [...[...names].filter(isCheckSource), ...packages]) {
    const content = await files.read(path);
    if (content.ok && content.value !== null && content.value.length <= LONGEST_SOURCE) texts.set(path, content.value);
  }
  return { names, texts };
}
