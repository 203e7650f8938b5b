import type { UnusableFile } from './failure.ts';
import type { CommitId, RepoPath, SnapshotId } from './ids.ts';
import type { Result } from './result.ts';
import { nameKey } from './same-name.ts';

/** The paths of a repository, with other facts that git reports in the same answer. */
export type RepositoryPaths = {
  /** Absolute path of the working tree's root. */
  readonly root: string;
  /** Absolute path of the git folder that all working trees of the clone share. */
  readonly commonDir: string;
  /** Absolute path of the user's index (git's staging area). */
  readonly index: string;
  /** Path from the root to the current directory; '' at the root. */
  readonly prefix: string;
  readonly shallow: boolean;
  /** The first branch of `DEFAULT_BASES` that exists; `null` if none does. */
  readonly usualBase: string | null;
};

/** The default base branches, in order of preference. */
export const DEFAULT_BASES = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'] as const;

/** git's file mode of a submodule. */
export const SUBMODULE = '160000';

/** git's file mode of a symlink. */
export const SYMLINK = '120000';

/** The base of a change: a branch or commit, and its merge-base with HEAD; `null` if there are no commits yet. */
export type Base = {
  readonly name: string;
  readonly commit: CommitId;
  /** The other merge-bases, if the branches were merged into each other. */
  readonly others?: readonly CommitId[];
} | null;

/** The differences between the merge-base and the working tree, and the list of all files. */
export type Changes = {
  readonly base: Base;
  /**
   * The paths of changed, added, untracked and renamed files, in code-point order. A renamed file has its new path
   * here.
   */
  readonly changed: readonly RepoPath[];
  readonly deleted: readonly RepoPath[];
  /** Changed paths that are nested repositories, such as submodules. Rules do not apply to their files. */
  readonly submodules: readonly RepoPath[];
  readonly listing: Listing;
};

/** Every path of the working tree that git tracks or would track. */
export type Listing = {
  readonly tracked: readonly RepoPath[];
  readonly untracked: readonly RepoPath[];
  /** Untracked folders that are nested repositories. */
  readonly nested: readonly RepoPath[];
  /** Tracked files with the flag assume-unchanged or skip-worktree. `git diff` does not show their changes. */
  readonly unwatched: readonly RepoPath[];
  /** Tracked files that a sparse checkout leaves out. They are not on disk, but do not count as deleted. */
  readonly leftOut?: readonly RepoPath[];
  /** File names that are not valid UTF-8. Each byte of a name is one latin1 character here. */
  readonly unnameable: readonly string[];
};

/**
 * A path that reviewers do not get. `repository`: it is a nested repository without a commit, whose files git cannot
 * list.
 */
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

/** Whether an untracked file may contain secrets, judging by its name in any spelling. */
export function looksSecret(path: string): boolean {
  const name = nameKey(path.slice(path.lastIndexOf('/') + 1));
  return !EXAMPLES.test(name) && SECRET_NAMES.some((pattern) => pattern.test(name));
}

/** The text that is hashed instead of the content of an unreadable file. */
export const MISSING = 'MISSING';

/** Digests of the files of a review task: `hash` covers all files, `files` has one digest per file. */
export type TaskContent = { readonly hash: string; readonly files: readonly FileDigest[] };

export type FileDigest = { readonly path: RepoPath; readonly sha256: string | null; readonly link: string | null };

/** A path that differs between the base and the reviewed content: a file, a symlink or a submodule. */
export type Entry = {
  readonly path: RepoPath;
  /** The current file mode; for a deleted file, its mode at the base. */
  readonly mode: string;
  /** The file mode at the base, if it differs from `mode`. */
  readonly baseMode?: string;
  readonly baseBlob: string | null;
  readonly headBlob: string | null;
};

/** Reads the reviewed repository through git and never writes to it. */
export interface Repository {
  readonly place: RepositoryPaths;
  /**
   * Returns the differences between the working tree and its merge-base with `base`. Calls `onListing` as soon as the
   * list of all files is known.
   */
  changes(base: string | null, onListing?: (listing: Listing) => void): Promise<Result<Changes>>;
  /** Returns the paths of the working tree. `deleted` lists tracked files that are not on disk. */
  listing(): Promise<Result<{ readonly listing: Listing; readonly deleted: readonly RepoPath[] }>>;
  /** Returns those of the given paths that exist in the last commit or in the merge-base. */
  known(paths: readonly RepoPath[], base: string | null): Promise<Result<ReadonlySet<RepoPath>>>;
  ignores(path: RepoPath): Promise<Result<boolean>>;
}

