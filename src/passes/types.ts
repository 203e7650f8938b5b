import type { PassSettings } from '../config/settings.ts';
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

/** The subject of a pass. A pass counts only for a gate and slot with exactly these values. */
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
  /** Whether the last `fetch` was so recent that another one is needed only if a file is missing. */
  isFresh(): boolean;
  /** Gets the newest files. Ends early if `stop` is aborted. Returns whether `find` may now answer otherwise than before. */
  fetch(stop: AbortSignal | null): Promise<Result<boolean>>;
  /** Returns the files under these keys, as of the last `fetch` (of this or an earlier process). */
  find(
    keys: readonly string[],
    /** Ends an HTTP request early; a git remote is not called. */
    stop?: AbortSignal | null,
  ): Promise<Result<ReadonlyMap<string, readonly SignedFile[]>>>;
  /** Returns all files, or those that a git remote's ref lists before `stop` aborts. Fails if the store cannot list them. */
  all(stop?: AbortSignal | null): Promise<Result<readonly StoredFile[]>>;
  /** Adds files, and returns how many were new. Concurrent pushes of other clones are kept. */
  push(files: readonly StoredFile[], stop: AbortSignal | null): Promise<Result<{ readonly added: number }>>;
  /** Removes the files for which `isOld` returns true, and returns how many. Fails if the store cannot list them. */
  prune(isOld: (file: StoredFile) => boolean): Promise<Result<{ readonly removed: number }>>;
}

/** The people who may vouch for passes, and the conditions: the block `passes` of the base branch's `onceover.yml`. */
export type PassPolicy = Omit<PassSettings, 'signers'> & { readonly signers: string };

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
      /** The statement that came closest, for `explain`; `null` if there is none with a valid signature. */
      readonly statement: PassStatement | null;
      /** The signers of `statement`, as far as they are known. For `drawn-for-audit`, all that vouch for the pass. */
      readonly signers?: readonly Voucher[];
      /** The fingerprint of the key that signed a statement of an unknown signer, such as `SHA256:…`. */
      readonly keyFingerprint?: string;
    };

/** A gate's slot that has no receipt here, with the facts that decide whether a pass of another clone counts for it. */
export type PassRequest = {
  readonly subject: PassSubject;
  /** The gate's changed files here. */
  readonly files: readonly PassFile[];
  /** The settings digest of each agent that may fill this slot. */
  readonly settingsDigests: ReadonlyMap<string, string>;
};

/** A finding that is open here, with its identity (see `findingIdentity`). */
export type WaiverRequest = { readonly finding: string; readonly gate: string; readonly file: string };

/** A waiver of another clone that counts here. */
export type AcceptedWaiver = { readonly statement: WaiverStatement; readonly signer: Voucher };

/** A usable line of a signers file (OpenSSH's allowed_signers). */
export type Signer = {
  readonly line: number;
  /** The principals as written: names, or patterns with `*` and `?`, without the negated ones. */
  readonly principals: readonly string[];
  readonly keyFingerprint: string;
  /** Milliseconds since 1970. The key counts from this time on. */
  readonly validAfter: number | null;
  /** Milliseconds since 1970. The key counts up to this time. */
  readonly validBefore: number | null;
};

/** The reason why a line of a signers file, or of a list of revoked keys, is not used. */
export type SignerProblem =
  | 'too-large'
  | 'no-key'
  /** A principal has a character that is not printable ASCII, so it could look like another name. */
  | 'bad-principal'
  /** The line excludes every name that it lists. */
  | 'no-principal'
  | 'bad-option'
  /** onceover does not verify certificates. */
  | 'cert-authority'
  /** The option `namespaces` does not list `onceover`. */
  | 'other-namespace'
  | 'bad-key'
  | 'unsupported-key'
  | 'weak-key';

/** The signers file of the base branch, with every line that cannot be used. */
export type Signers = {
  readonly signers: readonly Signer[];
  /** Fingerprints of revoked keys. They win over `signers`. */
  readonly revoked: ReadonlySet<string>;
  readonly problems: readonly {
    readonly list: 'signers' | 'revoked';
    readonly line: number;
    readonly what: SignerProblem;
  }[];
};

/** Everything that decides whom to believe, from the base branch and the verifier's machine. */
export type PassTrust = {
  readonly policy: PassPolicy;
  readonly signers: Signers;
  /** The signers of waivers; `null` if waivers of other clones do not count. */
  readonly waiverSigners: Signers | null;
  /** The verifier's secret for the audit; `null` if it is not available: then every pass is drawn, if `audit` is not 0. */
  readonly auditSecret: Uint8Array | null;
};
