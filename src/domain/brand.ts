/** A string that was checked or made in one place and must not be mixed up with other strings. */
export type Brand<Name extends string> = string & { readonly __brand: Name };

/** A path relative to the repository's root, with `/` between its parts, never leaving the root. */
export type RepoPath = Brand<'RepoPath'>;

/** `{rule}--{files}--{hash}` of a task: the same rule, paths and contents always give the same id. */
export type ReviewId = Brand<'ReviewId'>;

/** The name of a git commit. */
export type CommitId = Brand<'CommitId'>;

/** The name of a git tree that holds the working tree as it was. */
export type SnapshotId = Brand<'SnapshotId'>;
