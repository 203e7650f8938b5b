import type { Usage } from '@onceover/base/kernel/agent';
import type { Result } from '@onceover/base/kernel/result';
import type { RecordedSubject, ReviewSubject } from '@onceover/base/kernel/review-subject';
import type { PassSettings } from '@onceover/repo/config/settings';

/** The field `_type` of every signed pass or waiver: an in-toto Statement v1. */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** The field `predicateType` of a signed pass and of a signed waiver. */
export const PREDICATE_TYPES = { pass: 'urn:onceover:pass/v2', waiver: 'urn:onceover:waiver/v1' } as const;

/** The field `predicateType` of a pass that an older version signed. Such a pass does not name its whole subject. */
export const OLDER_PASS_TYPE = 'urn:onceover:pass/v1';

/** The SSH signature namespace of all passes and waivers (`ssh-keygen -Y sign -n onceover`). */
export const SIGNATURE_NAMESPACE = 'onceover';

/** The size limit of a pass or waiver file, in bytes. */
export const LARGEST_STATEMENT = 64 * 1024;

/**
 * The facts that identify what a reviewer passed. A pass counts only for a gate and reviewer with exactly these values.
 */
export type PassSubject = ReviewSubject & SubjectPlace;

type SubjectPlace = { readonly slot: number; readonly scope: string };

/**
 * A signed pass: the verdict of a reviewer that onceover ran, with everything that a person needs to judge that
 * verdict.
 */
export type PassStatement = RecordedSubject &
  SubjectPlace & {
    readonly kind: 'pass';
    /** The SHA-256 of the agent's settings, such as its model and command. */
    readonly settingsDigest: string;
    /** The gate's changed files, with the paths, modes and blobs from which `content` is computed. */
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
    /** The SHA-256 of the prompt and the answer, as they were sent. */
    readonly transcriptDigest: string;
    /**
     * The identities of findings that the reviewer reported and people waived. For each of them there must also be a
     * valid waiver.
     */
    readonly waived: readonly string[];
  };

export type PassFile = {
  readonly path: string;
  readonly mode: string;
  readonly baseMode: string | null;
  readonly baseBlob: string | null;
  readonly headBlob: string | null;
};

