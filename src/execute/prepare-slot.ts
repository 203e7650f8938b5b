import type { RepoPath, SnapshotId } from '../domain/brand.ts';
import type { DispatchFacts } from '../domain/dispatch.ts';
import { isOpen } from '../domain/finding.ts';
import type { ReviewGate } from '../domain/gate.ts';
import type { DiffSection, ReviewerFacts, Reviewers } from '../domain/ports.ts';
import type { KeptSession, SlotRecord, SlotTrouble } from '../domain/record.ts';
import { done, type Result } from '../domain/result.ts';
import type { RunReason } from '../domain/slot.ts';
import type { TaskContext } from '../domain/task.ts';
import { assign } from '../plan/assign.ts';
import { decideDispatch } from '../plan/decide-dispatch.ts';
import { declinedOf } from '../plan/declined.ts';
import { partShowing, sectionsOf, splitDiff } from '../plan/diff-parts.ts';
import { coldCost } from '../plan/estimate.ts';
import type { GateState, StandingFinding } from '../plan/gate-state.ts';
import { knowsAll } from '../plan/shown.ts';
import type { ComposedPrompt } from '../prompt/compose.ts';
import { freshGatePrompt, GATE_SCHEMA_DIGEST, resumedGatePrompt, type SlotPast } from '../prompt/gate.ts';
import { ruleReview } from '../prompt/instruction-file.ts';
import type { Prefixes } from './prefixes.ts';
import type { RunFacts } from './read-run.ts';
import { readReferences } from './references.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';
import type { Available, SlotJob, StuckSlot } from './slot-job.ts';

/** What the slots of one iteration share. */
export type Wave = {
  readonly ports: RunPorts;
  readonly request: RunRequest;
  readonly facts: RunFacts;
  readonly reviewers: Reviewers;
  readonly tree: SnapshotId;
  /** Agents whose program the change under review has written to. */
  readonly authored: ReadonlyMap<string, string>;
  readonly prefixes: Prefixes;
  /** The diff between two trees, made once. */
  diff(from: string, contextLines: number): Promise<Result<readonly DiffSection[]>>;
  available(gate: ReviewGate): Promise<Available>;
};

