import { quoteName } from '@onceover/base/kernel/escape';
import { errorSchema } from '@onceover/base/kernel/json-schema';
import type { BackgroundJob } from '@onceover/base/kernel/ports';
import { ASKED_AGAIN } from '@onceover/base/ui/describe-agent-failure';
import { count, someNames } from '@onceover/base/ui/wording';
import type * as z from 'zod';
import { confirmCommand, describeAnswer, promptFinding, promptProblem } from '../../findings/describe.ts';
import { groupBySameCode } from '../../findings/same-code.ts';
import { isOpen } from '../../findings/types.ts';
import { runSchema, type startedRunSchema } from '../json-schema.ts';
import { listProblems } from './result.ts';

export type StartedRunDocument = z.output<typeof startedRunSchema>;

type RunResult = NonNullable<StartedRunDocument['run']>;

/**
 * Returns the JSON document of a background run. If the run printed neither a result nor an error, the state is `died`.
 */
export function startedRunDocument(backgroundRun: BackgroundJob): StartedRunDocument {
  const run = runSchema.safeParse(backgroundRun.answer);
  const error = errorSchema.safeParse(backgroundRun.answer);
  const result = {
    state: backgroundRun.state === 'done' && !run.success && !error.success ? ('died' as const) : backgroundRun.state,
    run: run.success ? run.data : null,
    error: error.success ? error.data.error : null,
  };
  return { run_id: backgroundRun.id, ...result, progress: [...backgroundRun.progress], next: nextStep(result) };
}

function nextStep({ state, run, error }: Pick<StartedRunDocument, 'state' | 'run' | 'error'>): string {
  if (state === 'running') return 'Call get_run until its state is no longer "running". Do not edit files meanwhile.';
  if (error !== null) return `${error.next} Then call start_run again.`;
  if (run === null) return 'Call start_run to run the gates again.';
  if (run.status === 'lock_conflict') return 'Wait until the other run has ended, then call start_run again.';
  return run.exit_code === 0 ? nextAfterPass(run) : nextAfterFailure(run);
}

function nextAfterPass({ status, not_asked }: RunResult): string {
  if (status === 'no_changes') return 'Nothing has changed, so nothing is left to do.';
  if (status === 'no_applicable_gates')
    return 'Nothing was reviewed: tell the user that no gate or rule covers this change.';
  if (not_asked.length === 0) return 'All gates pass: nothing is left to do.';
  return 'All requested gates pass. To run the other gates, call start_run without paths and gate.';
}

function nextAfterFailure(run: RunResult): string {
  if (run.gates.some(({ why }) => why === 'retry-limit')) {
    return `A gate failed too often without progress, and the user has to decide. List the open findings for the user; ${ASKED_AGAIN}.`;
  }
  const open = run.findings.filter(({ state }) => isOpen(state));
  const proposedIds = open.filter(({ answer }) => answer === 'proposed').map(({ id }) => id);
  const confirm = `Ask the user to confirm the proposed waivers in a terminal: ${confirmCommand(proposedIds)}`;
  const otherFailures = run.gates.filter(
    ({ status, why }) => status !== 'pass' && status !== 'holds' && why !== 'open-findings',
  );
  if (proposedIds.length > 0 && proposedIds.length === open.length && otherFailures.length === 0) return confirm;
  const problems = listProblems(run);
  const hasError = problems.length === 0 || run.gates.some(({ status }) => status === 'error');
  return [
    ...(hasError ? ['Some gates have no result, so nothing passed.'] : []),
    `Fix ${[...problems, ...(hasError ? ['the errors above'] : [])].join(' and ')}, then call start_run again.`,
    ...(hasError ? ['If you cannot fix an error, report it to the user.'] : []),
    ...(open.length > proposedIds.length
      ? ['If a finding is wrong or must stay, propose a waiver: call resolve_finding with how "skip" and the reason.']
      : []),
    ...(proposedIds.length > 0 ? [confirm] : []),
  ].join(' ');
}

/** Describes a background run for an agent: its progress or its result, and the next step. */
export function describeStartedRun(document: StartedRunDocument): string {
  return [...blocksOf(document), document.next].filter((block) => block !== '').join('\n\n');
}

function blocksOf({ run_id, state, progress, run, error }: StartedRunDocument): readonly string[] {
  if (state === 'running') return [`Run ${run_id} is in progress.`, progress.join('\n')];
  if (error !== null) return [`The run failed with an error.\n${error.message}`];
  if (run === null) return ['The run ended without a result.', progress.join('\n')];
  if (run.status === 'lock_conflict') return ['Another run is in progress in this working tree.'];
  return [
    `Result: ${run.status} (exit code ${run.exit_code})`,
    run.gates.map(({ id, status, detail }) => `${status}: ${quoteName(id)} (${detail})`).join('\n'),
    ...problemsOf(run).map((problem) => promptProblem(problem, problem.flatMap(answerOf))),
    ...describeWaived(run.findings.filter(({ state }) => state === 'waived')),
    run.not_asked.length === 0 ? '' : `Not part of this run: ${someNames(run.not_asked)}.`,
    run.uncovered_files.length === 0 ? '' : `Not covered by any review: ${someNames(run.uncovered_files)}.`,
    run.warnings.map((warning) => `Warning: ${warning}`).join('\n'),
  ];
}

function problemsOf({ findings }: RunResult) {
  return groupBySameCode(
    findings.filter(({ state }) => isOpen(state)),
    (finding) => finding,
  );
}

/** Lists the waived findings, so that the reader sees which problems a passing gate ignores. */
function describeWaived(waivedFindings: RunResult['findings']): string[] {
  if (waivedFindings.length === 0) return [];
  return [
    `${count(waivedFindings.length, 'finding is', 'findings are')} waived and ${waivedFindings.length === 1 ? 'does' : 'do'} not fail a gate:`,
    ...waivedFindings.map((finding) => promptFinding(finding, answerOf(finding))),
  ];
}

function answerOf({ answer: how, by, proposed_by: proposedBy, why }: RunResult['findings'][number]): readonly string[] {
  return how === null || by === null ? [] : [`${describeAnswer({ how, by, proposedBy })}: ${why ?? ''}`];
}