/** Reads files of the working tree, and nothing outside the repository. */
export interface Contents {
  /**
   * Returns one SHA-256 over all files in their order, and the SHA-256 of each file. For an unreadable file, the text
   * `MISSING` is hashed.
   */
  digest(paths: readonly RepoPath[]): Promise<TaskContent>;
  /** Returns the text of a file, or of its first `limit` bytes if the file is longer. */
  text(path: RepoPath, limit: number): Promise<FileText>;
  exists(path: RepoPath): Promise<'file' | 'folder' | 'missing'>;
}

export type FileText =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number; readonly cut: boolean }
  | { readonly kind: 'unusable'; readonly why: UnusableFile | 'binary' };

/** Snapshots of the working tree, stored as git trees. Making one does not touch the user's index (staging area). */
export interface Snapshots {
  /**
   * Returns what has to be compared: the base and the reviewed content. A run calls this method once, before it takes a
   * snapshot.
   */
  compare(selection: Selection, usualBase: string | null): Promise<Result<Comparison>>;
  /**
   * Takes a snapshot: the current differences between the base and the reviewed content, without those in the folders
   * of `left`.
   */
  take(comparison: Comparison, left: OmittedFiles): Promise<Result<Snapshot>>;
  /** Protects a git tree from `git gc` with a git ref, as long as a record needs the tree. */
  keep(tree: SnapshotId): Promise<Result<void>>;
  /**
   * Removes the refs that protect trees from `git gc`, except for the trees in `keep` and those that `hold` protects
   * for an owner.
   */
  prune(keep: ReadonlySet<SnapshotId>): Promise<Result<void>>;
  /**
   * Protects these trees from `git gc` for `owner`, such as a review loop, and stops protecting the owner's other
   * trees. Ignores missing trees.
   */
  hold(owner: string, trees: ReadonlySet<SnapshotId>): Promise<Result<void>>;
  /** Returns the diff of two trees, one section per file, sorted by path. Fails if a tree is missing. */
  sections(from: string, to: string, contextLines: number): Promise<Result<readonly DiffSection[]>>;
  /** Returns the diff of two trees for these paths only. A rename appears as a deletion and an addition. */
  plainSections(from: string, to: string, paths: readonly RepoPath[]): Promise<Result<readonly DiffSection[]>>;
  /** Returns the paths that differ between two trees, with the new object id of each; `null` if it was deleted. */
  changedFiles(from: string, to: string): Promise<Result<ReadonlyMap<RepoPath, string | null>>>;
  /**
   * Returns a fingerprint of the branch's reflog, which becomes the `mark` of a `HistoryPoint`; `null` if there is no
   * reflog.
   */
  branchMark(branch: string | null): Promise<string | null>;
  /**
   * Whether commits were only added to the change since an earlier point in its history; `false` if unknown or if the
   * change was merged.
   */
  onlyGrew(since: HistoryPoint, now: Comparison): Promise<Result<boolean>>;
  /** Returns those of the paths that exist in a tree, with the object id and mode of each. */
  filesIn(tree: SnapshotId, paths: readonly RepoPath[]): Promise<Result<ReadonlyMap<RepoPath, TreeFile>>>;
  /** Returns the text of a file in a tree; `null` if the file is missing or not text. */
  textIn(tree: SnapshotId, path: RepoPath): Promise<Result<string | null>>;
  /** Returns a fingerprint of the files. Every write to one of them changes it, even a write of the same content. */
  touched(paths: readonly RepoPath[]): string;
  /** Returns the tracked files in a folder and its subfolders. */
  trackedIn(folder: RepoPath): Promise<Result<ReadonlySet<RepoPath>>>;
  /** Returns all files of the working tree that git tracks or would track. */
  files(): Promise<Result<readonly RepoPath[]>>;
}

/** The object id and the mode of a file in a git tree. */
export type TreeFile = { readonly id: string; readonly mode: string };