/** Decides how a slot is asked, and writes its prompts. */
export async function prepareSlot(
  wave: Wave,
  state: GateState,
  plan: { readonly slot: number; readonly why: RunReason },
): Promise<Result<SlotJob | StuckSlot>> {
  const { gate } = state;
  const stuck = (trouble: SlotTrouble, agent: string | null = null) =>
    done<StuckSlot>({ state, gate, ...plan, agent, trouble });
  const available = await wave.available(gate);
  const assigned = assign(plan.slot, available.names);
  if (assigned === null) {
    const [authored] = wave.authored;
    const wanted = gate.agents ?? wave.request.settings.agents ?? wave.reviewers.names;
    if (authored !== undefined && wanted.includes(authored[0])) {
      return stuck({ kind: 'author-agent', agent: authored[0], path: authored[1] });
    }
    return stuck({ kind: 'no-agent', wanted, cooling: available.cooling });
  }
  const { agent, others } = assigned;
  const described = await Promise.all([agent, ...others].map((name) => wave.reviewers.describe(name)));
  const now = described[0] as ReviewerFacts;
  const lastLook = lastLookOf(wave.facts, gate, plan.slot);
  const change = await gateDiff(wave, gate);
  if (!change.ok) return change;
  const limit = Math.min(...described.map(({ diffLimit }) => diffLimit));
  const parts = splitDiff(change.value, limit);
  if (!parts.ok) {
    return stuck({ kind: 'file-too-large', path: parts.path, characters: parts.characters, limit }, agent);
  }
  const { rubric, unshown } = await readRubric(wave, gate);
  const past = await pastOf(wave, state, plan.slot, lastLook);
  const fresh = parts.parts.map(({ text: diff }, i): ComposedPrompt => {
    const part = parts.parts.length === 1 ? null : { number: i + 1, of: parts.parts.length };
    const open = past.open.filter(({ file }) => partShowing(file, parts.parts) === i);
    return freshGatePrompt({ diff, part }, rubric, { ...past, open });
  });
  const kept = lastLook?.own?.session ?? null;
  const freshLength = fresh.reduce((sum, { length }) => sum + length, 0);
  const resumed = kept === null ? null : await resumedPrompt(wave, gate, kept, past, lastLook);
  const isSame = kept !== null && kept.agent === agent;
  const dispatchFacts: DispatchFacts = {
    who: 'reviewer',
    wanted: plan.why === 'asked-for' || plan.why === 'certify' ? 'fresh' : 'any',
    // A session that saw one part of the change cannot go on with the whole.
    session: fresh.length > 1 ? null : kept,
    now: { agent, model: now.model, version: now.version, toolsDigest: openedWith(now, gate) },
    canResume: isSame && (await now.canResume()),
    lost: resumed === null || resumed.ok ? null : resumed.lost,
    isFinalValidation: false,
    changed: lastLook?.own?.content !== gate.content,
    cost:
      kept === null || resumed === null || !resumed.ok
        ? null
        : coldCost(kept, { delta: resumed.prompt.dynamic.length, fresh: freshLength }, wave.ports.clock.now()),
    deltaLength: resumed?.ok === true ? resumed.prompt.dynamic.length : 0,
  };
  const dispatch = decideDispatch(dispatchFacts);
  return done({
    state,
    gate,
    ...plan,
    agent,
    others,
    dispatch,
    fresh,
    unshown,
    resumed:
      dispatch.kind === 'resumed' && resumed?.ok === true && kept !== null
        ? { prompt: resumed.prompt, session: kept }
        : null,
    tree: wave.tree,
    lastLook,
    prefix: now.sharesPrefix && dispatch.kind === 'fresh' ? `${agent}\0${fresh[0]?.stable ?? ''}` : null,
    timeoutSeconds: gate.timeoutSeconds ?? now.timeoutSeconds ?? wave.request.settings.timeoutSeconds,
  });
}

/** What a session is opened with and cannot change: tools, schema, and the rubric that it was told to judge by. */
export function openedWith({ toolsDigest }: Pick<ReviewerFacts, 'toolsDigest'>, { rubric }: ReviewGate): string {
  return `${toolsDigest}:${GATE_SCHEMA_DIGEST}:${rubric.digest}`;
}

/** The newest time that the slot was asked in this cycle; a rest in between does not count. */
function lastLookOf({ past, comparison, reviews }: RunFacts, gate: ReviewGate, slot: number): SlotRecord | null {
  if (comparison.scope.kind === 'narrow') return null;
  const iterations = new Set(
    reviews.find((state) => state.gate.id === gate.id)?.history.map(({ iteration }) => iteration) ?? [],
  );
  let latest: SlotRecord | null = null;
  for (const record of past.slots) {
    if (record.gate !== gate.id || record.slot !== slot || !iterations.has(record.iteration)) continue;
    if (record.own?.dispatch === 'none') continue;
    if (latest === null || record.iteration >= latest.iteration) latest = record;
  }
  return latest?.status === 'error' ? null : latest;
}

/** The gate's part of the change, file by file. */
async function gateDiff(wave: Wave, gate: ReviewGate): Promise<Result<readonly DiffSection[]>> {
  const { comparison } = wave.facts;
  const whole = await wave.diff(comparison.baseTree, USUAL_CONTEXT);
  if (!whole.ok) return whole;
  const { whole: own, torn } = sectionsOf(whole.value, new Set(gate.entries.map(({ path }) => path)));
  if (torn.length === 0) return done(own);
  // A file that was renamed into or out of the gate is shown as what the gate sees of it.
  const plain = await wave.ports.snapshots.plainSections(comparison.baseTree, wave.tree, torn);
  return plain.ok ? done([...own, ...plain.value]) : plain;
}

