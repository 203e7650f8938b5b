import type { RepoPath } from '../domain/brand.ts';
import type { Changes, Listing } from '../domain/change.ts';
import { isGenerated, isInside } from '../domain/generated.ts';
import type { Notice } from '../domain/instructions.ts';
import type { Contents, Repository } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { looksSecret } from '../domain/withheld.ts';

/** The files that a call speaks of, what else is there, and what had to be left out. */
export type SelectedFiles = {
  readonly files: readonly RepoPath[];
  /** Everything else in the working tree; asked for by few rules, and long. */
  unchanged(): readonly RepoPath[];
  /** Untracked files that look like secrets and that nobody has named: they belong to no task. */
  readonly withheld: readonly RepoPath[];
  readonly notices: readonly Notice[];
};

/** What is there where nobody asked for the change: an explicit list needs no base. */
export function withoutChange(there: { readonly listing: Listing; readonly deleted: readonly RepoPath[] }): Changes {
  return { base: null, changed: [], deleted: there.deleted, submodules: there.listing.nested, listing: there.listing };
}

/** The changed files, without what onceover itself generates and what is withheld. */
export function selectChanged(changes: Changes, logDir: string): SelectedFiles {
  const secret = secretsIn(changes);
  const changed = changes.changed.filter((path) => !isGenerated(path, logDir));
  const files = changed.filter((path) => !secret.has(path));
  const notices: Notice[] = [
    ...(changes.listing.tracked.some((path) => isInside(path, logDir))
      ? [{ kind: 'tracked-log-dir', logDir } as const]
      : []),
    ...changes.submodules.map((path): Notice => ({ kind: 'submodule', path })),
    ...changes.listing.unnameable.map((name): Notice => ({ kind: 'unnameable', name })),
  ];
  return {
    files,
    unchanged: () => others(changes, new Set(files), logDir),
    withheld: changed.filter((path) => secret.has(path)),
    notices,
  };
}

/** The files of an explicit list: a folder stands for all that git knows in it, without what is withheld or cannot be reviewed. */
export async function selectListed(
  listed: readonly RepoPath[],
  changes: Changes,
  ports: { readonly repository: Repository; readonly contents: Contents },
  options: { readonly logDir: string; readonly base: string | null },
): Promise<Result<SelectedFiles>> {
  const files = new Set<RepoPath>();
  const missing: RepoPath[] = [];
  const folders: RepoPath[] = [];
  const repositories = new Set<RepoPath>();
  const notices: Notice[] = [];
  let there: readonly RepoPath[] | null = null;
  const all = () => {
    there ??= others(changes, new Set(), options.logDir);
    return there;
  };
  for (const path of listed) {
    if (isGenerated(path, options.logDir)) notices.push({ kind: 'generated-file', path });
    else {
      const found = path === '' ? 'folder' : await ports.contents.exists(path);
      if (found === 'file') files.add(path);
      else if (found === 'missing') missing.push(path);
      else {
        folders.push(path);
        if (changes.listing.tracked.includes(path)) repositories.add(path);
        for (const inside of all().filter((one) => isIn(path, one))) {
          // Nothing but a repository of its own is a folder that git tracks.
          if ((await ports.contents.exists(inside)) === 'folder') repositories.add(inside);
          else files.add(inside);
        }
        for (const one of changes.submodules) if (one === path || isIn(path, one)) repositories.add(one);
      }
    }
  }
  for (const path of repositories) notices.push({ kind: 'submodule', path });
  for (const name of changes.listing.unnameable) {
    if (folders.some((folder) => isIn(byteByByte(folder), name))) notices.push({ kind: 'unnameable', name });
  }
  if (missing.length > 0) {
    const known = await ports.repository.known(missing, options.base);
    if (!known.ok) return known;
    for (const path of missing) {
      if (known.value.has(path)) notices.push({ kind: 'deleted-file', path });
      // It stands for a byte that could not be read, so the file may well be there.
      else if (path.includes('\ufffd')) notices.push({ kind: 'unnameable', name: path });
      else {
        files.add(path);
        notices.push({ kind: 'no-such-file', path });
      }
    }
  }
  return done({
    files: [...files],
    unchanged: () => others(changes, files, options.logDir),
    withheld: [...secretsIn(changes)].filter(
      (path) => folders.some((folder) => isIn(folder, path)) && !files.has(path) && !isGenerated(path, options.logDir),
    ),
    notices,
  });
}

function others(changes: Changes, files: ReadonlySet<RepoPath>, logDir: string): RepoPath[] {
  const gone = new Set([...changes.deleted, ...changes.submodules, ...secretsIn(changes)]);
  return [...changes.listing.tracked, ...changes.listing.untracked].filter(
    (path) => !files.has(path) && !gone.has(path) && !isGenerated(path, logDir),
  );
}

function isIn(folder: string, path: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/** A name as those that are not UTF-8 are told. */
function byteByByte(name: string): string {
  return Buffer.from(name).toString('latin1');
}

function secretsIn({ listing }: Changes): ReadonlySet<RepoPath> {
  return new Set(listing.untracked.filter(looksSecret));
}
