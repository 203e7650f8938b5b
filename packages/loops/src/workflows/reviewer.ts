import { knownAgents } from '@onceover/agents/adapters/installed';
import { openLedger } from '@onceover/agents/ledger/store';
import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import type { Failure } from '@onceover/base/kernel/failure';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { readSettings } from '@onceover/repo/config/effective-settings';
import { openSnapshots } from '@onceover/repo/git/snapshot';
import { needsApproval, requireConsent } from '@onceover/repo/trust/consent';
import type { OutputJudge, StepName } from './do/finish-step.ts';
import { openQualityCli, USUAL_AGENT } from './quality/agent.ts';
import { QualityGate } from './quality/gate.ts';
import { type QualityCli, QualityGateError, type QualityQuestions } from './quality/types.ts';
import type { SessionReviewer } from './types.ts';

export type WorkflowCaller = {
  /** The caller. If it is a person, the call also approves the repository's commands; an agent cannot approve them. */
  readonly startedBy: 'person' | 'agent';
  readonly stop: AbortSignal | null;
};

/** Returns the reviewer that the caller wants. Default: Claude Code or, if that is not installed, self-review. */
export async function chooseReviewer(
  repository: RepositoryPaths,
  request: WorkflowCaller & { readonly reviewer: string | null; readonly selfReview: boolean },
): Promise<Result<{ readonly reviewer: SessionReviewer; readonly reviewerMissing: boolean }>> {
  if (request.selfReview) return ok({ reviewer: { kind: 'self' }, reviewerMissing: false });
  const name = request.reviewer ?? USUAL_AGENT;
  const reviewerCheck = await findReviewer(repository, name, request);
  if (reviewerCheck.ok) return ok({ reviewer: { kind: 'agent', name }, reviewerMissing: false });
  const fallsBack = request.reviewer === null && reviewerCheck.failure.kind === 'reviewer-not-here';
  return fallsBack ? ok({ reviewer: { kind: 'self' }, reviewerMissing: true }) : reviewerCheck;
}

/**
 * Opens the quality gate with the reviewer of a session. Calls `lost` if a cost cannot be written to the ledger (the
 * log of calls).
 */
export async function openStepJudge(
  repository: RepositoryPaths,
  reviewer: SessionReviewer,
  caller: WorkflowCaller & { lost(failure: Failure): void },
  about: StepName,
): Promise<Result<OutputJudge>> {
  if (reviewer.kind === 'self') return ok(new QualityGate());
  const reviewerCheck = await findReviewer(repository, reviewer.name, caller);
  if (!reviewerCheck.ok) return reviewerCheck;
  const ledger = openLedger(repository.commonDir);
  let branch: Promise<string | null> | null = null;
  const recordCosts = async (questions: QualityQuestions) => {
    const at = new Date().toISOString();
    branch ??= branchOf(repository);
    const context = { at, startedBy: caller.startedBy, branch: await branch };
    const addResult = await ledger.add({ kind: 'step', ...about, ...context, ...costOf(questions) });
    if (!addResult.ok) caller.lost(addResult.failure);
  };
  let opening: ReturnType<typeof openQualityCli> | null = null;
  const cli: QualityCli = {
    async run(call) {
      // Open the agent only when it is first called, so that a failure is reported as a review without a verdict.
      opening ??= openQualityCli(repository.root, { agent: reviewer.name, signal: caller.stop }, recordCosts);
      const agentCli = await opening;
      if (!agentCli.ok) throw new QualityGateError(describeFailure(agentCli.failure).what);
      return agentCli.value.run(call);
    },
  };
  return ok(new QualityGate({ cli }));
}

function costOf({ dispatches, isAnswered }: QualityQuestions) {
  const last = dispatches.at(-1);
  return {
    durationMs: Math.round(dispatches.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    status: isAnswered ? 'done' : 'error',
    agent: last?.agent ?? '',
    model: last?.model ?? null,
    dispatch: 'fresh',
    asks: dispatches.reduce((sum, { retries }) => sum + 1 + retries, 0),
    usage: dispatches.reduce<Usage | null>((sum, { usage }) => addUsage(sum, usage), null),
  } as const;
}

async function branchOf(repository: RepositoryPaths): Promise<string | null> {
  const comparison = await openSnapshots(repository).compare({ kind: 'uncommitted' }, null);
  return comparison.ok ? comparison.value.where.branch : null;
}

/** Fails if an agent is not installed, or if the settings define its command and the user has not approved that. */
async function findReviewer(
  repository: RepositoryPaths,
  name: string,
  { startedBy }: WorkflowCaller,
): Promise<Result<void>> {
  const runSettings = await readSettings(repository, { kind: 'change', base: null });
  if (!runSettings.ok) return runSettings;
  runSettings.value.parsed.save();
  const { settings, written } = runSettings.value;
  const agents = await knownAgents(settings.agent, process.env, repository.root);
  const agent = agents.find((candidate) => candidate.agent.name === name);
  if (agent === undefined)
    return err({ kind: 'unknown-agent', name, known: agents.map((candidate) => candidate.agent.name) });
  if (agent.program === null) {
    const installedNames = agents.filter(({ program }) => program !== null).map((candidate) => candidate.agent.name);
    return err({ kind: 'reviewer-not-here', name, found: installedNames });
  }
  const agentSettings = agent.settings;
  return agentSettings !== null && needsApproval(agentSettings)
    ? requireConsent(repository, written, startedBy)
    : ok(undefined);
}
