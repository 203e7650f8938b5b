import type { UnusableFile } from './failure.ts';
import type { CommitId, RepoPath, SnapshotId } from './ids.ts';
import type { Result } from './result.ts';

/** The paths and the state of a repository, as git reports them. */
export type RepositoryPaths = {
  /** Absolute path of the working tree's root. */
  readonly root: string;
  /** Absolute path of the git folder that all working trees of the clone share. */
  readonly commonDir: string;
  /** Absolute path of the user's index. */
  readonly index: string;
  /** Path from the root to the working directory; '' at the root. */
  readonly prefix: string;
  readonly shallow: boolean;
  /** The first of `DEFAULT_BASES` that exists; null if none does. */
  readonly usualBase: string | null;
};

/** The default base branches, in order of preference. */
export const DEFAULT_BASES = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'] as const;

/** git's mode of a submodule. */
export const SUBMODULE = '160000';

/** git's mode of a symlink. */
export const SYMLINK = '120000';

/** The base of a change: a branch or commit, and its merge-base with HEAD. Null if there are no commits yet. */
export type Base = {
  readonly name: string;
  readonly commit: CommitId;
  /** More merge-bases, if the branches were merged into each other. */
  readonly others?: readonly CommitId[];
} | null;

/** The difference between the merge-base and the working tree, and the list of all files. */
export type Changes = {
  readonly base: Base;
  /** Changed, added, renamed-to and untracked files, in code-point order. */
  readonly changed: readonly RepoPath[];
  readonly deleted: readonly RepoPath[];
  /** Changed paths that are nested repositories. Rules do not read them. */
  readonly submodules: readonly RepoPath[];
  readonly listing: Listing;
};

/** Every path of the working tree that git tracks or would track. */
export type Listing = {
  readonly tracked: readonly RepoPath[];
  readonly untracked: readonly RepoPath[];
  /** Untracked folders that are nested repositories. */
  readonly nested: readonly RepoPath[];
  /** Tracked files that git does not compare (assume-unchanged, skip-worktree). */
  readonly unwatched: readonly RepoPath[];
  /** Tracked files that a sparse checkout leaves out. They are not on disk, but not deleted either. */
  readonly leftOut?: readonly RepoPath[];
  /** Names that are not UTF-8, with one latin1 character per byte. */
  readonly unnameable: readonly string[];
};

/** A file that is not sent to reviewers, or a nested repository without a commit, which git cannot show. */
export type WithheldFile = { readonly path: RepoPath; readonly why: 'secret' | 'too-large' | 'repository' };

/** Untracked files above this size are not sent to reviewers. */
export const LARGEST_UNTRACKED_BYTES = 5 * 1024 * 1024;

const SECRET_NAMES = [
  /^\.env.*$/i,
  /^.*\.env$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc)$/i,
  /^\.(?:npmrc|pypirc|netrc|pgpass|htpasswd|git-credentials|dockercfg)$/i,
  /^_netrc$/i,
  /^(?:credentials|secrets?|tokens?|service[-_]?account.*)(?:\.(?:json|ya?ml|toml|ini|txt|env|cfg|conf))?$/i,
  /(?:^|[._-])(?:secret|token|credential)s?\.(?:json|ya?ml|toml|ini|txt|env|cfg|conf)$/i,
];

const EXAMPLES = /\.(?:example|sample|template|dist|defaults?)$/i;

/** Whether the name of an untracked file suggests that it contains secrets. */
export function looksSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return !EXAMPLES.test(name) && SECRET_NAMES.some((pattern) => pattern.test(name));
}

/** Stands for an unreadable file in the hash of a task. */
export const MISSING = 'MISSING';

/** The contents of a task: one hash over all files, and one per file (null if unreadable). */
export type TaskContent = { readonly hash: string; readonly files: readonly FileDigest[] };

export type FileDigest = { readonly path: RepoPath; readonly sha256: string | null; readonly link: string | null };

/** One difference between the base and the reviewed content. Deletions, modes, symlinks and submodules count too. */
export type Entry = {
  readonly path: RepoPath;
  /** The current mode; for a deleted file its old mode. */
  readonly mode: string;
  /** The mode at the base, if it differs. */
  readonly baseMode?: string;
  readonly baseBlob: string | null;
  readonly headBlob: string | null;
};

/** Reads the reviewed repository through git. It never writes there. */
export interface Repository {
  readonly place: RepositoryPaths;
  /** Returns all differences from the merge-base with `base`. `onListing` gets the list of files early. */
  changes(base: string | null, onListing?: (listing: Listing) => void): Promise<Result<Changes>>;
  /** Returns the files of the working tree. `deleted` are tracked files that are not on disk. */
  listing(): Promise<Result<{ readonly listing: Listing; readonly deleted: readonly RepoPath[] }>>;
  /** Returns those paths that the last commit or the merge-base contains. */
  known(paths: readonly RepoPath[], base: string | null): Promise<Result<ReadonlySet<RepoPath>>>;
  /** Whether git ignores the path. */
  ignores(path: RepoPath): Promise<Result<boolean>>;
}

/** Reads the files of the working tree, and nothing outside the repository. */
export interface Contents {
  /** Returns the SHA-256 over the files' bytes in this order, with `MISSING` for an unreadable file. */
  digest(paths: readonly RepoPath[]): Promise<TaskContent>;
  /** Returns the text of a file, cut after `limit` bytes. */
  text(path: RepoPath, limit: number): Promise<FileText>;
  exists(path: RepoPath): Promise<'file' | 'folder' | 'missing'>;
}

