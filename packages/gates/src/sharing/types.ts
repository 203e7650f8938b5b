import type { Agreement } from '@onceover/agents/ledger/agreement';
import type { Acceptance, TravellingStatement } from '@onceover/passes/types';
import type { NoBasePolicy } from '@onceover/repo/config/base-policy';

/** A reviewer of the current change, and whether a pass from another clone counts for it. */
export type CurrentSlot = {
  readonly gate: string;
  readonly slot: number;
  readonly content: string;
  /** Whether a shared pass counts; `null` if this clone has a verdict of its own. */
  readonly shared: Acceptance | null;
};

/** A signed pass or waiver in the remote or store. */
export type ListedStatement = {
  readonly statement: TravellingStatement | null;
  /** The signer's name; `null` if the signers file of the base branch does not list the key. */
  readonly signer: string | null;
  /** Whether the pass or waiver is about the current change. */
  readonly isCurrent: boolean;
  /**
   * Whether the file counts for the current change. If the file is about other code, whether its signer may sign
   * passes.
   */
  readonly counts: boolean;
  /** The reason if the file does not count; `null` if it counts. */
  readonly why: string | null;
};

/** The result of `onceover passes`. */
export type PassList = {
  /** The name of the remote or the address of the store; `null` if shared passes are turned off. */
  readonly carrier: string | null;
  /** Why no pass from another clone can count; `null` if passes can count. */
  readonly problem: NoBasePolicy | null;
  readonly current: readonly CurrentSlot[];
  readonly statements: readonly ListedStatement[];
  /** How many passes from other clones were used in runs of this clone. */
  readonly accepted: number;
  readonly agreement: readonly Agreement[];
};

/** The result of `onceover passes verify`. */
export type VerifiedFile = {
  readonly file: string;
  /** Whether the signature matches the file. */
  readonly isSigned: boolean;
  readonly keyFingerprint: string | null;
  /** The signer's name in the signers file of the base branch; `null` if the file does not list the key. */
  readonly signer: string | null;
  readonly statement: TravellingStatement | null;
  /** Whether the file is valid and its signer is allowed to sign. */
  readonly counts: boolean;
  readonly why: string | null;
};
