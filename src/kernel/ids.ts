import { createHash } from 'node:crypto';
import { byCodePoint } from './collections.ts';

/** Returns the SHA-256 of a text in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the SHA-256 of a value's JSON. Objects with the same keys in another order have another digest. */
export function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value));
}

/** Returns a SHA-256 over the fields. The length before each field makes `['ab', 'c']` differ from `['a', 'bc']`. */
export function hashFields(fields: readonly string[]): string {
  return sha256(fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join(''));
}

/** A changed file, as far as a digest over changed files depends on it. */
type ChangedFile = {
  readonly path: string;
  readonly mode: string;
  /** The file mode at the base; missing or `null` if it is the same as `mode`. */
  readonly baseMode?: string | null;
  readonly baseBlob: string | null;
  readonly headBlob: string | null;
};

/** Returns a hash over changed files (paths, modes and blobs); their order does not matter. */
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
