import type { Usage } from '@onceover/base/kernel/agent';
import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import type { Entry } from '@onceover/base/kernel/repository';
import type { KnownFinding, ReportedFinding, Resolution } from '@onceover/gates/findings/types';
import type { CheckGate, GateContent, ReviewGate } from '@onceover/gates/gate-types';
import type { GateOutcome, RunOutcome, SlotOutcome } from '@onceover/gates/result/types';
import { type GateFacts, type GateState, gateState, type StateOptions } from '@onceover/gates/run/decide/gate-state';
import type { SlotRecord, Violation } from '@onceover/gates/run/record-types';
import type { HeldReceipt, Receipt } from '@onceover/gates/src/run/types.ts';
import { reviewSubject } from '@onceover/gates/src/subject/review-subject.ts';
import { findingWith } from './finding.ts';
import { ownFacts, slotRecord } from './record-samples.ts';

export const path = (text: string) => text as RepoPath;
export const content = (text: string) => text as GateContent;

/** Returns one changed file; `differs` overrides fields. */
export function entry(differs: Partial<Omit<Entry, 'path'>> & { readonly path?: string } = {}): Entry {
  return { mode: '100644', baseBlob: 'b0', headBlob: 'h1', ...differs, path: path(differs.path ?? 'src/a.ts') };
}

/** A review of `src` by two reviewers, whose content is `c1` and whose prompt is `p1`. */
export function reviewGate(differs: Partial<ReviewGate> = {}): ReviewGate {
  return {
    kind: 'review',
    id: 'review:src:code-quality',
    entry: 'src',
    name: 'code-quality',
    numReviews: 2,
    agents: null,
    timeoutSeconds: null,
    rubric: { source: '.onceover/reviews/code-quality.md', text: 'Look closely.', digest: 'p1' },
    entries: [entry()],
    content: content('c1'),
    task: null,
    ...differs,
  };
}

export function checkGate(differs: Partial<CheckGate> = {}): CheckGate {
  const usual = { entry: '.', name: 'lint', command: 'npm run lint', timeoutSeconds: null, entries: [entry()] };
  return { kind: 'check', id: 'check:.:lint', ...usual, ...differs };
}

/** An open finding of slot 1, reported on content `c1` in iteration 1 on branch `work`. */
export function finding(differs: Partial<KnownFinding> = {}): KnownFinding {
  const usual = {
    file: path('src/a.ts'),
    line: 1,
    code: 'a = 1',
    anchor: { text: 'a = 1', occurrence: 1 },
    issue: 'It is wrong.',
    fix: null,
    priority: 'high',
    mark: null,
    since: 1,
    content: content('c1'),
    entry: entry(),
    seen: 'blob h1',
    mergeBase: 'b1' as CommitId,
  } as const;
  return { ...findingWith(usual), id: 'F1', resolution: null, ...differs };
}

const said = (how: Resolution['how'], why: string, at: string): Resolution => ({
  ...{ how, why, at, iteration: 1 },
  by: { kind: 'person', name: 'ann' },
  proposedBy: null,
});
/** After every record that has the usual time. */
const LATER = '2026-03-01T13:00:00.000Z';

export const waiver = (why = 'It has to be so.', at = LATER) => said('skipped', why, at);
export const claim = (why = 'Fixed.', at = LATER) => said('fixed', why, at);

/** Slot 1 passed content `c1`. */
export function receipt(differs: Partial<Receipt> = {}): Receipt {
  return {
    gate: 'review:src:code-quality',
    slot: 1,
    content: content('c1'),
    scope: 'full',
    promptDigest: 'p1',
    referencesDigest: null,
    contextDigest: null,
    settings: {},
    verdict: 'pass',
    findings: [],
    agent: 'codex',
    iteration: 1,
    at: '2026-03-01T12:00:00.000Z',
    ...differs,
  };
}

/** The gate passed after an iteration whose records have the usual times; default content: `c1`. */
export function held(iteration: number, seen = 'c1'): HeldReceipt {
  return {
    gate: 'review:src:code-quality',
    branch: 'work',
    mergeBase: 'b1' as CommitId,
    content: content(seen),
    at: `2026-03-01T12:00:0${iteration}.500Z`,
  };
}

export function violation(differs: Partial<Violation> = {}): Violation {
  return {
    file: 'src/a.ts',
    line: 1,
    issue: 'It is wrong.',
    fix: null,
    priority: 'high',
    status: 'new',
    result: null,
    id: 'F1',
    code: null,
    state: 'open',
    ...differs,
  };
}

/**
 * Makes our own records from "1.2 fail c1": slot, iteration, status, content (default: c1). A fail has an open finding;
 * "warned" is a pass with a warning, "waived" a fail with a waived finding, "rest@1" a skip because of a pass in
 * iteration 1.
 */
