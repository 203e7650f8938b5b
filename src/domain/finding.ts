import type { CommitId, RepoPath } from './brand.ts';
import type { Entry, GateContent, GateId } from './gate.ts';

/** How grave a finding is, the gravest first. */
export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Where a finding stands: only open and fixed_claimed ones keep a gate from holding. */
export const FINDING_STATES = ['open', 'fixed_claimed', 'warning', 'waived', 'closed', 'gone'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

/** Whether a finding in this state keeps its gate from holding. */
export function isOpen(state: FindingState): boolean {
  return state === 'open' || state === 'fixed_claimed';
}

/** A problem that a reviewer reports, as it is kept. */
export type Finding = {
  /** Short and stable: F1, F2, … */
  readonly id: string;
  readonly gate: GateId;
  readonly scope: string;
  readonly slot: number;
  readonly agent: string;
  /** Where it is, as reported: a path that leads out of the repository, or none, is kept as text in the issue. */
  readonly file: RepoPath | null;
  readonly line: number | null;
  readonly code: string | null;
  /** Which occurrence of the code in the file, or of the line's text where no code was quoted; null: not found there. */
  readonly anchor: Anchor | null;
  readonly issue: string;
  readonly fix: string | null;
  readonly priority: Priority;
  readonly kept: 'open' | 'warning' | 'closed';
  /** It was new on a slot's rerun, of which less may be asked. */
  readonly onRerun?: true;
  /** What is odd about where it points. */
  readonly mark: 'off-diff' | 'no-such-line' | 'code-not-found' | null;
  /** The iteration that reported it first, and when. */
  readonly since: number;
  readonly at: string;
  /** What the gate and the file were when it was last reported; null: unknown, or the file had no entry. */
  readonly content: GateContent | null;
  readonly entry: Entry | null;
  /** What its file was when it was last reported, in a form that differs when the file does; null: unknown. */
  readonly seen: string | null;
  readonly branch: string | null;
  readonly mergeBase: CommitId | null;
  /** True once the cycle that it belongs to was archived: then it counts only while its entry is unchanged. */
  readonly cycleEnded: boolean;
  readonly closed: Closing | null;
};

/** The text that a finding is about, and which of its occurrences in the file. */
export type Anchor = { readonly text: string; readonly occurrence: number };

export type Closing = {
  readonly how: 'fixed' | 'withdrawn' | 'silent';
  readonly why: string;
  readonly iteration: number;
};

/** What a person or an agent said of a finding: a claim that waits for a reviewer, a waiver, or an objection. */
export type Resolution = {
  /**
   * refuted: a claim that a reviewer found wrong; only when it was said still counts. disputed: a fixer's objection, which
   * changes nothing until a reviewer has heard it.
   */
  readonly how: 'fixed' | 'skipped' | 'refuted' | 'disputed';
  readonly why: string;
  readonly at: string;
  /** The last iteration when it was said: failing iterations before it no longer count. */
  readonly iteration: number;
};

/** A claim after a reviewer found it wrong. */
export function refuted(claim: Resolution): Resolution {
  return { ...claim, how: 'refuted', why: '' };
}

/** Whether two words on a finding are the same one. */
export function isSameWord(a: Resolution, b: Resolution): boolean {
  return a.how === b.how && a.why === b.why && a.at === b.at && a.iteration === b.iteration;
}

/** A finding with what was said of it. */
export type KnownFinding = Finding & { readonly resolution: Resolution | null };

/** What a reviewer says of an earlier finding. */
export type Disposition = {
  readonly id: string;
  readonly state: 'fixed' | 'open' | 'withdrawn';
  readonly why: string;
};
