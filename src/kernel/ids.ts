import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a text in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the SHA-256 of a value's JSON. Objects with the same keys in another order have another digest. */
export function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value));
}

/** A string type that the compiler does not let you mix up with other strings. */
export type Brand<Name extends string> = string & { readonly __brand: Name };

/** A path relative to the repository's root, with `/` as separator. It never leads out of the root. */
export type RepoPath = Brand<'RepoPath'>;

/** The id of a rule's review task: `{rule}--{files}--{hash}`. It depends only on the rule, paths and contents. */
export type ReviewId = Brand<'ReviewId'>;

export type CommitId = Brand<'CommitId'>;

/** The id of a git tree that is a snapshot of the working tree. */
export type SnapshotId = Brand<'SnapshotId'>;

/** The id of a gate: `check:<path>:<name>`, `review:<path>:<name>` or `rule:<folder>:<name>[:<path>]`. */
export type GateId = string;

/** The id of a workflow session, which appears in file names. */
export type SessionId = Brand<'SessionId'>;
