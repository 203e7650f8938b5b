import { createHash } from 'node:crypto';
import { byCodePoint } from './collections.ts';

/** Returns the SHA-256 of a text in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the SHA-256 of a value's JSON text. The order of keys matters. */
export function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value));
}

/**
 * Returns a SHA-256 over several texts. Each text is hashed with its length, so `['ab', 'c']` and `['a', 'bc']` differ.
 */
export function hashFields(fields: readonly string[]): string {
  return sha256(fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join(''));
}

/** The fields of a changed file that go into the digest of a change. */
type ChangedFile = {
  readonly path: string;
  readonly mode: string;
  /** The file mode at the base; missing or `null` if it is the same as `mode`. */
  readonly baseMode?: string | null;
  readonly baseBlob: string | null;
  readonly headBlob: string | null;
};

/** Returns a hash over the paths, modes and contents of changed files. Their order does not matter. */
export function filesDigest(files: readonly ChangedFile[]): string {
  const fields = [...files]
    .sort((a, b) => byCodePoint(a.path, b.path))
    .flatMap(({ path, mode, baseMode, baseBlob, headBlob }) => {
      const modes = baseMode == null ? mode : `${baseMode} ${mode}`;
      return [path, modes, baseBlob ?? '', headBlob ?? ''];
    });
  return hashFields(fields);
}

/** A string type that the compiler does not let you mix up with other strings. */
export type Brand<Name extends string> = string & { readonly __brand: Name };

/** A path relative to the repository's root, with `/` as separator. It never points outside the repository. */
export type RepoPath = Brand<'RepoPath'>;

/**
 * The id of the review task of a rule: `{rule}--{files}--{hash}`. It depends only on the rule and on the paths and
 * contents of the files.
 */
export type ReviewId = Brand<'ReviewId'>;

export type CommitId = Brand<'CommitId'>;

/** The id of a git tree that holds a snapshot of the working tree. */
export type SnapshotId = Brand<'SnapshotId'>;

/** The id of a gate: `check:<path>:<name>`, `review:<path>:<name>` or `rule:<folder>:<name>[:<path>]`. */
export type GateId = string;

/** The id of a workflow session, which appears in file names. */
export type SessionId = Brand<'SessionId'>;
