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

/** What is known when a reviewer or a fixer is about to be asked again. */
export type DispatchFacts = {
  readonly who: 'reviewer' | 'implementer';
  /** `--fresh` and `--rerun` ask for it; without kept sessions (`--step`) there is no choice. */
  readonly wanted: 'any' | 'fresh' | 'no-sessions';
  /** Null: it was never asked before. */
  readonly session: Session | null;
  /** Who would be asked now. */
  readonly now: Pick<Session, 'agent' | 'model' | 'version' | 'toolsDigest'>;
  /** Whether this version passed V1 to V4. */
  readonly canResume: boolean;
  /** What a resume needs and is gone. */
  readonly lost: 'session' | 'snapshot' | 'diff' | null;
  readonly isFinalValidation: boolean;
  /** False: nothing changed since what it last saw. */
  readonly changed: boolean;
  /** Null: what a cold cache costs does not decide. */
  readonly cost: { readonly cacheExpired: boolean; readonly freshIsCheaper: boolean } | null;
  /** Characters of the whole prompt that would be sent to the resumed session. */
  readonly deltaLength: number;
  /** Characters that a fresh reviewer would have to read besides its prompt, where the guard counts them (`delta_guard: effective`). */
  readonly mustReadLength?: number;
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
