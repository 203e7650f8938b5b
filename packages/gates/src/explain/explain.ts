import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { ReviewGate, SlotPlan } from '../gate-types.ts';
import { describePlan } from '../result/describe/reasons.ts';
import { findingDocument, gateDocument, slotDocument } from '../result/json.ts';
import type { GateOutcome } from '../result/types.ts';
import { configuredGates, idleGateOf, subjectOf } from '../run/decide/gate-list.ts';
import { findingState } from '../run/decide/gate-state.ts';
import type { ReviewPlan } from '../run/decide/plan-run.ts';
import { fixResult, isAskedAbout } from '../run/describe/logs.ts';
import { type Preview, previewGates, READ_ONLY } from '../run/open-run.ts';
import type { RunFacts, RunPorts } from '../run/ports.ts';
import { describeFindingState } from './describe-finding.ts';
import { checkReruns, RERUNS, reviewReruns } from './describe-reruns.ts';
import { cacheDocument, type RunExplanation, type RunExplanationDocument, readsDocument } from './json.ts';

/** Returns the last scores of a gate's reviewers in one line; `null` if they were never measured. */
export type ReadScores = (
  repository: RepositoryPaths,
  settings: Preview['request']['settings'],
  gate: ReviewGate,
) => string | null;

/** Explains the gate, check, reviewer or finding with this name. Returns `null` if there is none. */
export async function explainRun(
  paths: RepositoryPaths,
  name: string,
  base: string | null,
  scores: ReadScores,
): Promise<Result<RunExplanation | null>> {
  const previewed = await previewGates(paths, {
    ...READ_ONLY,
    selection: { kind: 'change', base },
    allowUnconfigured: true,
  });
  if (!previewed.ok) return previewed;
  const { request, outcome } = previewed.value;
  const scoresOf = (gate: ReviewGate) => scores(paths, request.settings, gate);
  const subject = subjectOf(name, outcome.gates);
  if (subject === null) {
    const configured = configuredGates(request.settings.gates, request.rules).map(({ id }) => id);
    const gate = idleGateOf(name, configured);
    if (gate === null) return ok(null);
    const document = { about: 'idle_gate' as const, gate, base: outcome.baseName, runs_again: [RERUNS.anyChange] };
    return ok({ document, planned: [], findings: [] });
  }
  switch (subject.kind) {
    case 'ambiguous':
      return err({ kind: 'ambiguous-subject', name, gates: subject.gates.map(({ id }) => id) });
    case 'finding':
      return explainFinding(previewed.value, subject.id);
    case 'slot':
      return ok(await explainReview(previewed.value, subject.gate, subject.slot, scoresOf));
    case 'gate':
      return ok(
        subject.gate.kind === 'check'
          ? await explainCheck(previewed.value, subject.gate)
          : await explainReview(previewed.value, subject.gate, null, scoresOf),
      );
  }
}

/** Explains every gate of a preview. A preview calls no reviewer. */
export async function explainGates(
  repository: RepositoryPaths,
  preview: Preview,
  scores: ReadScores,
): Promise<readonly RunExplanationDocument[]> {
  const scoresOf = (gate: ReviewGate) => scores(repository, preview.request.settings, gate);
  const explained = await Promise.all(
    preview.outcome.gates.map((gate) =>
      gate.kind === 'check' ? explainCheck(preview, gate) : explainReview(preview, gate, null, scoresOf),
    ),
  );
  return explained.flatMap((one) => one?.document ?? []);
}

async function explainFinding(
  { ports, request, outcome, plan, facts }: Preview,
  id: string,
): Promise<Result<RunExplanation>> {
  const finding = facts.findings.find((one) => one.id === id);
  if (finding === undefined) {
    return err({ kind: 'unknown-finding', id, known: outcome.findings.map((one) => one.finding.id) });
  }
  const entries = new Map(facts.snapshot.entries.map((entry) => [entry.path as string, entry]));
  const options = { ...facts.comparison, levels: request.settings, entryOf: (path: string) => entries.get(path) };
  const reported = { finding, state: findingState(finding, options) };
  const owner = plan.reviews.find(({ state }) => state.gate.id === finding.gate);
  const planned = plannedSlots(owner).filter(({ slot }) => slot === finding.slot);
  const isCalled = planned.some(({ kind }) => kind === 'run');
  const document = {
    about: 'finding' as const,
    finding: findingDocument(reported),
    would_be_asked: isCalled,
    would_change_it: describeFindingState(reported, isCalled).next,
    fixes: await fixesOf(ports, [finding.id]),
  };
  return ok({ document, planned, findings: [reported] });
}

/**
 * Explains a review or, with `only`, one of its reviewers. Returns `null` if the change has no such review or reviewer.
 */
