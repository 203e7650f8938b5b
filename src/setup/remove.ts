import { SETTINGS_FILE } from '../config/settings.ts';
import type { RepoPath } from '../kernel/ids.ts';
import type { Repository, RepositoryPaths } from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import { hookFile, removeHookEntry, removeMcpEntry } from './agent-config.ts';
import codeQuality from './code-quality.md';
import { type InitManifest, type OwnFiles, openInitManifest, openOwnFiles } from './own-files.ts';
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
  readonly tracked: boolean;
};

/** Files of agents in which other tools can have entries too. */
const SHARED_FILES: readonly RepoPath[] = [MCP_FILE, ...HOOK_AGENTS.map(hookFile)];

/** Plans the removal: files that are unchanged since `init` wrote them go; edited files stay, each with the reason. */
export function planRemoval(found: readonly FoundFile[]): Omit<Removal, 'isDone'> {
  const settings = found.find(({ path }) => path === SETTINGS_FILE);
  const plans = found.map((file): RemovedItem | KeptFile | null => {
    const { path, isUnchanged, tracked } = file;
    if (SHARED_FILES.includes(path)) return planEntry(file);
    if (!isUnchanged) return { path, why: 'yours' };
    // An edited onceover.yml stays, so keep the prompts that it uses.
    const isUsed = settings?.isUnchanged === false && settings.text?.includes(path) === true;
    return isUsed ? { path, why: 'named' } : { kind: 'file', path, count: 1, rest: null, tracked };
  });
  return {
    taken: plans.filter((plan) => plan !== null && 'kind' in plan),
    left: plans.filter((plan) => plan !== null && 'why' in plan),
  };
}

function planEntry({ path, text, tracked }: FoundFile): RemovedItem | KeptFile | null {
  if (text === null) return null;
  const agent = HOOK_AGENTS.find((one) => hookFile(one) === path);
  const change = agent === undefined ? removeMcpEntry(text) : removeHookEntry(agent, text);
  if (change.kind !== 'write') {
    return change.kind === 'unreadable' && text.includes('onceover') ? { path, why: 'unreadable' } : null;
  }
  return { kind: agent === undefined ? 'server' : 'hook', path, count: 1, rest: change.text || null, tracked };
}

type RemovalPorts = {
  readonly files: ProjectFiles;
  readonly tracked: ReadonlySet<string>;
  readonly ownFiles: OwnFiles;
  readonly manifest: Pick<InitManifest, 'has' | 'paths'>;
};

type RemovalOptions = { readonly isDone: boolean };

/** Removes the files and refs that onceover wrote. With `isDone: false`, only lists them. */
export async function removeOwnFiles(ports: RemovalPorts, { isDone }: RemovalOptions): Promise<Result<Removal>> {
  const { taken, left } = planRemoval(await findFiles(ports));
  const own = await ports.ownFiles.find();
  if (!own.ok) return own;
  const removal = { isDone, taken: [...taken, ...own.value], left };
  if (!isDone) return ok(removal);
  // Do this first, because it fails while a run is active, and then no file must have been removed.
  const removed = await ports.ownFiles.remove();
  if (!removed.ok) return removed;
  for (const { path, rest = null } of taken) {
    const changed = await (rest === null
      ? ports.files.remove(path as RepoPath)
      : ports.files.write(path as RepoPath, rest));
    if (!changed.ok) return changed;
  }
  return ok(removal);
}

async function findFiles({ files, tracked, manifest }: RemovalPorts): Promise<readonly FoundFile[]> {
  const usual = [SETTINGS_FILE, CODE_QUALITY_FILE, RULES_FILE, ...SHARED_FILES];
  const found: FoundFile[] = [];
  for (const path of new Set([...usual, ...manifest.paths()])) {
    const read = await files.read(path);
    // A file that cannot be read exists, so list it among the files that stay.
    const text = read.ok ? read.value : null;
    if (read.ok && text === null) continue;
    const isStarter = path === CODE_QUALITY_FILE && text === codeQuality;
    const isUnchanged = text !== null && (isStarter || manifest.has(path, text));
    found.push({ path, text, isUnchanged, tracked: tracked.has(path) });
  }
  return found;
}

type Project = { readonly place: RepositoryPaths; readonly repository: Repository; readonly logDir: RepoPath };

/** Removes the files and refs that onceover wrote in this clone. With `isDone: false`, only lists them. */
export async function removeProject(
  { place, repository, logDir }: Project,
  options: RemovalOptions,
): Promise<Result<Removal>> {
  const listed = await repository.listing();
  if (!listed.ok) return listed;
  const tracked = new Set<string>(listed.value.listing.tracked);
  const ports = {
    files: openProjectFiles(place.root),
    tracked,
    ownFiles: openOwnFiles(place, logDir, tracked),
    manifest: openInitManifest(place.commonDir),
  };
  return removeOwnFiles(ports, options);
}
