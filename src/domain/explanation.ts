import type { WriteReason } from './instructions.ts';
import type { Mark, MarkReceipt } from './pass.ts';
import type { ReviewTask } from './task.ts';

/** Why a review is done or not, for the id that somebody asked about. */
export type ReviewExplanation =
  | { readonly kind: 'to-do'; readonly task: ReviewTask; readonly why: WriteReason; readonly mark: Mark | null }
  | { readonly kind: 'skipped'; readonly task: ReviewTask; readonly mark: Mark }
  /** The same rule and files are there, with other contents. */
  | {
      readonly kind: 'changed';
      readonly id: string;
      readonly now: ReviewTask;
      readonly passed: boolean;
      readonly receipt: MarkReceipt | null;
    }
  /** No rule makes this review of the present change. */
  | {
      readonly kind: 'not-asked-for';
      readonly id: string;
      readonly passed: boolean;
      readonly receipt: MarkReceipt | null;
    };
