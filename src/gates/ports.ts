import type { Settings } from '../config/settings.ts';
import type { Answers } from '../dispatch/answer-schemas.ts';
import type { ConverseEnd } from '../dispatch/converse.ts';
import type { Budget } from '../dispatch/limits.ts';
import type { ComposedPrompt } from '../dispatch/prompt.ts';
import type { DispatchPlan, KeptSession, SlotTrouble } from '../kernel/agent.ts';
import type { GateId, RepoPath, SnapshotId } from '../kernel/ids.ts';
import type { Checks, Clock, Cooldowns, ReporterOf, Reviewers, SessionPrompts } from '../kernel/ports.ts';
import type { Comparison, Contents, Selection, Snapshot, Snapshots } from '../kernel/repository.ts';
import type { Ledger } from '../ledger/entries.ts';
import type { Passes, UnusableReference } from '../rules/types.ts';
import type { EndedCycles } from './decide/cycles.ts';
import type { GateList } from './decide/gate-list.ts';
import type { GateState } from './decide/gate-state.ts';
import type { CheckState, RunOverrides } from './decide/plan-run.ts';
import type { GateRequest } from './decide/select-gates.ts';
import type { Ratchet } from './judge/priority.ts';
import type { RunProgress } from './progress.ts';
import type { GateName, RecordHistory, Records, SlotRecord } from './record-types.ts';
import type { RunNotice } from './run-types.ts';
import type { FindingStore, KnownFinding, ReceiptStore, ReviewGate, Rubric, RunReason } from './types.ts';

/** The facts that a run is planned by. Read again after the run, they are what it is judged by. */
export type RunFacts = {
  readonly comparison: Comparison;
  readonly snapshot: Snapshot;
  /** The tree that checks pass or fail; `null` if there are no checks. */
  readonly checked: SnapshotId | null;
  readonly planned: GateList;
  readonly names: ReadonlyMap<GateId, GateName>;
  readonly past: RecordHistory;
  readonly findings: readonly KnownFinding[];
  readonly checks: readonly CheckState[];
  readonly reviews: readonly GateState[];
  /** Open findings of removed gates, on code that is still part of the change. */
  readonly orphans: readonly KnownFinding[];
  readonly ended: EndedCycles;
  /** Whether the run covers all gates of the change. */
  readonly seesAll: boolean;
  readonly notices: readonly RunNotice[];
};

type PlannedSlot = {
  readonly state: GateState;
  readonly gate: ReviewGate;
  readonly slot: number;
  readonly why: RunReason;
};

/** One slot to run, with its agent and prompts. */
export type SlotJob = PlannedSlot & {
  readonly agent: string;
  readonly others: readonly string[];
  readonly dispatch: DispatchPlan;
  /** The prompts for the whole change, one per part of the diff. */
  readonly fresh: readonly ComposedPrompt[];
  /** Reference files of the rule that the prompts leave out. */
  readonly unshown: readonly UnusableReference[];
  readonly resumed: { readonly prompt: ComposedPrompt; readonly session: KeptSession } | null;
  readonly tree: SnapshotId;
  readonly lastLook: SlotRecord | null;
  /** Slots of one agent with the same key share the start of their prompts; `null` if nothing is shared. */
  readonly prefix: string | null;
  readonly timeoutSeconds: number;
};

/** Returns why the call was new or resumed. A resume that ended in a new session means that the session was lost. */
export function dispatchReason(
  { dispatch: planned }: SlotJob,
  actual: SlotJob['dispatch']['kind'] | 'none',
): DispatchPlan['why'] {
  return planned.kind === 'resumed' && actual === 'fresh' ? 'session-lost' : planned.why;
}

export type UnassignableSlot = PlannedSlot & { readonly agent: string | null; readonly trouble: SlotTrouble };

/** The result of calling a slot's reviewer: an answer or the trouble that prevented it, and what the calls used. */
export type SlotAnswer = Omit<ConverseEnd<Answers['gate']>, 'last'> & {
  /** The session to keep for the next iteration. */
  readonly session: KeptSession | null;
  readonly raw: string;
};

/** A slot with the answer to its calls; `null` if no agent could be called. */
export type CalledSlot = {
  readonly job: SlotJob | UnassignableSlot;
  readonly answer: SlotAnswer | null;
  readonly status: 'pass' | 'fail' | 'error';
};

/** The recorded result of a slot. */
export type JudgedSlot = CalledSlot & {
  readonly trouble: SlotTrouble | null;
  readonly open: number;
  readonly warnings: number;
  /** The findings that the slot closed. */
  readonly closed: readonly string[];
};

/** Returns what a slot's calls cost. Without exchanges, the budget was spent before the first call. */
export function callOf({ job, answer }: CalledSlot) {
  const asks = answer?.exchanges.length ?? 0;
  return {
    agent: answer?.agent ?? job.agent,
    model: answer?.model ?? null,
    dispatch: answer === null || asks === 0 ? ('none' as const) : answer.dispatch,
    asks,
    usage: answer?.usage ?? null,
    durationMs: answer?.durationMs ?? 0,
  };
}

/** The results of the slots of an iteration. `interrupted`: the run was stopped before all slots had answered. */
export type RanSlots = {
  readonly judged: readonly JudgedSlot[];
  readonly resting: readonly SkippedSlot[];
  readonly interrupted: boolean;
  /** Reviews that were stopped. They leave no record, but they cost tokens. */
  readonly stopped: readonly CalledSlot[];
  /** Binary files: reviewers saw only that the content differs. */
  readonly binary: readonly RepoPath[];
};

/** A skipped slot, with the agent that would run now and the record of its pass. */
export type SkippedSlot = {
  readonly gate: ReviewGate;
  readonly slot: number;
  readonly passIteration: number;
  readonly assigned: string;
  readonly passedBy: SlotRecord | null;
};

export type RunPorts = {
  readonly snapshots: Snapshots;
  readonly records: Records;
  readonly receipts: ReceiptStore;
  readonly findings: FindingStore;
  readonly openings: SessionPrompts;
  readonly coolings: Cooldowns;
  readonly passes: Passes;
  readonly ledger: Ledger;
  /** Opens the working tree's files. Contents are cached, so each reading needs a new call. */
  contents(): Contents;
  readonly checks: Checks;
  readonly clock: Clock;
  readonly reporter: ReporterOf<RunProgress>;
  /** Finds the agents. Call it only if a reviewer runs, because finding agents takes time. */
  reviewers(): Promise<Reviewers>;
};

/** The services, options and budget of one run. */
export type RunContext = { readonly ports: RunPorts; readonly request: RunRequest; readonly budget: Budget };

export type RunRequest = GateRequest &
  Omit<RunOverrides, 'iterationStarted'> & {
    /** Absolute path of the working tree; reviewers may report files by it. */
    readonly root: string;
    readonly settings: Settings;
    readonly rubrics: ReadonlyMap<RepoPath, Rubric>;
    readonly selection: Selection;
    /** Run reviews even if a check fails. */
    readonly all: boolean;
    /** Returns the command agents that the change under review edits: their verdicts do not count. `null` outside of pull requests. */
    readonly authorAgents: ((changed: ReadonlySet<string>) => ReadonlyMap<string, string>) | null;
    readonly startedBy: 'person' | 'agent';
    readonly stop: AbortSignal | null;
    /** Set in a fix loop that uses the ratchet. */
    readonly ratchet?: RatchetHolder;
  };

/** The current ratchet; a slot's review replaces it. */
export type RatchetHolder = { now: Ratchet };
