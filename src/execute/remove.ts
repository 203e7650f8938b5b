import type { RepoPath } from '../domain/brand.ts';
import type { Listing } from '../domain/change.ts';
import type { Belongings, ProjectFiles } from '../domain/ports.ts';
import type { Removal, Taken } from '../domain/removal.ts';
import { done, type Result } from '../domain/result.ts';
import { SETTINGS_FILE } from '../domain/settings.ts';
import { type FoundFile, planRemoval, SHARED_FILES } from '../plan/removal.ts';

export type RemovalPorts = {
  readonly files: ProjectFiles;
  /** What git tracks, and what lies beside it. */
  readonly listing: Pick<Listing, 'tracked' | 'untracked'>;
  readonly belongings: Belongings;
  /** Whether a text is one that `init` writes, or wrote here. */
  isOurs(path: RepoPath, text: string): boolean;
};

/** Takes away what onceover has written here, or only tells it. */
export async function removeSetUp(
  ports: RemovalPorts,
  options: { readonly isDone: boolean },
): Promise<Result<Removal>> {
  const found = await findFiles(ports);
  if (!found.ok) return found;
  const belongings = await ports.belongings.find();
  if (!belongings.ok) return belongings;
  const { taken, left } = planRemoval(found.value);
  const removal = { isDone: options.isDone, taken: [...taken, ...belongings.value], left };
  if (!options.isDone) return done(removal);
  // First what a run could be in the way of; hooks and servers that are still there then find nothing.
  const removed = await ports.belongings.remove();
  if (!removed.ok) return removed;
  for (const one of taken) {
    const gone = await take(ports.files, one);
    if (!gone.ok) return gone;
  }
  return done(removal);
}

const FOLDERS = ['.onceover/reviews' as RepoPath, '.onceover/roles' as RepoPath];

async function findFiles({ files, listing, isOurs }: RemovalPorts): Promise<Result<readonly FoundFile[]>> {
  const { tracked, untracked } = listing;
  const isTracked = new Set<string>(tracked);
  const paths = new Set<RepoPath>([SETTINGS_FILE, ...SHARED_FILES]);
  for (const folder of FOLDERS) {
    const listed = await files.list(folder);
    if (!listed.ok) return listed;
    for (const name of listed.value) paths.add(`${folder}/${name}` as RepoPath);
  }
  for (const path of [...tracked, ...untracked]) if (/(?:^|\/)\.deepreview$/.test(path)) paths.add(path);
  const found: FoundFile[] = [];
  for (const path of paths) {
    const read = await files.read(path);
    // What cannot be read is somebody's all the same.
    const text = read.ok ? read.value : null;
    if (read.ok && text === null) continue;
    found.push({ path, text, isUnchanged: text !== null && isOurs(path, text), tracked: isTracked.has(path) });
  }
  return done(found);
}

async function take(files: ProjectFiles, one: Taken): Promise<Result<void>> {
  switch (one.kind) {
    case 'file':
      return files.remove(one.path);
    case 'server':
    case 'hook':
      return one.text === null ? files.remove(one.path) : files.write(one.path, one.text);
    case 'records':
    case 'generated':
    case 'git-folder':
    case 'refs':
      return done(undefined);
  }
}
