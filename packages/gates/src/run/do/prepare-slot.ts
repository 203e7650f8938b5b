import { assignAgents } from '@onceover/agents/dispatch/assign-agents';
import type { ReuseJob } from '@onceover/agents/economy/types';
import type { Assigned, SlotTrouble } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { DiffSection } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { ReportedFinding } from '../../findings/types.ts';
import { isOpen } from '../../findings/types.ts';
import type { ReviewGate, RunReason } from '../../gate-types.ts';
import { ruleReview } from '../../rules/prompt.ts';
import type { GateState } from '../decide/gate-state.ts';
import { lastReview } from '../decide/last-review.ts';
import type { SlotJob, UnassignableSlot } from '../ports.ts';
import type { SlotRecord } from '../record-types.ts';
import { availableAgents, type IterationContext } from './iteration.ts';
import { freshGatePrompt, type SlotPast } from './prompt.ts';
import {
  changedPaths,
  type IndexedDiff,
  partShowing,
  pathsIn,
  sectionsOf,
  splitDiff,
  unseenPaths,
} from './prompt-diff.ts';
import { readReuse } from './read-reuse.ts';

/** A reviewer with its agent, before its session is chosen. `reuse` has the facts for that choice. */
export type PreparedSlot = { readonly job: Omit<SlotJob, 'reuse'>; readonly reuse: ReuseJob };

type PlannedReview = { readonly slot: number; readonly why: RunReason };

/** Returns the agent and the prompts of a planned reviewer, or the reason why no agent can review now. */
export async function prepareSlot(
  context: IterationContext,
  state: GateState,
  plan: PlannedReview,
): Promise<Result<PreparedSlot | UnassignableSlot>> {
  const { gate } = state;
  const assignment = await assign(context, gate, plan.slot);
  if ('trouble' in assignment) return ok({ state, gate, ...plan, agent: null, trouble: assignment.trouble });
  const { agent, others } = assignment;
  const [agentFacts, ...otherFacts] = await Promise.all(
    [agent, ...others].map((name) => context.reviewers.describe(name)),
  );
  if (agentFacts === undefined) throw new Error('an assignment without an agent');
  const change = await gateDiff(context, gate);
  if (!change.ok) return change;
  const [unreadable] = unseenPaths(change.value, gate.entries, 'opaque');
  if (unreadable !== undefined) {
    return ok({ state, gate, ...plan, agent, trouble: { kind: 'not-text', path: unreadable } });
  }
  const limit = Math.min(...[agentFacts, ...otherFacts].map(({ diffLimit }) => diffLimit));
  const parts = splitDiff(change.value, limit);
  if (!parts.ok) {
    const trouble = { kind: 'file-too-large', path: parts.path, characters: parts.characters, limit } as const;
    return ok({ state, gate, ...plan, agent, trouble });
  }
  const rubric = rubricOf(state);
  const past = await pastOf(context, state, plan.slot);
  const compose: ReuseJob['compose'] = (given) => freshPrompts(parts.parts, rubric, past, given);
  return ok({
    job: {
      ...{ state, gate, ...plan, agent, others, unshown: state.material.unshown, tree: context.tree },
      timeoutSeconds: gate.timeoutSeconds ?? agentFacts.timeoutSeconds ?? context.request.settings.timeoutSeconds,
    },
    reuse: await readReuse(context, state, { ...plan, agent, agentFacts, parts: parts.parts, past, compose }),
  });
}

/** Returns the agent of a reviewer, or the reason why no agent can run now. */
async function assign(
  context: IterationContext,
  gate: ReviewGate,
  slot: number,
): Promise<Assigned | { readonly trouble: SlotTrouble }> {
  const available = await availableAgents(context, gate);
  const assignment = assignAgents(slot, available.names);
  if (assignment !== null) return assignment;
  const { reviewers, request } = context;
  const wantedAgents = gate.agents ?? request.settings.agents ?? reviewers.names;
  const refusedAgent = [...(reviewers.refused ?? [])].find(([name]) => wantedAgents.includes(name));
  if (refusedAgent !== undefined)
    return { trouble: { kind: 'author-agent', agent: refusedAgent[0], path: refusedAgent[1] } };
  const missing = reviewers.missing.filter(({ name }) => wantedAgents.includes(name));
  return { trouble: { kind: 'no-agent', wanted: wantedAgents, cooling: available.cooling, missing } };
}

/** Returns the prompts for a new session, one for each part of the diff. Each has the open findings in its files. */
function freshPrompts(
  parts: readonly DiffSection[],
  rubric: string,
  past: SlotPast,
  given: Parameters<ReuseJob['compose']>[0],
): readonly ComposedPrompt[] {
  return parts.map(({ text: diff }, i) => {
    const part = parts.length === 1 ? null : { number: i + 1, of: parts.length };
    const open = past.open.filter(({ file }) => partShowing(file, parts) === i);
    return freshGatePrompt({ diff, part }, rubric, { ...past, open }, given);
  });
}

async function gateDiff(context: IterationContext, gate: ReviewGate): Promise<Result<readonly DiffSection[]>> {
  const { comparison } = context.facts;
  const wholeDiff = await context.diff(comparison.baseTree, DEFAULT_DIFF_CONTEXT);
  if (!wholeDiff.ok) return wholeDiff;
  const { whole: gateSections, torn } = sectionsOf(wholeDiff.value, new Set(gate.entries.map(({ path }) => path)));
  if (torn.length === 0) return ok(gateSections);
  // If a file was renamed into or out of the gate, show only the side inside the gate.
  const plain = await context.ports.snapshots.plainSections(comparison.baseTree, context.tree, torn);
  return plain.ok ? ok([...gateSections, ...plain.value]) : plain;
}

export const DEFAULT_DIFF_CONTEXT = 3;

/**
 * Returns the gate's paths that changed since the last review; `null` if that is unknown. Without a session, onceover
 * does not know which files that review showed. If the base has changed too, it cannot tell whether a difference comes
 * from the new base.
 */
function changedSince(
  { facts }: IterationContext,
  { entries }: ReviewGate,
  diff: IndexedDiff,
  { own: last }: SlotRecord,
): readonly RepoPath[] | null {
  if (last?.session != null) return changedPaths(diff, entries, last.session.shown);
  const isSameBase = last?.mergeBase === facts.comparison.where.mergeBase;
  if (!isSameBase && diff.left.length > 0) return null;
  return pathsIn(diff, new Set([...entries.map(({ path }) => path), ...diff.left]));
}

async function pastOf(context: IterationContext, state: GateState, slot: number): Promise<SlotPast> {
  const lastLook = lastReview(state, slot);
  const isOwnOpen = (report: ReportedFinding) => report.finding.slot === slot && isOpen(report.state);
  const lastSnapshot = lastLook?.own?.snapshot ?? null;
  const delta = lastSnapshot === null ? null : await context.diff(lastSnapshot, DEFAULT_DIFF_CONTEXT);
  const changedFiles =
    lastLook === null || delta?.ok !== true ? null : changedSince(context, state.gate, delta.value, lastLook);
  return {
    open: state.findings.filter(isOwnOpen).map(({ finding }) => finding),
    declined: state.findings.filter((report) => report.state === 'waived').map(({ finding }) => finding),
    since: changedFiles === null ? null : { passed: lastLook?.status === 'pass', changed: [...new Set(changedFiles)] },
  };
}

/** Returns the instructions with the material that the verdict will be bound to. */
function rubricOf({ gate: { task, rubric }, material: { references, allChanged } }: GateState): string {
  return task === null ? rubric.text : ruleReview(task, { allChanged, references: new Map([[task, references]]) });
}