/** The two sides of a change: the base, and the working tree or the tree of a commit. */
export type Comparison = {
  readonly scope: Scope;
  readonly where: BranchContext;
  /** Name of the base as shown to the user; `null` if the base is the empty tree. */
  readonly baseName: string | null;
  /** Id of the base commit or of the base's tree. */
  readonly baseTree: string;
  /** The commit at HEAD; `null` if there is none, or if the run reviews a given commit. */
  readonly headCommit: CommitId | null;
  /** The tree of the reviewed commit; `null` if the run reviews the working tree. */
  readonly headTree: SnapshotId | null;
  /** The only files and folders to review; `null` to review all. */
  readonly files: readonly RepoPath[] | null;
};

/** Folders whose files are left out of every change. */
export type OmittedFiles = { readonly folders: readonly RepoPath[] };

export type Snapshot = {
  readonly entries: readonly Entry[];
  /** Untracked files and nested repositories that reviewers do not get, each with the reason. */
  readonly withheld: readonly WithheldFile[];
  readonly unnameable: readonly string[];
  readonly dirty?: readonly UnseenContent[];
  /**
   * Returns fingerprints of content that a check may read although the snapshot's tree does not contain it: withheld
   * files, files whose bytes on disk differ from those in git (for example in line endings), and such files in
   * submodules.
   */
  unseen?(): Promise<Result<readonly UnseenContent[]>>;
  /**
   * Whether the name of any file, even an omitted or withheld one, may contain this text. Only the answer `false` is
   * certain.
   */
  mayHave(part: string): boolean;
  /** Returns the id of the snapshot's tree. The first call writes the tree to git. */
  tree(): Promise<Result<SnapshotId>>;
};

/** The facts at one point in time that decide which files a review sees. A run compares them to notice changes. */
export type Visibility = {
  /** A digest of git's settings, hooks, and the files in the git folder that define ignore rules and attributes. */
  readonly settings: string;
  /** A fingerprint of each file that git does not track, ignored or not, and of each file in an omitted folder. */
  readonly unseen: ReadonlyMap<string, string>;
};

/** Content that is not in the tree of a snapshot, such as changes in a nested repository, with a fingerprint of it. */
export type UnseenContent = { readonly path: RepoPath; readonly print: string };

/** The diff of one file. For a renamed file, `paths` has the old and the new path. */
export type DiffSection = {
  readonly paths: readonly RepoPath[];
  readonly text: string;
  /** Set if `text` does not show the new content, because the file is not text; see `Readable`. */
  readonly unseen?: 'media' | 'opaque';
};

/** Commits the given files with git. */
export interface Commits {
  commit(paths: readonly RepoPath[], message: string): Promise<CommitEnd>;
}

export type CommitEnd =
  | { readonly kind: 'committed'; readonly commit: CommitId }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly said: string };

/**
 * The part of the change that a run reviews. Later runs ignore the records of a `narrow` scope, such as "only the
 * uncommitted changes"; a stored pass counts only for runs with the same scope.
 */
export type Scope = {
  /** `full` for the whole change; otherwise the requested scope as one line of text. */
  readonly key: string;
  readonly kind: 'full' | 'narrow';
};

/** The change that a user asks a run to review. */
export type Selection =
  | { readonly kind: 'change'; readonly base: string | null }
  | { readonly kind: 'uncommitted' }
  | { readonly kind: 'commit'; readonly commit: string }
  | { readonly kind: 'files'; readonly files: readonly RepoPath[]; readonly base: string | null };

/** The branch and merge-base of a run. Records store both, so that a later run knows whether a record applies to it. */
export type BranchContext = {
  /** Full name of the branch; `null` if HEAD is detached. */
  readonly branch: string | null;
  readonly mergeBase: CommitId | null;
};

/** A point in the history of a change. A later run uses it to find out whether it still reviews the same change. */
export type HistoryPoint = {
  readonly mergeBase: CommitId | null;
  /** The commit at HEAD; `null` if there were no commits. */
  readonly head: CommitId | null;
  /** A fingerprint of the branch's reflog at that point; `null` if the branch had no reflog. */
  readonly mark: string | null;
};

/**
 * A fingerprint for each path, which changes if the file or folder changes. A path with a final slash is a folder; its
 * fingerprint also changes if a file in it changes.
 */
export type StatFingerprints = Readonly<Record<string, string>>;

/** A working tree, its git folder, and the git folder that all working trees of the clone share. */
export type WorktreePaths = { readonly root: string; readonly gitDir: string; readonly commonDir: string };
