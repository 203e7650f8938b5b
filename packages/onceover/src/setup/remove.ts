import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Repository, RepositoryPaths } from '@onceover/base/kernel/repository';
import { forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import { SETTINGS_FILE } from '@onceover/repo/config/settings';
import { hookFile, removeHookEntry, removeMcpEntry } from './agent-config.ts';
import codeQuality from './code-quality.md';
import { openInitManifest, openOwnFiles } from './own-files.ts';
import { openProjectFiles, type ProjectFiles } from './project-files.ts';
import {
  CODE_QUALITY_FILE,
  HOOK_AGENTS,
  type KeptFile,
  MCP_FILE,
  type Removal,
  type RemovedItem,
  RULES_FILE,
} from './types.ts';

/** A file that `init` wrote, or could have written in another clone. */
export type FoundFile = {
  readonly path: RepoPath;
  /** The text of the file; null if it cannot be read. */
  readonly text: string | null;
  /** Whether the text is the one that `init` wrote. */
  readonly isUnchanged: boolean;
};

/** Settings files of agents. Other tools can have entries in them too. */
const SHARED_FILES: readonly RepoPath[] = [MCP_FILE, ...HOOK_AGENTS.map(hookFile)];

/**
 * Plans which files to remove: those that are unchanged since `init` wrote them. Edited files stay, each with the
 * reason.
 */
export function planRemoval(files: readonly FoundFile[]): Omit<Removal, 'removed'> {
  const settings = files.find(({ path }) => path === SETTINGS_FILE);
  const plans = files.map((file): RemovedItem | KeptFile | null => {
    const { path, isUnchanged } = file;
    if (SHARED_FILES.includes(path)) return planEntry(file);
    if (!isUnchanged) return { path, why: 'yours' };
    // An edited onceover.yml stays, so keep the prompts that it uses.
    const isUsed = settings?.isUnchanged === false && settings.text?.includes(path) === true;
    return isUsed ? { path, why: 'named' } : { kind: 'file', path, count: 1, rest: null };
  });
  return {
    taken: plans.filter((plan) => plan !== null && 'kind' in plan),
    left: plans.filter((plan) => plan !== null && 'why' in plan),
  };
}

function planEntry({ path, text }: FoundFile): RemovedItem | KeptFile | null {
  if (text === null) return null;
  const agent = HOOK_AGENTS.find((candidate) => hookFile(candidate) === path);
  const change = agent === undefined ? removeMcpEntry(text) : removeHookEntry(agent, text);
  if (change.kind !== 'write') {
    return change.kind === 'unreadable' && text.includes('onceover') ? { path, why: 'unreadable' } : null;
  }
  return { kind: agent === undefined ? 'server' : 'hook', path, count: 1, rest: change.text || null };
}

type Project = { readonly place: RepositoryPaths; readonly repository: Repository; readonly logDir: RepoPath };

/** Removes the files and git refs that onceover wrote in this clone. With `dryRun`, only lists them. */
export async function removeProject(
  { place, repository, logDir }: Project,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Result<Removal>> {
  const listing = await repository.listing();
  if (!listing.ok) return listing;
  const files = openProjectFiles(place.root);
  const ownFiles = openOwnFiles(place, logDir, new Set<string>(listing.value.listing.tracked));
  const { taken, left } = planRemoval(await findFiles(files, place.commonDir));
  const ownItems = await ownFiles.find();
  if (!ownItems.ok) return ownItems;
  const removal = { removed: !dryRun, taken: [...taken, ...ownItems.value], left };
  if (dryRun) return ok(removal);
  // Do this before anything else is removed: it fails while a run is in progress, and then every file has to stay.
  const removalResult = await ownFiles.remove();
  if (!removalResult.ok) return removalResult;
  const changeResult = await forEachOk(taken, ({ path, rest = null }) =>
    rest === null ? files.remove(path as RepoPath) : files.write(path as RepoPath, rest),
  );
  return changeResult.ok ? ok(removal) : changeResult;
}

/** Returns the files that `init` can have written, in this clone or in another one. */
async function findFiles(files: ProjectFiles, commonDir: string): Promise<readonly FoundFile[]> {
  const manifest = openInitManifest(commonDir);
  const usual = [SETTINGS_FILE, CODE_QUALITY_FILE, RULES_FILE, ...SHARED_FILES];
  const presentFiles: FoundFile[] = [];
  for (const path of new Set([...usual, ...manifest.paths()])) {
    const content = await files.read(path);
    // Skip the file only if it is missing. If it is unreadable, its text is null, so that it is kept.
    const text = content.ok ? content.value : null;
    if (content.ok && text === null) continue;
    const isStarter = path === CODE_QUALITY_FILE && text === codeQuality;
    presentFiles.push({ path, text, isUnchanged: text !== null && (isStarter || manifest.has(path, text)) });
  }
  return presentFiles;
}
