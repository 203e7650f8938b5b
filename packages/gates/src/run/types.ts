import type { GateId, SnapshotId } from '@onceover/base/kernel/ids';
import type { BranchContext } from '@onceover/base/kernel/repository';
import type { RecordedSubject } from '@onceover/base/kernel/review-subject';
import type { Shaped } from '@onceover/base/kernel/shape';
import type { RECEIPTS, ReviewFacts } from './record/shapes.ts';

type ShapedReceipts = { readonly [K in keyof typeof RECEIPTS]: Shaped<(typeof RECEIPTS)[K]> };

export type Receipts = Omit<ShapedReceipts, 'review'> & {
  readonly review: Omit<ShapedReceipts['review'], 'made' | 'tree'> & {
    readonly made?: ReviewFacts | undefined;
    readonly tree?: SnapshotId | undefined;
  };
};

/**
 * For each kind of receipt (stored verdict), the fields that identify it. A receipt counts only if all of them match.
 */
export type ReceiptKeys = {
  readonly review: RecordedSubject & Pick<Receipts['review'], 'slot' | 'scope'>;
  readonly check: Pick<Receipts['check'], 'gate' | 'command' | 'tree'>;
  /**
   * The fields that identify the record of a gate's last pass: the gate and its branch, or the merge-base if HEAD is
   * detached.
   */
  readonly held: BranchContext & { readonly gate: GateId };
};

export type Receipt = Receipts['review'];

export type CheckReceipt = Receipts['check'];

export type HeldReceipt = Receipts['held'];
