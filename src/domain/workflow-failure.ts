import type { SessionEnd, SessionName } from './workflow.ts';

/** Trouble that only workflows can have. */
export type WorkflowFailure =
  | { readonly kind: 'unknown-job'; readonly name: string; readonly known: readonly string[] }
  | {
      readonly kind: 'unknown-workflow';
      readonly job: string;
      /** Null: none was named, and there are several. */
      readonly name: string | null;
      readonly known: readonly string[];
    }
  | { readonly kind: 'unknown-session'; readonly id: string; readonly active: readonly SessionName[] }
  | { readonly kind: 'no-active-session'; readonly ended: readonly SessionName[] }
  | { readonly kind: 'which-session'; readonly active: readonly SessionName[] }
  | { readonly kind: 'session-ended'; readonly session: SessionName; readonly end: SessionEnd }
  /** It was put aside under that name; null: it is where it was. */
  | { readonly kind: 'unreadable-session'; readonly id: string; readonly path: string; readonly aside: string | null }
  /** Its workflow is no longer made of the same steps. */
  | { readonly kind: 'session-outdated'; readonly session: SessionName }
  | { readonly kind: 'session-busy'; readonly id: string }
  | {
      readonly kind: 'no-such-step';
      readonly session: SessionName;
      readonly step: string;
      readonly open: readonly string[];
    }
  | {
      readonly kind: 'step-finished';
      readonly session: SessionName;
      readonly step: string;
      readonly at: string;
      readonly open: readonly string[];
    }
  | {
      readonly kind: 'step-not-begun';
      readonly session: SessionName;
      readonly step: string;
      readonly open: readonly string[];
    }
  | { readonly kind: 'which-step'; readonly session: SessionName; readonly open: readonly OpenStep[] }
  | {
      readonly kind: 'unknown-output';
      readonly session: SessionName;
      readonly step: string;
      readonly name: string;
      readonly known: readonly string[];
    }
  | { readonly kind: 'missing-outputs'; readonly step: string; readonly names: readonly string[] }
  | {
      readonly kind: 'wrong-output-type';
      readonly step: string;
      readonly name: string;
      readonly expected: 'file' | 'files';
      readonly given: 'one' | 'several' | 'none';
    }
  | {
      readonly kind: 'unusable-output';
      readonly step: string;
      readonly name: string;
      readonly path: string;
      readonly why: UnusableOutput;
    }
  | { readonly kind: 'override-refused'; readonly step: string; readonly why: RefusedOverride }
  | {
      readonly kind: 'no-verdict';
      readonly session: SessionName;
      readonly step: string;
      readonly errors: readonly ReviewTrouble[];
      /** How many reviews passed, now or before; they are not done again. */
      readonly passed: number;
    }
  | { readonly kind: 'outputs-changed'; readonly step: string; readonly paths: readonly string[] }
  | { readonly kind: 'reviewer-not-here'; readonly name: string; readonly found: readonly string[] };

/** A step that may be meant, with the names of its outputs. */
export type OpenStep = { readonly id: string; readonly outputs: readonly string[] };

export type UnusableOutput = 'missing' | 'folder' | 'not-a-file' | 'outside' | 'unreadable';

/** Why a reason to go on without a pass does not count. */
export type RefusedOverride =
  | 'empty'
  | 'no-reviews'
  /** No reviewer has found anything yet. */
  | 'not-failed'
  /** No review instructions were given yet for these outputs and criteria. */
  | 'not-instructed';

/** A review that came to no verdict. */
export type ReviewTrouble = { readonly runEach: string; readonly file: string | null; readonly said: string };
