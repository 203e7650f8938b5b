import { join } from 'node:path';
import type { LedgerProof } from '@onceover/agents/ledger/entries';
import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import { grouped } from '@onceover/base/kernel/collections';
import { ok, type Result } from '@onceover/base/kernel/result';
import { tryToRemoveFolder } from '@onceover/base/platform/files';
import { candidatesInOrder, type DroppedCases } from '../decide/candidates.ts';
import {
  addSpending,
  isSpent,
  type ProofBudget,
  type ProofChoice,
  type ProofSpending,
  tasksOf,
} from '../decide/plan.ts';
import type { ProofConfig } from '../read/proof-config.ts';
import type { CaseResult, ProofCase } from '../types.ts';
import type { PaidCall } from './keep-answers.ts';
import { type PlayedTask, type PlayPorts, playTask } from './play-task.ts';

/** Why a run of `onceover prove` ended. */
type ProofEnd = 'done' | 'budget' | 'no-verdict' | 'interrupted';

export type PlayedProof = {
  readonly end: ProofEnd;
  readonly results: readonly CaseResult[];
  /** The test cases that produced a result. */
  readonly cases: readonly ProofCase[];
  readonly dropped: DroppedCases;
  readonly spent: ProofSpending;
  /** The last review that reached no verdict, if `onceover prove` ended because of such reviews; otherwise `null`. */
  readonly trouble: Extract<PlayedTask, { kind: 'no-verdict' }>['outcome'] | null;
};

export type ProofProgress = {
  readonly kind: 'case';
  /** The number of the test case, counted from 1. A case that replaces an unusable one gets the same number. */
  readonly number: number;
  readonly of: number;
  /** The number of this review of the test case, counted from 1; `reviews` says how many there will be. */
  readonly review: number;
  readonly reviews: number;
  readonly title: string;
  readonly spent: ProofSpending;
};

export type ProofRequest = {
  /** The possible test cases, in order. Those after the first `most` are used to replace unusable ones. */
  readonly candidates: readonly ProofCase[];
  readonly most: number;
  readonly choice: ProofChoice;
  readonly budget: ProofBudget;
  tell(progress: ProofProgress): void;
};

// If this many reviews in a row end without a verdict, the reviewers do not work, so `onceover prove` ends.
const MOST_WITHOUT_VERDICT = 3;

/** Reviews test cases until enough of them produced a result, the budget is used up, or `stop` aborts. */
export async function playProof(
  { candidates, most, choice, budget, tell }: ProofRequest,
  config: ProofConfig,
  basePorts: Omit<PlayPorts, 'mayCall' | 'paid' | 'isStopped'>,
  enter: (entry: LedgerProof) => Promise<unknown>,
): Promise<Result<PlayedProof>> {
  const results: CaseResult[] = [];
  const cases: ProofCase[] = [];
  const dropCounts: DroppedCases = { caughtByChecks: 0, checksFailAnyway: 0, notPlayable: 0, noVerdict: 0 };
  let spending: ProofSpending = { calls: 0, usage: null };
  let calls: PaidCall[] = [];
  let callCount = 0;
  let isOverBudget = false;
  const ports: PlayPorts = {
    ...basePorts,
    mayCall() {
      // Calls that have already started may finish, so that their answers can be stored.
      isOverBudget ||= isSpent({ ...spending, calls: callCount }, budget);
      if (!isOverBudget) callCount++;
      return !isOverBudget;
    },
    isStopped: () => basePorts.stop.aborted || isOverBudget,
    paid(call) {
      spending = addSpending(spending, { calls: call.asks, usage: call.usage });
      calls.push(call);
    },
  };
  const endWith = (end: ProofEnd, trouble: PlayedProof['trouble'] = null) =>
    ok({ end, results, cases, dropped: dropCounts, spent: spending, trouble });
  const endEarly = () => endWith(isOverBudget ? 'budget' : 'interrupted');
  let inARow = 0;
  const of = Math.min(most, candidates.length);
  for (const proofCase of candidatesInOrder(candidates, most, cases, dropCounts)) {
    const number = cases.length + 1;
    const tasks = tasksOf(proofCase, choice);
    for (const [i, task] of tasks.entries()) {
      if (ports.isStopped()) return endEarly();
      tell({ kind: 'case', number, of, review: i + 1, reviews: tasks.length, title: proofCase.title, spent: spending });
      const taskResult = await playTask(task, config, ports);
      tryToRemoveFolder(join(ports.folder, proofCase.id));
      for (const entry of ledgerEntries(calls, new Date())) await enter(entry);
      calls = [];
      if (!taskResult.ok) return ports.isStopped() ? endEarly() : taskResult;
      const { value } = taskResult;
      if (value.kind === 'stopped') return endEarly();
      if (value.kind === 'played') {
        results.push(...value.results);
        if (!cases.includes(proofCase)) cases.push(proofCase);
        inARow = 0;
        continue;
      }
      dropCounts[DROPPED[value.kind]]++;
      if (value.kind !== 'no-verdict') break;
      inARow++;
      if (inARow >= MOST_WITHOUT_VERDICT) return endWith('no-verdict', value.outcome);
    }
  }
  return endWith('done');
}

/**
 * Returns one cost ledger entry per agent and model. With one entry per call, a long run of `onceover prove` would push
 * older entries out of the ledger.
 */
function ledgerEntries(calls: readonly PaidCall[], now: Date): readonly LedgerProof[] {
  const keyOf = ({ agent, model, isResumed }: PaidCall) => JSON.stringify([agent, model, isResumed]);
  return [...grouped(calls, keyOf).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { agent, model, isResumed } = first;
    return {
      ...({ kind: 'proof', at: now.toISOString(), startedBy: 'person', branch: null, agent, model } as const),
      dispatch: isResumed ? 'resumed' : 'fresh',
      asks: group.reduce((sum, { asks }) => sum + asks, 0),
      durationMs: Math.round(group.reduce((sum, call) => sum + call.durationMs, 0)),
      usage: group.reduce((sum: Usage | null, { usage }) => addUsage(sum, usage), null),
    };
  });
}

const DROPPED = {
  'caught-by-checks': 'caughtByChecks',
  'checks-fail-anyway': 'checksFailAnyway',
  'not-playable': 'notPlayable',
  'no-verdict': 'noVerdict',
} as const;