export type FileText =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number; readonly cut: boolean }
  | { readonly kind: 'unusable'; readonly why: UnusableFile | 'binary' };

/** Snapshots of the working tree as git trees, made with a private index. */
export interface Snapshots {
  /** Returns the two sides to compare. A run calls it once, before it takes a snapshot. */
  compare(selection: Selection, usualBase: string | null): Promise<Result<Comparison>>;
  /** Returns the current differences, without the omitted folders. */
  take(comparison: Comparison, left: OmittedFiles): Promise<Result<Snapshot>>;
  /** Pins a tree, so that `git gc` does not delete it while a record needs it. */
  keep(tree: SnapshotId): Promise<Result<void>>;
  /** Unpins all trees except these and those pinned for an owner. */
  prune(keep: ReadonlySet<SnapshotId>): Promise<Result<void>>;
  /** Pins exactly these trees for `owner`, replacing its earlier pins. Missing trees are skipped. */
  hold(owner: string, trees: ReadonlySet<SnapshotId>): Promise<Result<void>>;
  /** Returns the diff of two trees, one section per file, sorted by path. Fails if a tree is missing. */
  sections(from: string, to: string, contextLines: number): Promise<Result<readonly DiffSection[]>>;
  /** Returns the diff for these paths only, without renames. */
  plainSections(from: string, to: string, paths: readonly RepoPath[]): Promise<Result<readonly DiffSection[]>>;
  /** Returns those paths that exist in a tree, with their id and mode. */
  filesIn(tree: SnapshotId, paths: readonly RepoPath[]): Promise<Result<ReadonlyMap<RepoPath, TreeFile>>>;
  /** Returns the text of a file in a tree; null if it is missing or not text. */
  textIn(tree: SnapshotId, path: RepoPath): Promise<Result<string | null>>;
  /** Returns a fingerprint that changes with every write to one of the files, even if the content is the same again. */
  touched(paths: readonly RepoPath[]): string;
  /** Returns the tracked files below a folder. */
  trackedIn(folder: RepoPath): Promise<Result<ReadonlySet<RepoPath>>>;
  /** Returns all files that git tracks or would track. */
  files(): Promise<Result<readonly RepoPath[]>>;
}

/** A file of a tree: its object id and its mode. */
export type TreeFile = { readonly id: string; readonly mode: string };

/** The two sides of a change. The second is the working tree, or a commit's tree. */
export type Comparison = {
  readonly scope: Scope;
  readonly where: BranchContext;
  /** Name of the base as shown to the user; null if there are no commits yet. */
  readonly baseName: string | null;
  /** Id of the base commit or tree. */
  readonly baseTree: string;
  /** The last commit; null if there is none, or if the run reviews a commit. */
  readonly headCommit: CommitId | null;
  /** The tree of the reviewed commit; null for the working tree. */
  readonly headTree: SnapshotId | null;
  /** The only files and folders to review; null for all. */
  readonly files: readonly RepoPath[] | null;
};

/** Folders that are never part of a change. */
export type OmittedFiles = { readonly folders: readonly RepoPath[] };

export type Snapshot = {
  readonly entries: readonly Entry[];
  /** Untracked files that are not sent to reviewers, because they look like secrets or are too large. */
  readonly withheld: readonly WithheldFile[];
  readonly unnameable: readonly string[];
  /** Committed changes in omitted folders. No reviewer sees them, so they are reported. */
  readonly left?: readonly RepoPath[];
  readonly dirty?: readonly DirtyRepository[];
  /** Whether the name of any file, even an omitted or withheld one, may contain this text; false is certain. */
  mayHave(part: string): boolean;
  /** Returns the whole tree, which is written on the first call. */
  tree(): Promise<Result<SnapshotId>>;
};

/** A nested repository with uncommitted changes, and a fingerprint of its state. */
export type DirtyRepository = { readonly path: RepoPath; readonly print: string };

/** The diff of one file, or of one rename. */
export type DiffSection = { readonly paths: readonly RepoPath[]; readonly text: string };

/** Commits exactly the given paths. */
export interface Commits {
  commit(paths: readonly RepoPath[], message: string): Promise<CommitEnd>;
}

export type CommitEnd =
  | { readonly kind: 'committed'; readonly commit: CommitId }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly said: string };

/** The scope of a run. Later runs ignore the records of a narrow scope; a receipt counts only in its own scope. */
export type Scope = {
  /** `full`, or the requested scope in one line. */
  readonly key: string;
  readonly kind: 'full' | 'narrow';
};

/** The change that a user asks a run to review. */
export type Selection =
  | { readonly kind: 'change'; readonly base: string | null }
  | { readonly kind: 'uncommitted' }
  | { readonly kind: 'commit'; readonly commit: string }
  | { readonly kind: 'files'; readonly files: readonly RepoPath[]; readonly base: string | null };

/** The branch and merge-base of a run. Its records store them, so that later runs know which records are theirs. */
export type BranchContext = {
  /** Null if HEAD is detached. */
  readonly branch: string | null;
  readonly mergeBase: CommitId | null;
};

/** Fingerprints by path. Each changes with its file or folder; for a path with a final slash, also with the files in it. */
export type StatFingerprints = Readonly<Record<string, string>>;

/** A working tree, its git folder, and the git folder that all working trees of the clone share. */
export type WorktreePaths = { readonly root: string; readonly gitDir: string; readonly commonDir: string };
