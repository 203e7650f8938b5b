import type { GateContent, GateId } from './gate.ts';
import type { Whereabouts } from './scope.ts';

/** What a reviewer that we ran concluded about a content: the only proof that it was passed. */
export type Receipt = ReceiptKey & {
  readonly verdict: 'pass' | 'fail';
  /** The ids of the findings that a failing reviewer left open. */
  readonly findings: readonly string[];
  readonly agent: string;
  readonly iteration: number;
  readonly at: string;
};

/** What a receipt is about; all of it must be the same for the receipt to count. */
export type ReceiptKey = {
  readonly gate: GateId;
  readonly slot: number;
  readonly content: GateContent;
  readonly scope: string;
  readonly promptDigest: string;
};

/** How a check ended last: a pass counts on the same whole tree with the same command. */
export type CheckReceipt = CheckReceiptKey & {
  readonly verdict: 'pass' | 'fail';
  readonly at: string;
};

export type CheckReceiptKey = {
  readonly gate: GateId;
  readonly command: string;
  readonly tree: string;
};

/** That a gate held in a cycle: what failed before that counts no more. */
export type HeldReceipt = HeldReceiptKey & {
  readonly content: GateContent;
  readonly at: string;
};

/** A gate's cycle: its branch, or the merge-base that it is detached from. */
export type HeldReceiptKey = Whereabouts & { readonly gate: GateId };
