import type { RepoPath } from './brand.ts';

export type Priority = 'critical' | 'high' | 'medium' | 'low';

/** Where a finding stands: only open and fixed_claimed ones keep a gate from holding. */
export type FindingState = 'open' | 'fixed_claimed' | 'warning' | 'waived' | 'closed' | 'gone';

/** A problem that a reviewer reports. */
export type Finding = {
  /** Short and stable: F1, F2, … */
  readonly id: string;
  readonly gate: string;
  readonly slot: number;
  readonly file: RepoPath | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly issue: string;
  readonly fix: string | null;
  readonly priority: Priority;
  readonly state: FindingState;
  /** The iteration that reported it first. */
  readonly since: number;
};

/** What a reviewer or a fixer says of an earlier finding. */
export type Disposition = {
  readonly id: string;
  readonly state: 'fixed' | 'open' | 'withdrawn' | 'declined';
  readonly why: string;
};