/** How many lines around a change are shown. */
export const USUAL_CONTEXT = 3;
/** A delta is shown with as much around it as keeps it under a quarter of the first prompt. */
const CONTEXTS = [3, 1, 0];
const DELTA_SHARE = 0.25;

type ResumedPrompt =
  | { readonly ok: true; readonly prompt: ComposedPrompt }
  | { readonly ok: false; readonly lost: 'session' | 'snapshot' | 'diff' };

async function resumedPrompt(
  wave: Wave,
  gate: ReviewGate,
  session: KeptSession,
  past: SlotPast,
  lastLook: SlotRecord | null,
): Promise<ResumedPrompt> {
  const opening = await wave.ports.openings.read(session.stableDigest);
  if (opening === null) return { ok: false, lost: 'session' };
  let shortest: ComposedPrompt | null = null;
  for (const context of CONTEXTS) {
    const delta = await wave.diff(session.saw, context);
    if (!delta.ok) return { ok: false, lost: 'snapshot' };
    const inTree = new Set(delta.value.flatMap(({ paths }) => paths));
    // What is new to the gate and not to the tree, or is compared with another base, no delta would show.
    if (!knowsAll(session.shown, gate.entries, inTree)) return { ok: false, lost: 'diff' };
    const changed = new Set(changedPaths(wave, gate, delta.value, lastLook));
    const text = delta.value
      .filter(({ paths }) => paths.some((path) => changed.has(path)))
      .map((section) => section.text)
      .join('');
    const prompt = resumedGatePrompt(opening, text, past);
    if (shortest === null || prompt.dynamic.length < shortest.dynamic.length) shortest = prompt;
    if (prompt.dynamic.length < session.firstPromptLength * DELTA_SHARE) break;
  }
  return shortest === null ? { ok: false, lost: 'snapshot' } : { ok: true, prompt: shortest };
}

/**
 * The gate's paths among those that differ from what was seen: its entries, and what was taken back to the base since.
 * What came with a newer base is no part of the change.
 */
function changedPaths(
  { facts }: Wave,
  gate: ReviewGate,
  sections: readonly DiffSection[],
  lastLook: SlotRecord | null,
): readonly RepoPath[] {
  const own = new Set(gate.entries.map(({ path }) => path));
  const changed = new Set(facts.snapshot.entries.map(({ path }) => path));
  const isSameBase = lastLook?.own?.mergeBase === facts.comparison.where.mergeBase;
  return sections.flatMap(({ paths }) => paths).filter((path) => own.has(path) || (isSameBase && !changed.has(path)));
}

async function pastOf(wave: Wave, state: GateState, slot: number, lastLook: SlotRecord | null): Promise<SlotPast> {
  const own = (one: StandingFinding) => one.finding.slot === slot && isOpen(one.state);
  const seen = lastLook?.own?.snapshot ?? null;
  const delta = seen === null ? null : await wave.diff(seen, USUAL_CONTEXT);
  return {
    open: state.findings.filter(own).map(({ finding }) => finding),
    declined: declinedOf(state).map(({ finding }) => finding),
    since:
      lastLook === null || delta?.ok !== true
        ? null
        : {
            passed: lastLook.status === 'pass',
            changed: [...new Set(changedPaths(wave, state.gate, delta.value, lastLook))],
          },
  };
}

async function readRubric(
  wave: Wave,
  gate: ReviewGate,
): Promise<{ readonly rubric: string; readonly unshown: SlotJob['unshown'] }> {
  if (gate.task === null) return { rubric: gate.rubric.text, unshown: [] };
  const { references, notices } = await readReferences(gate.task, wave.ports.contents());
  const context: TaskContext = {
    allChanged: wave.facts.snapshot.entries.map(({ path }) => path),
    references: new Map([[gate.task, references]]),
  };
  return { rubric: ruleReview(gate.task, context), unshown: notices };
}
