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
  wanted: WorkflowCaller & { readonly reviewer: string | null; readonly selfReview: boolean },
): Promise<Result<{ readonly reviewer: SessionReviewer; readonly reviewerMissing: boolean }>> {
  if (wanted.selfReview) return ok({ reviewer: { kind: 'self' }, reviewerMissing: false });
  const name = wanted.reviewer ?? USUAL_AGENT;
  const found = await findReviewer(repository, name, wanted);
  if (found.ok) return ok({ reviewer: { kind: 'agent', name }, reviewerMissing: false });
  const fallsBack = wanted.reviewer === null && found.failure.kind === 'reviewer-not-here';
  return fallsBack ? ok({ reviewer: { kind: 'self' }, reviewerMissing: true }) : found;
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
  const found = await findReviewer(repository, reviewer.name, caller);
  if (!found.ok) return found;
  const ledger = openLedger(repository.commonDir);
  let branch: Promise<string | null> | null = null;
  const evaluated = async (questions: QualityQuestions) => {
    const at = new Date().toISOString();
    branch ??= branchOf(repository);
    const dated = { at, startedBy: caller.startedBy, branch: await branch };
    const added = await ledger.add({ kind: 'step', ...about, ...dated, ...costOf(questions) });
    if (!added.ok) caller.lost(added.failure);
  };
  let opening: ReturnType<typeof openQualityCli> | null = null;
  const cli: QualityCli = {
    async run(call) {
      // Open the agent only when it is first called, so that a failure is reported as a review without a verdict.
      opening ??= openQualityCli(repository.root, { agent: reviewer.name, signal: caller.stop }, evaluated);
      const opened = await opening;
      if (!opened.ok) throw new QualityGateError(describeFailure(opened.failure).what);
      return opened.value.run(call);
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
  const compared = await openSnapshots(repository).compare({ kind: 'uncommitted' }, null);
  return compared.ok ? compared.value.where.branch : null;
}

/** Fails if an agent is not installed, or if the settings define its command and the user has not approved that. */
async function findReviewer(
  repository: RepositoryPaths,
  name: string,
  { startedBy }: WorkflowCaller,
): Promise<Result<void>> {
  const read = await readSettings(repository, { kind: 'change', base: null });
  if (!read.ok) return read;
  read.value.parsed.save();
  const { settings, written } = read.value;
  const known = await knownAgents(settings.agent, process.env, repository.root);
  const agent = known.find((one) => one.agent.name === name);
  if (agent === undefined) return err({ kind: 'unknown-agent', name, known: known.map((one) => one.agent.name) });
  if (agent.program === null) {
    const found = known.filter(({ program }) => program !== null).map((one) => one.agent.name);
    return err({ kind: 'reviewer-not-here', name, found });
  }
  const own = agent.settings;
  return own !== null && needsApproval(own) ? requireConsent(repository, written, startedBy) : ok(undefined);
}
