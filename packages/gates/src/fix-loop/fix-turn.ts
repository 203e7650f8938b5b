import { type Answers, answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { type ConverseEnd, converse } from '@onceover/agents/dispatch/converse';
import type { Fix } from '@onceover/agents/dispatch/fix-progress';
import type { Budget } from '@onceover/agents/dispatch/limits';
import type { Usage } from '@onceover/base/kernel/agent';
import type { Reviewers, TamperGuard } from '@onceover/base/kernel/ports';
import type { Visibility } from '@onceover/base/kernel/repository';
import { forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import { failureMessage } from '@onceover/base/ui/failure-message';
import { type ChangeView, hiddenByFix, readChange } from '@onceover/repo/trust/hidden-by-fix';
import type { KnownFinding } from '../findings/types.ts';
import type { LoopEnd, RunNotice, RunOutcome } from '../result/types.ts';
import { fixLog } from '../run/describe/logs.ts';
import type { RunPorts, RunRequest } from '../run/ports.ts';
import { failingChecksOf, isSameComparison, openFindingsOf } from './decide-end.ts';
import { type FixTask, fixPrompt, problemsFor } from './prompt.ts';

export type Loop = FixerLoop & {
  readonly ports: RunPorts;
  readonly request: RunRequest;
  readonly proof: TamperGuard;
  /** Reads the facts, such as git's settings, that decide which files reviewers see. */
  visibility(): Promise<Result<Visibility>>;
  /** Whether settings, rules, prompts and agents are the same as at the start of the loop. */
  isSameConfig(): Promise<boolean>;
};

/** The parts of a fix loop that are needed to call the fixing agent. */
type FixerLoop = {
  readonly ports: Pick<RunPorts, 'reporter' | 'cooldowns' | 'clock'>;
  readonly request: Pick<RunRequest, 'settings' | 'stop'>;
  readonly fixer: string;
  readonly reviewers: Reviewers;
  readonly budget: Budget;
};

/** The session of the fixing agent, which can be resumed until the loop ends. */
export type FixerSession = { readonly id: string; readonly usedBefore: Usage | null };

type FixerEnd = ConverseEnd<Answers['fixer']> & { readonly session: FixerSession | null };

type FixerTurn = {
  /** The result of the fixing agent's turn; `null` if the budget was used up before the call. */
  readonly fix: Fix | null;
  readonly session: FixerSession | null;
  readonly after: ChangeView;
  /** The reason why the loop ends; `null` if it continues. */
  readonly end: LoopEnd | null;
  readonly notices: readonly RunNotice[];
};

/**
 * Lets the fixing agent fix the open problems of a run, and records which ones it says it fixed. The next run checks
 * that.
 */
export async function runFixer(
  loop: Loop,
  run: RunOutcome,
  at: { readonly round: number; readonly session: FixerSession | null },
): Promise<Result<FixerTurn>> {
  const { ports, request, fixer: agent } = loop;
  const { session, round } = at;
  const open = openFindingsOf(run);
  const task: FixTask = { findings: open, checks: failingChecksOf(run) };
  const before = await readLoopChange(loop);
  if (!before.ok) return before;
  if (loop.budget.over() !== null) {
    return ok({ fix: null, session: null, after: before.value, end: 'budget', notices: [] });
  }
  ports.reporter.tell({
    kind: 'fix-started',
    round,
    agent,
    dispatch: session === null ? 'fresh' : 'resumed',
    findings: problemsFor(task.findings).length,
    checks: task.checks.length,
  });
  const proofSnapshot = await loop.proof.snapshot();
  const end = await askFixer(loop, task, session);
  // Restore the files with passes and findings first, because the code below trusts them and the fixing agent may have
  // changed them.
  const restoredPaths = await proofSnapshot.restore();
  if (!restoredPaths.ok) return restoredPaths;
  const after = await readLoopChange(loop);
  if (!after.ok) return after;
  const diff = await ports.snapshots.sections(before.value.tree, after.value.tree, 0);
  if (!diff.ok) return diff;
  const hiddenPaths = hiddenByFix(before.value, after.value, diff.value);
  const claims = claimsOf(end, open);
  const fix = fixOf(end, new Set(diff.value.flatMap(({ paths }) => paths)).size, claims);
  ports.reporter.tell({ kind: 'fix-ended', agent, fix });
  const problemIds = [...task.findings, ...task.checks].map(({ id }) => id);
  const log = fixLog(fix, { round, iteration: run.iteration, asked: problemIds }, end.exchanges);
  const logResult = await ports.records.writeFixLog(agent, run.iteration ?? 0, log);
  if (!logResult.ok) return logResult;
  const notices: readonly RunNotice[] = [
    ...(restoredPaths.value.length === 0 ? [] : [{ kind: 'proof-taken-back', paths: restoredPaths.value } as const]),
    ...(hiddenPaths.length === 0 ? [] : [{ kind: 'hidden-by-fixer', paths: hiddenPaths } as const]),
    ...(await recordCost(loop, end, after.value)),
  ];
  const turn = { fix, session: null, after: after.value, notices };
  if (request.stop?.aborted === true) return ok({ ...turn, end: 'interrupted' });
  const isSame = isSameComparison(before.value.comparison, after.value.comparison) && (await loop.isSameConfig());
  if (!isSame || hiddenPaths.length > 0) return ok({ ...turn, end: 'gate-changed' });
  if (end.trouble !== null) return ok({ ...turn, end: end.trouble.kind === 'budget' ? 'budget' : 'fixer-failed' });
  const claimsResult = await recordClaims(loop, claims, run.iteration);
  return claimsResult.ok ? ok({ ...turn, session: end.session, end: null }) : claimsResult;
}

/**
 * Calls the fixing agent, in its earlier session if there is one. If it fails, no other agent replaces it, because that
 * one would not know the edits.
 */
export async function askFixer(
  { ports, request, reviewers, budget, fixer: agent }: FixerLoop,
  task: FixTask,
  session: FixerSession | null,
): Promise<FixerEnd> {
  const { settings, stop } = request;
  const facts = await reviewers.describe(agent);
  const end = await converse(
    {
      ...{ reviewers, budget, clock: ports.clock, cooldowns: ports.cooldowns },
      send: (name, question) =>
        reviewers.ask(name, question, {
          stop,
          watch: (doing, usage) => ports.reporter.tell({ kind: 'fix-active', doing, usage }),
        }),
    },
    {
      kind: 'fixer',
      agent,
      others: [],
      fresh: fixPrompt(task, 'fresh'),
      resumed: session === null ? null : { prompt: fixPrompt(task, 'resumed'), session },
      options: {
        schema: answerSchema('fixer'),
        cacheTtl: settings.cacheTtl === 'auto' ? '5m' : settings.cacheTtl,
        timeoutSeconds: facts.timeoutSeconds ?? settings.timeoutSeconds,
        idleSeconds: settings.idleTimeoutSeconds,
        writes: true,
      },
    },
  );
  if (end.answer === null || !(await facts.canResume())) return { ...end, session: null };
  const id = end.last?.sessionId ?? session?.id ?? null;
  return { ...end, session: id === null ? null : { id, usedBefore: end.last?.sessionUsage ?? null } };
}

/** Reads the change under review, with the same options as the loop. */
export function readLoopChange({ ports: { snapshots }, request, visibility }: Loop): Promise<Result<ChangeView>> {
  return readChange({ snapshots, visibility }, request);
}

type Claim = { readonly id: string; readonly state: 'fixed' | 'declined'; readonly why: string };

/**
 * Returns what the fixing agent says about the given findings. If it says two things about a finding, the last one
 * counts. Its answer also applies to other findings about the same code, unless it answers those too.
 */
function claimsOf({ answer }: FixerEnd, open: readonly KnownFinding[]): readonly Claim[] {
  const claims = new Map((answer?.dispositions ?? []).map((claim) => [claim.id.trim().toUpperCase(), claim]));
  return problemsFor(open).flatMap((problem) => {
    const [first] = problem.flatMap(({ id }) => claims.get(id) ?? []);
    return problem.flatMap(({ id }): Claim[] => {
      const claim = claims.get(id) ?? first;
      return claim === undefined ? [] : [{ id, state: claim.state, why: claim.why }];
    });
  });
}

function fixOf(end: FixerEnd, filesChanged: number, claims: readonly Claim[]): Fix {
  const { agent, dispatch, answer, trouble, usage, durationMs } = end;
  const idsOf = (claimState: Claim['state']) => claims.filter(({ state }) => state === claimState).map(({ id }) => id);
  return {
    ...{ agent, dispatch, filesChanged, usage, durationMs },
    summary: answer?.summary ?? '',
    fixed: idsOf('fixed'),
    declined: idsOf('declined'),
    failure: trouble?.kind === 'agent' ? trouble.failure : null,
  };
}

const LONGEST_REASON = 2000;

/** Records which findings the fixing agent says it fixed, and which it proposes to waive. Neither closes a finding. */
function recordClaims(
  { ports, fixer }: Loop,
  claims: readonly Claim[],
  iteration: number | null,
): Promise<Result<void>> {
  return forEachOk(claims, ({ id, state, why }) =>
    ports.findings.resolve(id, {
      how: state === 'fixed' ? 'fixed' : 'proposed',
      why: why.slice(0, LONGEST_REASON),
      at: ports.clock.now().toISOString(),
      iteration: iteration ?? 0,
      by: { kind: 'agent', name: fixer },
      proposedBy: null,
    }),
  );
}

/**
 * Writes the cost of the fix to the ledger (the log of all calls). If that fails, returns a notice, and the loop
 * continues.
 */
async function recordCost(
  { ports, request, fixer }: Loop,
  { model, dispatch, requests, usage, durationMs }: FixerEnd,
  { comparison }: ChangeView,
): Promise<readonly RunNotice[]> {
  const ledgerResult = await ports.ledger.add({
    kind: 'fix',
    at: ports.clock.now().toISOString(),
    durationMs: Math.round(durationMs),
    startedBy: request.startedBy,
    branch: comparison.where.branch,
    agent: fixer,
    model,
    dispatch,
    asks: requests,
    usage,
  });
  return ledgerResult.ok ? [] : [{ kind: 'not-in-ledger', message: await failureMessage(ledgerResult.failure) }];
}
