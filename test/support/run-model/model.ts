import type { RepoPath } from '../../../src/domain/brand.ts';
import type { FindingState, Priority } from '../../../src/domain/finding.ts';
import type { Entry, GateId } from '../../../src/domain/gate.ts';
import type { Whereabouts } from '../../../src/domain/scope.ts';
import type { MemoryClone } from '../memory/git.ts';
import type { Setup } from './setup.ts';

// What design.md §6 says must be remembered, in its words and in the plainest form. Nothing here is taken from src.

/** A problem that a reviewer reported, and what became of it. */
export type ModelFinding = {
  /** As the store named it. */
  readonly id: string;
  readonly gate: GateId;
  readonly scope: string;
  readonly slot: number;
  readonly file: RepoPath | null;
  /** The quoted code or the line's text, and which occurrence of it; null: it matches no other finding. */
  readonly anchor: { readonly text: string; readonly occurrence: number } | null;
  readonly priority: Priority;
  readonly kept: 'open' | 'warning' | 'closed';
  readonly isOfRerun: boolean;
  /** What differed at its path when it was last reported. */
  readonly entry: Entry | null;
  readonly content: string;
  /** What its file was then; null: unknown. */
  readonly seen: string | null;
  readonly where: Whereabouts;
  readonly cycleEnded: boolean;
  readonly said: 'fixed' | 'skipped' | null;
};

/** What one slot did in one iteration, or a check, or the gate's decisions. */
export type ModelRecord = {
  readonly gate: GateId;
  readonly iteration: number;
  readonly where: Whereabouts | null;
  /** Null: not a slot's. */
  readonly look: ModelLook | null;
};

export type ModelLook = {
  readonly slot: number;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass';
  readonly violations: number;
  readonly passIteration: number | null;
  /** Whether it left something open. */
  readonly fails: boolean;
  /** When, in the order of everything that happened. */
  readonly moment: number;
  /** Null: made by hand or by another tool. */
  readonly own: { readonly content: string; readonly prompt: string; readonly scope: string } | null;
};

export type ModelReceipt = { readonly verdict: 'pass' | 'fail'; readonly findings: readonly string[] };

export type Model = {
  findings: readonly ModelFinding[];
  readonly receipts: Map<string, ModelReceipt>;
  /** How each check ended last, by gate, command and tree. */
  readonly checks: Map<string, boolean>;
  /** The records of each working tree. */
  readonly records: [readonly ModelRecord[], readonly ModelRecord[]];
  /** When somebody last said something of a finding, by its id. */
  readonly resolved: Map<string, number>;
  /** When a gate was last seen to hold, by gate and cycle. */
  readonly held: Map<string, { readonly moment: number; readonly content: string }>;
  /** Agents that have reached a limit. */
  readonly cooling: Set<string>;
  moments: number;
};

/** What is known where a run takes place. */
export type Ground = {
  readonly model: Model;
  readonly clone: MemoryClone;
  /** Which of the working trees. */
  readonly tree: number;
  readonly setup: Setup;
};

export function newModel(): Model {
  return {
    findings: [],
    receipts: new Map(),
    checks: new Map(),
    records: [[], []],
    resolved: new Map(),
    held: new Map(),
    cooling: new Set(),
    moments: 0,
  };
}

export type Standing = { readonly finding: ModelFinding; readonly state: FindingState };

export function isOpen(state: FindingState): boolean {
  return state === 'open' || state === 'fixed_claimed';
}

const RANKS: readonly Priority[] = ['low', 'medium', 'high', 'critical'];

export function isBelow(priority: Priority, threshold: Priority): boolean {
  return RANKS.indexOf(priority) < RANKS.indexOf(threshold);
}
