import type { NoBasePolicy } from '../config/base-policy.ts';
import type { Agreement } from '../ledger/agreement.ts';
import type { Acceptance, TravellingStatement } from '../passes/types.ts';

/** A reviewer of the current change, and whether a pass of another clone counts for it. */
export type CurrentSlot = {
  readonly gate: string;
  readonly slot: number;
  readonly content: string;
  /** `null` if this clone has its own verdict. */
  readonly shared: Acceptance | null;
};

/** A statement that the carrier holds. */
export type ListedStatement = {
  readonly statement: TravellingStatement | null;
  /** The signer, if the signers file of the base branch lists the key. */
  readonly signer: string | null;
  /** Whether the statement is about the current change. */
  readonly isCurrent: boolean;
  /** Whether the statement would count for the current change or, for other code, is signed by someone who may vouch. */
  readonly counts: boolean;
  /** The reason if it does not; `null` if it does. */
  readonly why: string | null;
};

/** The result of `onceover passes`. */
export type PassList = {
  /** The remote or the address of the store; `null` if passes are off. */
  readonly carrier: string | null;
  /** Why no pass of another clone can count; `null` if passes can count. */
  readonly problem: NoBasePolicy | null;
  readonly current: readonly CurrentSlot[];
  readonly statements: readonly ListedStatement[];
  /** How many passes of other clones counted in runs of this clone. */
  readonly accepted: number;
  readonly agreement: readonly Agreement[];
};

/** The result of `onceover passes verify`. */
export type VerifiedFile = {
  readonly file: string;
  /** Whether the signature fits the file. */
  readonly isSigned: boolean;
  readonly keyFingerprint: string | null;
  /** The name in the signers file of the base branch; `null` if the key is not in it. */
  readonly signer: string | null;
  readonly statement: TravellingStatement | null;
  /** Whether the file is valid and its signer may vouch. */
  readonly counts: boolean;
  readonly why: string | null;
};
