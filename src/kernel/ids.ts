import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a text in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the SHA-256 of the JSON of a value. The order of keys matters. */
export function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value));
}

/** A string type that cannot be mixed up with other strings. */
export type Brand<Name extends string> = string & { readonly __brand: Name };

/** A path relative to the repository's root, with `/` as separator, that never leaves the root. */
export type RepoPath = Brand<'RepoPath'>;

/** `{rule}--{files}--{hash}` of a task. The same rule, paths and contents always give the same id. */
export type ReviewId = Brand<'ReviewId'>;

/** The id of a git commit. */
export type CommitId = Brand<'CommitId'>;

/** The id of a git tree that is a snapshot of the working tree. */
export type SnapshotId = Brand<'SnapshotId'>;

/** `check:<entry>:<name>`, `review:<entry>:<name>` or `rule:<folder>:<name>[:<path>]`. */
export type GateId = string;

/** The id of a workflow session, which is part of file names. */
export type SessionId = Brand<'SessionId'>;