async function explainReview(
  preview: Preview,
  judged: GateOutcome,
  only: number | null,
  scoresOf: (gate: ReviewGate) => string | null,
): Promise<RunExplanation | null> {
  const { ports, request, plan, facts } = preview;
  const review = plan.reviews.find(({ state }) => state.gate.id === judged.id);
  if (review === undefined) return null;
  const gate = await withSharedReasons(preview, review.state.gate, judged);
  const { state } = review;
  const isMeant = (slot: number) => only === null || slot === only;
  const planned = plannedSlots(review).filter(({ slot }) => isMeant(slot));
  const findings = state.findings.filter(
    (one) => one.state !== 'closed' && one.state !== 'gone' && isMeant(one.finding.slot),
  );
  const history = state.cycle
    .filter(({ slot }) => isMeant(slot))
    .sort((a, b) => b.iteration - a.iteration || a.slot - b.slot)
    .map(({ iteration, slot, adapter, status, own, violations }) => ({
      ...{ iteration, slot, agent: adapter, status },
      dispatch: own?.dispatch ?? null,
      why: own?.error ?? own?.why ?? null,
      findings: violations.flatMap(({ id }) => id ?? []),
      ...(own?.cache === undefined ? {} : { cache: cacheDocument(own.cache) }),
      ...readsDocument(own),
    }));
  const shared = {
    would_do: planned.map(describePlan),
    findings: findings.map((one) => findingDocument(one)),
    history,
    runs_again: reviewReruns(state, request.settings, only),
  };
  if (only === null) {
    const ids = facts.findings.filter((one) => one.gate === gate.id).map(({ id }) => id);
    const document = {
      ...{ about: 'gate' as const, gate: gateDocument(gate), ...shared },
      files: state.gate.entries.map(({ path }) => path),
      prompt: state.gate.rubric.source,
      proof: scoresOf(state.gate),
      fixes: await fixesOf(ports, ids),
    };
    return { document, planned, findings };
  }
  const slot = gate.slots.find((one) => one.slot === only);
  if (slot === undefined) return null;
  const last = history.find(({ dispatch }) => dispatch !== 'none');
  const log = await lastLog(ports, facts, gate, only, last);
  return { document: { about: 'slot', gate: gate.id, slot: slotDocument(slot), ...shared, log }, planned, findings };
}

/** Adds the reason why no pass of another clone counts to the gate's reviewers, even if they have run here since. */
async function withSharedReasons(
  { ports: { shared }, request, facts }: Preview,
  gate: ReviewGate,
  judged: GateOutcome,
): Promise<GateOutcome> {
  const { scope } = facts.comparison;
  if (shared == null || scope.kind === 'narrow') return judged;
  const [{ wantedPass }, { changedAgents }] = await Promise.all([
    import('../run/decide/travel.ts'),
    import('@onceover/repo/trust/changed-agents'),
  ]);
  const { settings, builtInAgents: builtIn = [], root } = request;
  const paths = facts.snapshot.entries.map(({ path }) => path);
  const allowed = { settings, builtIn, changed: changedAgents(settings.agent, root, paths) };
  const slots = await Promise.all(
    judged.slots.map(async (slot) => {
      if (slot.why === 'accepted') return slot;
      const wanted = wantedPass(gate, slot.slot, scope.key, allowed);
      return { ...slot, shared: await shared.explain(wanted) };
    }),
  );
  return { ...judged, slots };
}

async function explainCheck(
  { ports, request, plan, facts }: Preview,
  gate: GateOutcome,
): Promise<RunExplanation | null> {
  const state = facts.checks.find((one) => one.gate.id === gate.id);
  if (state === undefined) return null;
  const history = facts.past.checks
    .filter((record) => record.gate === gate.id)
    .sort((a, b) => b.iteration - a.iteration)
    .map(({ iteration, status, exitCode, durationMs, why }) => ({
      ...{ iteration, status, why },
      exit_code: exitCode,
      duration_ms: durationMs,
    }));
  const document = {
    ...{ about: 'check' as const, gate: gateDocument(gate), command: state.gate.command, history },
    would_run: plan.checks.some((one) => one.gate.id === gate.id && one.kind === 'run'),
    log: await lastLog(ports, facts, gate, null, history[0]),
    fixes: await fixesOf(ports, [gate.id]),
    runs_again: checkReruns(state, request.settings),
  };
  return { document, planned: [], findings: [] };
}

async function lastLog(
  ports: RunPorts,
  { nameOf }: RunFacts,
  gate: GateOutcome,
  slot: number | null,
  record: { readonly iteration: number } | undefined,
): Promise<string | null> {
  return record === undefined ? null : ports.records.readLog(nameOf(gate.id), slot, record.iteration);
}

/** Returns the logged fixes in which the fixing agent had to fix one of these findings or checks. */
async function fixesOf(ports: RunPorts, ids: readonly string[]) {
  return (await ports.records.fixLogs())
    .filter(({ log }) => isAskedAbout(log, ids))
    .map(({ agent, iteration, log, path }) => ({ agent, iteration, said: [...fixResult(log)], log: path }));
}

function plannedSlots(review: ReviewPlan | undefined): readonly SlotPlan[] {
  return review?.kind === 'run' ? review.slots : [];
}
