import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { ReviewGate, SlotPlan } from '../gate-types.ts';
import { describePlan } from '../result/describe/reasons.ts';
import { findingDocument, gateDocument, slotDocument } from '../result/json.ts';
import type { GateOutcome } from '../result/types.ts';
import { configuredGates } from '../run/decide/gate-list.ts';
import { findingState, type GateState } from '../run/decide/gate-state.ts';
import type { ReviewPlan } from '../run/decide/plan-run.ts';
import { fixResult, isAskedAbout } from '../run/describe/logs.ts';
import { type Preview, previewGates, READ_ONLY } from '../run/open-run.ts';
import type { RunFacts, RunPorts } from '../run/ports.ts';
import { idleGateOf, subjectOf } from './decide-subject.ts';
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
  const preview = await previewGates(paths, {
    ...READ_ONLY,
    selection: { kind: 'change', base },
    allowUnconfigured: true,
  });
  if (!preview.ok) return preview;
  const { request, outcome } = preview.value;
  const scoresOf = (gate: ReviewGate) => scores(paths, request.settings, gate);
  const subject = subjectOf(name, outcome.gates);
  if (subject === null) {
    const gateIds = configuredGates(request.settings.gates, request.rules).map(({ id }) => id);
    const gate = idleGateOf(name, gateIds);
    if (gate === null) return ok(null);
    const document = { about: 'idle_gate' as const, gate, base: outcome.baseName, runs_again: [RERUNS.anyChange] };
    return ok({ document, planned: [], findings: [] });
  }
  switch (subject.kind) {
    case 'ambiguous':
      return err({ kind: 'ambiguous-subject', name, gates: subject.gates.map(({ id }) => id) });
    case 'finding':
      return explainFinding(preview.value, subject.id);
    case 'slot':
      return ok(await explainReview(preview.value, subject.gate, subject.slot, scoresOf));
    case 'gate':
      return ok(
        subject.gate.kind === 'check'
          ? await explainCheck(preview.value, subject.gate)
          : await explainReview(preview.value, subject.gate, null, scoresOf),
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
  const explanations = await Promise.all(
    preview.outcome.gates.map((gate) =>
      gate.kind === 'check' ? explainCheck(preview, gate) : explainReview(preview, gate, null, scoresOf),
    ),
  );
  return explanations.flatMap((explanation) => explanation?.document ?? []);
}

async function explainFinding(
  { ports, request, outcome, plan, facts }: Preview,
  id: string,
): Promise<Result<RunExplanation>> {
  const finding = facts.findings.find((candidate) => candidate.id === id);
  if (finding === undefined) {
    return err({ kind: 'unknown-finding', id, known: outcome.findings.map((knownFinding) => knownFinding.finding.id) });
  }
  const entries = new Map(facts.snapshot.entries.map((entry) => [entry.path as string, entry]));
  const options = { ...facts.comparison, levels: request.settings, entryOf: (path: string) => entries.get(path) };
  const reportedFinding = { finding, state: findingState(finding, options) };
  const owner = plan.reviews.find(({ state }) => state.gate.id === finding.gate);
  const slotPlans = plannedSlots(owner).filter(({ slot }) => slot === finding.slot);
  const isCalled = slotPlans.some(({ kind }) => kind === 'run');
  const document = {
    about: 'finding' as const,
    finding: findingDocument(reportedFinding),
    would_be_asked: isCalled,
    would_change_it: describeFindingState(reportedFinding, isCalled).next,
    fixes: await fixesOf(ports, [finding.id]),
  };
  return ok({ document, planned: slotPlans, findings: [reportedFinding] });
}

/**
 * Explains a review or, with `only`, one of its reviewers. Returns `null` if the change has no such review or reviewer.
 */
async function explainReview(
  preview: Preview,
  gateOutcome: GateOutcome,
  only: number | null,
  scoresOf: (gate: ReviewGate) => string | null,
): Promise<RunExplanation | null> {
  const { ports, request, plan, facts } = preview;
  const review = plan.reviews.find(({ state }) => state.gate.id === gateOutcome.id);
  if (review === undefined) return null;
  const { state } = review;
  const gate = await withSharedReasons(preview, state, gateOutcome);
  const isMeant = (slot: number) => only === null || slot === only;
  const slotPlans = plannedSlots(review).filter(({ slot }) => isMeant(slot));
  const findings = state.findings.filter(
    (reportedFinding) =>
      reportedFinding.state !== 'closed' && reportedFinding.state !== 'gone' && isMeant(reportedFinding.finding.slot),
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
  const commonFields = {
    would_do: slotPlans.map(describePlan),
    findings: findings.map((reportedFinding) => findingDocument(reportedFinding)),
    history,
    runs_again: reviewReruns(state, request.settings, only),
  };
  if (only === null) {
    const ids = facts.findings.filter((finding) => finding.gate === gate.id).map(({ id }) => id);
    const document = {
      ...{ about: 'gate' as const, gate: gateDocument(gate), ...commonFields },
      files: state.gate.entries.map(({ path }) => path),
      prompt: state.gate.rubric.source,
      proof: scoresOf(state.gate),
      fixes: await fixesOf(ports, ids),
    };
    return { document, planned: slotPlans, findings };
  }
  const slot = gate.slots.find((candidate) => candidate.slot === only);
  if (slot === undefined) return null;
  const last = history.find(({ dispatch }) => dispatch !== 'none');
  const log = await lastLog(ports, facts, gate, only, last);
  return {
    document: { about: 'slot', gate: gate.id, slot: slotDocument(slot), ...commonFields, log },
    planned: slotPlans,
    findings,
  };
}

/** Adds the reason why no pass of another clone counts to the gate's reviewers, even if they have run here since. */
async function withSharedReasons(
  { ports, request, facts }: Preview,
  state: GateState,
  gateOutcome: GateOutcome,
): Promise<GateOutcome> {
  const { scope } = facts.comparison;
  const { shared } = ports;
  if (shared == null || scope.kind === 'narrow') return gateOutcome;
  const [{ wantedPass }, { readAllowedAgents }] = await Promise.all([
    import('../run/decide/travel.ts'),
    import('../run/read/shared-passes.ts'),
  ]);
  const allowedAgents = await readAllowedAgents(ports, request, facts.snapshot.entries);
  const slots = await Promise.all(
    gateOutcome.slots.map(async (slot) => {
      if (slot.why === 'accepted') return slot;
      const passRequest = wantedPass(state, slot.slot, scope.key, allowedAgents);
      return { ...slot, shared: await shared.explain(passRequest) };
    }),
  );
  return { ...gateOutcome, slots };
}

async function explainCheck(
  { ports, request, plan, facts }: Preview,
  gate: GateOutcome,
): Promise<RunExplanation | null> {
  const state = facts.checks.find((candidate) => candidate.gate.id === gate.id);
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
    would_run: plan.checks.some((checkPlan) => checkPlan.gate.id === gate.id && checkPlan.kind === 'run'),
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
