import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import type { BranchContext, Entry } from '@onceover/base/kernel/repository';
import type { FindingState } from '@onceover/gates/findings/types';
import type { Priority } from '@onceover/repo/config/settings';
import type { MemoryClone, MemoryTree } from '../memory/git.ts';
import type { Setup } from './setup.ts';

// The facts that design.md §6 says must be remembered, in the simplest form. Nothing here is taken from src.

/** A problem that a reviewer reported, and what became of it. */
export type ModelFinding = {
  /** The id from the store. */
  readonly id: string;
  readonly gate: GateId;
  readonly scope: string;
  readonly slot: number;
  readonly file: RepoPath | null;
  /** The quoted code or the line's text, and its occurrence; `null` if it matches no other finding. */
  readonly anchor: { readonly text: string; readonly occurrence: number } | null;
  readonly priority: Priority;
  readonly kept: 'open' | 'warning' | 'closed';
  readonly isOfRerun: boolean;
  /** The entry of its path when it was last reported. */
  readonly entry: Entry | null;
  readonly content: string;
  /** Whether the reviewer named a file. */
  readonly isNamed: boolean;
  /** Its file at that time; `null` if unknown. */
  readonly seen: string | null;
  readonly where: BranchContext;
  readonly cycleEnded: boolean;
  readonly said: 'fixed' | 'skipped' | null;
};

/** A record of a slot, of a check, or of a gate's decisions, in one iteration. */
export type ModelRecord = {
  readonly gate: GateId;
  readonly iteration: number;
  readonly where: BranchContext | null;
  /** Whether its iteration took place: a run that stops at a failing check is none. */
  readonly isNumbered: boolean;
  /** `null` if it is not a slot's record. */
  readonly look: ModelLook | null;
};

export type ModelLook = {
  readonly slot: number;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass';
  readonly violations: number;
  readonly passIteration: number | null;
  /** Whether it left a finding open. */
  readonly fails: boolean;
  /** The ids of the findings that it left open. */
  readonly open: readonly string[];
  /** Position in the order of all events. */
  readonly moment: number;
  /** `null` if it was made by hand or by another tool. */
  readonly own: {
    readonly content: string;
    readonly prompt: string;
    /** The settings that decide which findings only warn. */
    readonly warnsBelow: string;
    readonly scope: string;
    /** The first iteration of its cycle, and the change that it saw. */
    readonly start: number;
    readonly base: MemoryTree;
    readonly files: MemoryTree | null;
  } | null;
};

export type ModelReceipt = { readonly verdict: 'pass' | 'fail'; readonly findings: readonly string[] };

export type Model = {
  findings: readonly ModelFinding[];
  readonly receipts: Map<string, ModelReceipt>;
  /** The last result of each check, by gate, command and tree. */
  readonly checks: Map<string, boolean>;
  /** The records of each working tree. */
  readonly records: [readonly ModelRecord[], readonly ModelRecord[]];
  /** The time of the last resolution of a finding, by its id. */
  readonly resolved: Map<string, number>;
  /** The time of the last recorded pass of a gate, by gate and cycle. */
  readonly held: Map<string, { readonly moment: number; readonly content: string }>;
  /** Agents that have reached a limit. */
  readonly cooling: Set<string>;
  moments: number;
};

/** The facts known at the place of a run. */
export type Ground = {
  readonly model: Model;
  readonly clone: MemoryClone;
  /** The index of the worktree. */
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