export function records(...texts: readonly string[]): SlotRecord[] {
  return texts.map((text) => {
    const parts = /^(\d+)\.(\d+) ([a-z]+)(?:@(\d+))?(?: (\w+))?$/.exec(text);
    if (parts === null) throw new Error(`no record: ${text}`);
    const [, slot, iteration, word = '', since, seen = 'c1'] = parts;
    return slotRecord({
      slot: Number(slot),
      iteration: Number(iteration),
      timestamp: `2026-03-01T12:00:0${Number(iteration) % 10}.000Z`,
      ...(STATUSES[word] ?? {}),
      passIteration: since === undefined ? null : Number(since),
      own: ownFacts({ content: content(seen) }),
    });
  });
}

const STATUSES: Readonly<Record<string, Pick<SlotRecord, 'status' | 'violations'>>> = {
  pass: { status: 'pass', violations: [] },
  warned: { status: 'pass', violations: [violation({ state: 'warning', priority: 'low' })] },
  fail: { status: 'fail', violations: [violation()] },
  waived: { status: 'fail', violations: [violation({ state: 'waived', status: 'skipped' })] },
  error: { status: 'error', violations: [] },
  rest: { status: 'skipped_prior_pass', violations: [] },
};

/** On branch `work`, with only the change of `src/a.ts`. */
export const HERE: StateOptions = {
  scope: { key: 'full', kind: 'full' },
  where: { branch: 'work', mergeBase: 'b1' as CommitId },
  entryOf: (name) => (name === 'src/a.ts' ? entry() : undefined),
};

/** A gate with the subject that it has without reference files and with default settings. */
export function subjectOf(gate: ReviewGate = reviewGate()): Pick<GateFacts, 'gate' | 'material' | 'subject'> {
  const material = { references: [], unshown: [], allChanged: [] };
  return { gate, material, subject: reviewSubject({ gate, material, settings: {} }) };
}

/** The state of a gate, with only the given facts. */
export function stateOf(
  facts: Partial<Omit<GateFacts, 'receipts'>> & { readonly receipts?: readonly Receipt[] } = {},
  options: Partial<StateOptions> = {},
): GateState {
  const receipts = new Map((facts.receipts ?? []).map((one) => [one.slot, one]));
  const gate = facts.gate ?? reviewGate();
  const usual = { ...subjectOf(gate), records: [], cycleStart: 0, findings: [], held: null, marked: false };
  return gateState({ ...usual, ...facts, receipts }, { ...HERE, ...options });
}

export function usage(differs: Partial<Usage> = {}): Usage {
  const usual = { inputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 20, costUsd: null };
  return { ...usual, ...differs };
}

/** Slot 1 passed in its first review. */
export function slotOutcome(differs: Partial<SlotOutcome> = {}): SlotOutcome {
  return {
    slot: 1,
    agent: 'codex',
    status: 'pass',
    dispatch: 'fresh',
    why: 'first-run',
    passIteration: null,
    earlier: null,
    sawOlder: false,
    usage: null,
    durationMs: 1000,
    trouble: null,
    shared: null,
    ...differs,
  };
}

export function gateOutcome(differs: Partial<GateOutcome> = {}): GateOutcome {
  const usual = { kind: 'review', status: 'pass', why: 'passed', slots: [slotOutcome()], check: null } as const;
  return { id: 'review:src:code-quality', ...usual, ...differs };
}

/** A run that passed in iteration 1 with one gate. */
export function runOutcome(differs: Partial<RunOutcome> = {}): RunOutcome {
  return {
    status: 'passed',
    exitCode: 0,
    iteration: 1,
    scope: HERE.scope,
    baseName: 'main',
    headCommit: 'c0ffee' as CommitId,
    pullRequest: null,
    isOnBase: false,
    asked: null,
    gates: [gateOutcome()],
    findings: [],
    settled: [],
    uncovered: [],
    withheld: [],
    notices: [],
    usage: null,
    saved: { pass: 0, slot: 0, session: 0, prefix: 0, reading: 0 },
    dispatches: 1,
    retries: 0,
    sharing: null,
    ...differs,
  };
}

/** A finding as a run reports it. */
export const reported = (
  differs: Partial<KnownFinding> = {},
  state: ReportedFinding['state'] = 'open',
): ReportedFinding => ({
  finding: finding(differs),
  state,
});

/** The result of the check that failed. */
export const failedCheck = {
  command: 'npm run lint',
  exitCode: 1,
  why: 'exit code 1',
  durationMs: 5,
  tail: 'first\nlast\x1b[31m',
};

/** A check that failed. */
export const CHECK_FAILED = gateOutcome({
  id: 'check:.:lint',
  kind: 'check',
  status: 'fail',
  why: 'check-failed',
  slots: [],
  check: failedCheck,
});

/** A gate that no agent could review. */
export const STUCK = gateOutcome({
  status: 'error',
  why: 'could-not-judge',
  slots: [
    slotOutcome({
      agent: null,
      status: 'error',
      dispatch: 'none',
      why: 'no-agent',
      trouble: { kind: 'no-agent', wanted: [], cooling: [] },
    }),
  ],
});
