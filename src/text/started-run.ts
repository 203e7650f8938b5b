import { type FindingState, isOpen } from '../domain/finding.ts';
import { quoteName } from '../domain/quote-name.ts';
import { ASKED_AGAIN } from './asked-again.ts';
import { someNames } from './names.ts';
import { atPlace } from './place.ts';

/** What there is to tell of a run that was started. */
type StartedRun = {
  readonly run_id: string;
  readonly state: 'running' | 'done' | 'died';
  readonly progress: readonly string[];
  readonly run: Result | null;
  readonly error: { readonly message: string; readonly next: string } | null;
};

type Result = {
  readonly status: string;
  readonly exit_code: number;
  readonly gates: readonly {
    readonly id: string;
    readonly kind: string;
    readonly status: string;
    readonly why: string;
    readonly detail: string;
  }[];
  readonly findings: readonly ToldFinding[];
  readonly not_asked: readonly string[];
  readonly uncovered_files: readonly string[];
  readonly warnings: readonly string[];
};

type ToldFinding = {
  readonly id: string;
  readonly state: FindingState;
  readonly priority: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly issue: string;
  readonly fix: string | null;
};

/** A started run in words for an agent: how far it is, or what came of it, and what to do. */
export function tellStartedRun(told: StartedRun & { readonly next: string }): string {
  return [...blocksOf(told), told.next].filter((block) => block !== '').join('\n\n');
}

/** What the agent is to do now. */
export function nextOfStartedRun({ state, run, error }: Omit<StartedRun, 'run_id' | 'progress'>): string {
  if (state === 'running') return 'Call get_run until its state is no longer "running". Edit nothing meanwhile.';
  if (error !== null) return `${error.next} Then call start_run again.`;
  if (run === null) return 'Call start_run to have the gates run again.';
  if (run.status === 'lock_conflict') return 'Wait until the other run has ended, then call start_run again.';
  return run.exit_code === 0 ? nextOfPass(run) : nextOfOpen(run);
}

function nextOfPass({ status, not_asked }: Result): string {
  if (status === 'no_changes') return 'Nothing has changed, so nothing is left to do.';
  if (status === 'no_applicable_gates')
    return 'Nothing was reviewed: tell the person that no gate or rule covers this change.';
  if (not_asked.length === 0) return 'Every gate holds: nothing is left to do.';
  return 'Every gate that was asked about holds. Call start_run without paths and gate to have the others judged.';
}

function nextOfOpen(run: Result): string {
  if (run.gates.some(({ why }) => why === 'retry-limit')) {
    return `A gate failed too often in a row, and a person has to look. Tell them what is open; ${ASKED_AGAIN}.`;
  }
  const isChecked = run.gates.some(({ kind, status }) => kind === 'check' && status === 'fail');
  const again = 'then call start_run again';
  if (run.findings.some(({ state }) => isOpen(state))) {
    const what = isChecked ? 'what is open and what the checks say' : 'what is open';
    return `Mend ${what}, ${again}. What is wrong or must stay: call resolve_finding with how "skip" and the reason.`;
  }
  if (isChecked) return `Mend what the checks say, ${again}.`;
  return `Not every gate could be judged, so nothing was passed. Put right what they say, or tell the person, ${again}.`;
}

function blocksOf({ run_id, state, progress, run, error }: StartedRun): readonly string[] {
  if (state === 'running') return [`Run ${run_id} is going on.`, progress.join('\n')];
  if (error !== null) return [`The run could not judge.\n${error.message}`];
  if (run === null) return ['The run ended without a result.', progress.join('\n')];
  if (run.status === 'lock_conflict') return ['Another run is going on in this working tree.'];
  return [
    `Result: ${run.status} (exit code ${run.exit_code})`,
    run.gates.map(({ id, status, detail }) => `${status}: ${quoteName(id)} (${detail})`).join('\n'),
    ...run.findings.filter(({ state }) => isOpen(state)).map(tellFinding),
    run.not_asked.length === 0 ? '' : `Not asked about: ${someNames(run.not_asked)}.`,
    run.uncovered_files.length === 0 ? '' : `Covered by no review: ${someNames(run.uncovered_files)}.`,
    run.warnings.map((warning) => `Warning: ${warning}`).join('\n'),
  ];
}

function tellFinding(finding: ToldFinding): string {
  return [
    `${finding.id} (${finding.priority}) ${atPlace(finding)}`,
    ...(finding.code === null ? [] : [`  code: ${finding.code}`]),
    `  issue: ${finding.issue}`,
    ...(finding.fix === null ? [] : [`  fix: ${finding.fix}`]),
  ].join('\n');
}
