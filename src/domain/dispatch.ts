import type { SnapshotId } from './brand.ts';

/** The kept conversation of a reviewer, and what must be the same for it to be resumed. */
export type Session = {
  readonly id: string;
  readonly agent: string;
  readonly model: string | null;
  readonly version: string;
  /** Digest of tools and schema: a provider's cache breaks when they differ. */
  readonly toolsDigest: string;
  /** Characters of the whole prompt that opened it. */
  readonly firstPromptLength: number;
  readonly saw: SnapshotId;
};

/** Whether a reviewer is asked fresh or resumed, and why. */
export type DispatchPlan =
  | {
      readonly kind: 'fresh';
      readonly why:
        | 'first-look'
        | 'asked-for'
        | 'session-differs'
        | 'cannot-resume'
        | 'session-lost'
        | 'no-changes'
        | 'resume-dearer'
        | 'delta-too-large';
    }
  | { readonly kind: 'resumed'; readonly why: 'delta' | 'final-validation'; readonly session: Session };
