import type { GateContent, GateId } from './gate.ts';

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

/** A check's pass: it counts on the same whole tree with the same command. */
export type CheckReceipt = {
  readonly gate: GateId;
  readonly command: string;
  readonly tree: string;
  readonly at: string;
};