/** A person's decision to accept a finding instead of fixing it. */
export type WaiverStatement = {
  readonly kind: 'waiver';
  readonly gate: string;
  /**
   * The identity of the finding: a SHA-256 in hexadecimal digits over the gate, the file, the quoted code, and which
   * occurrence of that code is meant.
   */
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

/** A pass or waiver file and its separate signature, byte for byte as they are stored. */
export type SignedFile = { readonly statement: Uint8Array; readonly signature: string };

/**
 * A signed file and its key, a SHA-256 in hexadecimal digits: for a pass, the gate's content; for a waiver, the
 * identity of the finding.
 */
export type StoredFile = { readonly key: string; readonly file: SignedFile };

/**
 * Shares signed files between clones, for example through a git ref. Returned files are not trusted: callers verify
 * every signature. All methods return a failure if the remote cannot be reached; callers then run the reviewers
 * themselves.
 */
export interface PassCarrier {
  /** The name or address of the remote, for messages. */
  readonly name: string;
  /** Whether the last `fetch` was so recent that another one is needed only if a file is missing. */
  isFresh(): boolean;
  /** Gets the newest files, until `stop` aborts. Returns whether `find` may now return other files than before. */
  fetch(stop: AbortSignal | null): Promise<Result<boolean>>;
  /** Returns the files that are stored under these keys, as of the last `fetch` of this or an earlier process. */
  find(
    keys: readonly string[],
    /**
     * Aborts a request to an HTTP store. For a git remote nothing needs to be aborted, because `find` reads only local
     * files.
     */
    stop?: AbortSignal | null,
  ): Promise<Result<ReadonlyMap<string, readonly SignedFile[]>>>;
  /**
   * Returns all files. For a git remote, returns only those that were read before `stop` aborts. Fails if the store
   * cannot list its files.
   */
  all(stop?: AbortSignal | null): Promise<Result<readonly StoredFile[]>>;
  /** Adds files and returns how many of them were new. Files that other clones push at the same time are kept. */
  push(files: readonly StoredFile[], stop: AbortSignal | null): Promise<Result<{ readonly added: number }>>;
  /**
   * Deletes the files for which `isOld` returns true, and returns how many. Fails if the store cannot list its files.
   */
  prune(isOld: (file: StoredFile) => boolean): Promise<Result<{ readonly removed: number }>>;
}

/**
 * The people who may sign passes, and the conditions under which passes count: the block `passes` in the base branch's
 * `onceover.yml`.
 */
export type PassPolicy = Omit<PassSettings, 'signers'> & { readonly signers: string };

/** Why a pass from another clone was not used. */
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
  | 'older-version'
  | 'other-prompt'
  | 'other-references'
  | 'other-context'
  | 'other-settings'
  | 'other-scope'
  | 'other-agent'
  | 'changed-agent'
  | 'base-changed'
  | 'session-not-accepted'
  | 'too-old'
  | 'in-the-future'
  | 'excluded-path'
  | 'idle-pattern'
  | 'waiver-missing'
  | 'drawn-for-audit';

/** A person's name and key that signed a valid pass. */
export type Voucher = { readonly principal: string; readonly keyFingerprint: string };

/** Whether a pass from another clone counts in this clone, with the reason if it does not. */
export type Acceptance =
  | { readonly kind: 'accepted'; readonly statement: PassStatement; readonly signers: readonly Voucher[] }
  | {
      readonly kind: 'refused';
      readonly why: RefusalReason;
      /** The refused pass that came closest to being accepted; `null` if there is none with a valid signature. */
      readonly statement: PassStatement | null;
      /** The known signers of `statement`. For the reason `drawn-for-audit`, everyone who signed a valid pass. */
      readonly signers?: readonly Voucher[];
      /** For the reason `other-settings`, the setting that differs; missing if it is a setting of the agent. */
      readonly setting?: string;
      /** The fingerprint of the key of an unknown signer, such as `SHA256:…`. */
      readonly keyFingerprint?: string;
    };

/**
 * A reviewer of a gate that has not passed the current content in this clone, with the facts that decide whether a pass
 * from another clone counts.
 */
export type PassRequest = {
  readonly subject: PassSubject;
  /** The gate's changed files in this clone. */
  readonly files: readonly PassFile[];
  /** The digests of the settings of the agents that may act as this reviewer, by the agent's name. */
  readonly settingsDigests: ReadonlyMap<string, string>;
  /** Returns whether a pattern of `never_for` matches a file of the repository, before or after the change. */
  readonly hasFile: (pattern: string) => boolean;
  /** The agents whose program the change may have replaced. A pass that such an agent gave does not count. */
  readonly changedAgents: ReadonlySet<string>;
};

/** A finding that is open in this clone, with its identity (see `findingIdentity`). */
export type WaiverRequest = { readonly finding: string; readonly gate: string; readonly file: string };

/** A waiver from another clone that counts in this clone, and its signer. */
export type AcceptedWaiver = { readonly statement: WaiverStatement; readonly signer: Voucher };

/** A usable line of a signers file (OpenSSH's allowed_signers). */
export type Signer = {
  readonly line: number;
  /** The names on the line as they are written, without the excluded ones. A name may be a pattern with `*` and `?`. */
  readonly principals: readonly string[];
  readonly keyFingerprint: string;
  /** The time from which the key counts, in milliseconds since 1970; `null` for no limit. */
  readonly validAfter: number | null;
  /** The time up to which the key counts, in milliseconds since 1970; `null` for no limit. */
  readonly validBefore: number | null;
};

/** The reason why a line of the signers file, or of the list of revoked keys, is not used. */
export type SignerProblem =
  | 'too-large'
  | 'no-key'
  /** A name has a character that is not printable ASCII, so it could look like another name. */
  | 'bad-principal'
  /** The line excludes every name that it lists. */
  | 'no-principal'
  | 'bad-option'
  /** The line is for a certificate authority; onceover does not verify certificates. */
  | 'cert-authority'
  /** The line's option `namespaces` does not list `onceover`. */
  | 'other-namespace'
  | 'bad-key'
  | 'unsupported-key'
  | 'weak-key';

/** The signers file of the base branch. Lines that cannot be used are in `problems`. */
export type Signers = {
  readonly signers: readonly Signer[];
  /** The fingerprints of revoked keys. A revoked key does not count, even if `signers` lists it. */
  readonly revoked: ReadonlySet<string>;
  readonly problems: readonly {
    readonly list: 'signers' | 'revoked';
    readonly line: number;
    readonly what: SignerProblem;
  }[];
};

/** Everything that decides whose passes count, from the base branch and from the verifier's machine. */
export type PassTrust = {
  readonly policy: PassPolicy;
  readonly signers: Signers;
  /** The people who may sign waivers; `null` if waivers from other clones do not count. */
  readonly waiverSigners: Signers | null;
  /**
   * The secret that decides which shared passes are reviewed again as an audit; `null` if it is not available. Without
   * the secret, all shared passes are reviewed again, unless the setting `audit` is 0.
   */
  readonly auditSecret: Uint8Array | null;
};
