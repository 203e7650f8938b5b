import type { Usage } from '../kernel/agent.ts';
import type { Result } from '../kernel/result.ts';

/** The `_type` of every statement: an in-toto Statement v1. */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** The kinds of statements that onceover signs, each with its `predicateType`. */
export const PREDICATE_TYPES = { pass: 'urn:onceover:pass/v1', waiver: 'urn:onceover:waiver/v1' } as const;

/** The namespace of all signatures (`ssh-keygen -Y sign -n onceover`). */
export const SIGNATURE_NAMESPACE = 'onceover';

/** The limit for a statement file, in bytes. */
export const LARGEST_STATEMENT = 64 * 1024;

/** What a pass is about. A pass counts only for a gate and slot with exactly these values. */
export type PassSubject = {
  readonly gate: string;
  readonly slot: number;
  /** The gate's content: a SHA-256 in hex over its changed files (path, mode, base blob, head blob). */
  readonly content: string;
  readonly scope: string;
  readonly promptDigest: string;
};

/** The verdict of a reviewer that onceover ran, with everything that a person needs to judge it. */
export type PassStatement = PassSubject & {
  readonly kind: 'pass';
  readonly settingsDigest: string;
  /** The paths of the gate's changed files, with modes and blobs, as they enter the content. */
  readonly files: readonly PassFile[];
  readonly agent: string;
  readonly model: string | null;
  readonly agentVersion: string | null;
  readonly onceoverVersion: string;
  readonly session: 'new' | 'resumed';
  /** The files that the reviewer opened; `null` if the agent does not report them. */
  readonly filesOpened: readonly string[] | null;
  readonly usage: Usage | null;
  readonly durationMs: number;
  /** A UTC time such as `2026-01-31T12:00:00.000Z`. */
  readonly passedAt: string;
  /** SHA-256 over the prompt and the answer as they were sent. */
  readonly transcriptDigest: string;
  /** Identities of findings that the reviewer reported and people waived; each needs a waiver of its own. */
  readonly waived: readonly string[];
};

export type PassFile = {
  readonly path: string;
  readonly mode: string;
  readonly baseMode: string | null;
  readonly baseBlob: string | null;
  readonly headBlob: string | null;
};

/** A person's decision to accept a finding. */
export type WaiverStatement = {
  readonly kind: 'waiver';
  readonly gate: string;
  /** The identity of the finding: a SHA-256 in hex over gate, file, quoted code and its occurrence. */
  readonly finding: string;
  readonly file: string | null;
  readonly issue: string;
  readonly why: string;
  /** The name of the person who waived the finding. */
  readonly by: string;
  readonly onceoverVersion: string;
  readonly waivedAt: string;
};

export type TravellingStatement = PassStatement | WaiverStatement;

/** A statement file and its detached signature, byte for byte as they are stored. */
export type SignedFile = { readonly statement: Uint8Array; readonly signature: string };

/** A signed file under its key: the SHA-256 (64 hex digits) that is the digest of the statement's subject. */
export type StoredFile = { readonly key: string; readonly file: SignedFile };

/**
 * Carries signed files between clones. Nothing that a carrier returns is trusted: callers verify every signature. All
 * methods return a failure if the remote side cannot be reached; callers then review here.
 */
export interface PassCarrier {
  /** The remote or address, for messages. */
  readonly name: string;
  /** Gets the newest files. Ends early if `stop` is aborted. */
  fetch(stop: AbortSignal | null): Promise<Result<void>>;
  /** Returns the files under these keys, as of the last `fetch` (of this or an earlier process). */
  find(
    keys: readonly string[],
    /** Ends an HTTP request early; a git remote is not called. */
    stop?: AbortSignal | null,
  ): Promise<Result<ReadonlyMap<string, readonly SignedFile[]>>>;
  /** Returns all files, for the list of `onceover passes`. Fails if the store cannot list them. */
  all(): Promise<Result<readonly StoredFile[]>>;
  /** Adds files, and returns how many were new. Concurrent pushes of other clones are kept. */
  push(files: readonly StoredFile[], stop: AbortSignal | null): Promise<Result<{ readonly added: number }>>;
  /** Removes the files for which `isOld` returns true, and returns how many. Fails if the store cannot list them. */
  prune(isOld: (file: StoredFile) => boolean): Promise<Result<{ readonly removed: number }>>;
}

/** Who may vouch for passes and under which conditions: the block `passes` of the base branch's `onceover.yml`. */
export type PassPolicy = {
  /** The name of the git remote that carries passes; `null` if none does. */
  readonly remote: string | null;
  /** The address of an HTTP store; `null` if there is none. */
  readonly store: string | null;
  readonly share: 'off' | 'ask' | 'auto';
  /** Path of the signers file in the repository. */
  readonly signers: string;
  readonly accept: readonly ('new' | 'resumed')[];
  readonly maxAgeDays: number;
  readonly minSigners: number;
  readonly neverFor: readonly string[];
  /** The share of accepted passes that are reviewed again, from 0 to 1. */
  readonly audit: number;
};

/** Why a pass of another clone was not used. */
export type RefusalReason =
  | 'not-configured'
  | 'no-statement'
  | 'unreachable'
  | 'unusable-statement'
  | 'bad-signature'
  | 'unknown-signer'
  | 'signer-expired'
  | 'signer-revoked'
  | 'too-few-signers'
  | 'other-prompt'
  | 'other-settings'
  | 'other-scope'
  | 'other-agent'
  | 'base-changed'
  | 'session-not-accepted'
  | 'too-old'
  | 'in-the-future'
  | 'excluded-path'
  | 'waiver-missing'
  | 'drawn-for-audit';

/** A principal and key that vouch for a pass. */
export type Voucher = { readonly principal: string; readonly keyFingerprint: string };

/** Whether a pass of another clone counts here. */
export type Acceptance =
  | { readonly kind: 'accepted'; readonly statement: PassStatement; readonly signers: readonly Voucher[] }
  | {
      readonly kind: 'refused';
      readonly why: RefusalReason;
      /** The statement that came closest, for `explain`; `null` if there is none. */
      readonly statement: PassStatement | null;
    };
