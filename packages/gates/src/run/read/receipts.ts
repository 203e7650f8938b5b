import type { GateFacts } from '../decide/gate-state.ts';
import type { ReceiptStore } from '../record/receipts.ts';

/** A gate with its subject, and the verdicts that count for it. */
export type ReviewPasses = Pick<GateFacts, 'gate' | 'material' | 'subject' | 'receipts' | 'shared'>;

/** Adds to each gate the stored verdicts of its reviewers. All are looked up at once. */
export function readReceipts(
  store: ReceiptStore,
  gates: readonly Omit<ReviewPasses, 'receipts' | 'shared'>[],
  scope: string,
): Promise<readonly ReviewPasses[]> {
  return Promise.all(
    gates.map(async (review) => {
      const slots = Array.from({ length: review.gate.numReviews }, (_, i) => i + 1);
      const receipts = await Promise.all(
        slots.map(async (slot) => ({ slot, receipt: await store.find('review', { ...review.subject, slot, scope }) })),
      );
      return {
        ...review,
        receipts: new Map(receipts.flatMap(({ slot, receipt }) => (receipt === null ? [] : [[slot, receipt]]))),
      };
    }),
  );
}
