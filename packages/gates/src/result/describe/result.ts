import { quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { ASKED_AGAIN } from '@onceover/base/ui/describe-agent-failure';
import {
  asShellWord,
  type ByKind,
  byKind,
  count,
  describeHidden,
  describeTakenBack,
  someNames,
} from '@onceover/base/ui/wording';
import { bySeverity, confirmCommand, describeContested } from '../../findings/describe.ts';
import { groupBySameCode, type PointedAt, problemsIn } from '../../findings/same-code.ts';
import type { ReportedFinding } from '../../findings/types.ts';
import { isContested, isOpen, isProposed, waitsForPerson } from '../../findings/types.ts';
import { describeNotice } from '../../rules/describe.ts';
import type { GateOutcome, RunNotice, RunOutcome } from '../types.ts';
import { NOT_FOUND } from './reasons.ts';
import { describeNoSharedPasses } from './shared.ts';

/** Returns one line each for the verdict of a run, for what the run left out, and for the next step. */
export function describeVerdict(outcome: RunOutcome): string[] {
  return [
    `${RESULTS[outcome.status](outcome)} (exit code ${outcome.exitCode})`,
    ...describeExcluded(outcome),
    ...nextSteps(outcome),
  ];
}

const RESULTS: Readonly<Record<RunOutcome['status'], (outcome: RunOutcome) => string>> = {
  no_changes: (outcome) => `Nothing to review: ${describeNoChanges(outcome)}`,
  no_applicable_gates: (outcome) =>
    `${isUnconfiguredRun(outcome) ? 'Neutral, nothing' : 'Nothing'} was reviewed: ${describeNoGate(outcome)}`,
  passed: (outcome) => `Passed: ${describePassed(outcome)}`,
  passed_with_warnings: (outcome) => `Passed with warnings: ${describePassed(outcome)}`,
  failed: (outcome) =>
    isWaiting(outcome)
      ? `Not reviewed yet: ${count(withStatus(outcome, 'not_run').length, 'gate has', 'gates have')} not passed on the current code`
      : `Failed: ${counts(outcome)}`,
  error: (outcome) => `Error: ${counts(outcome)}`,
  retry_limit_exceeded: () => 'Failed: a gate failed too often without progress, so onceover stopped running it',
  lock_conflict: () => 'Another run is in progress in this working tree',
};

function isUnconfiguredRun({ notices }: RunOutcome): boolean {
  return notices.some(({ kind }) => kind === 'unconfigured');
}

export function describeNoChanges({ baseName, scope }: RunOutcome): string {
  if (baseName === null) return 'there are no files yet';
  return `${scope.kind === 'full' ? 'no changes' : 'no changes in the requested part'} since ${quoteName(baseName)}`;
}

/** Describes that no gate applies to the change, or to the requested part of it. */
export function describeNoGate({ asked, notices }: RunOutcome): string {
  const notice = notices.find(({ kind }) => kind === 'unconfigured');
  if (notice !== undefined) return describeRunNotice(notice);
  if (asked === null) return 'no gate or rule covers the changed files';
  const paths = asked.paths.filter((path) => path !== '');
  const where = paths.length === 0 ? 'this change' : someNames(paths);
  return asked.gates.length === 0
    ? `no gate or rule has a change to review in ${where}`
    : `${someNames(asked.gates)} has nothing to review in ${where}`;
}

function describePassed({ gates, asked, iteration, scope, baseName }: RunOutcome): string {
  const waivedCount = gates.filter(({ why }) => why === 'waived').length;
  const gateCount = gates.length === 1 ? '1 gate' : `all ${gates.length} gates`;
  const subject = (asked?.others.length ?? 0) > 0 ? count(gates.length, 'requested gate') : gateCount;
  const [kind = ''] = scope.key.split(' ');
  const since = kind === 'base' ? `, changes since ${quoteName(baseName ?? 'the first commit')} only` : '';
  const only = SCOPES[kind]?.only ?? since;
  const byWaiver =
    waivedCount === 0 ? '' : `, ${waivedCount === gates.length ? '' : `${waivedCount} `}with waived findings`;
  const acceptedCount = gates.filter(({ why }) => why === 'accepted').length;
  const byOthers =
    acceptedCount === 0
      ? ''
      : `, ${acceptedCount === gates.length ? '' : `${acceptedCount} `}accepted from other clones`;
  const isUnchanged = iteration === null && acceptedCount < gates.length;
  return `${subject}${only}${byWaiver}${byOthers}${isUnchanged ? `, ${acceptedCount === 0 ? '' : 'the others '}unchanged since the last ${waivedCount === 0 ? 'pass' : 'run'}` : ''}`;
}

/** Lists what a passed run did not review, so that no one assumes that it passed. */
function describeExcluded(outcome: RunOutcome): string[] {
  if (outcome.status !== 'passed' && outcome.status !== 'passed_with_warnings') return [];
  const [kind = ''] = outcome.scope.key.split(' ');
  const exclusions = [SCOPES[kind]?.excluded ?? '', someNames(outcome.asked?.others ?? [])].filter(
    (exclusion) => exclusion !== '',
  );
  return exclusions.length === 0 ? [] : [`Not part of this run: ${exclusions.join('; ')}.`];
}

/** For a run about a part of the change: the words for what it reviewed and for what it left out. */
const SCOPES: Readonly<Partial<Record<string, { readonly only: string; readonly excluded: string }>>> = {
  uncommitted: { only: ', uncommitted changes only', excluded: 'committed changes' },
  commit: { only: ', this commit only', excluded: 'everything else' },
  files: { only: ', the named files only', excluded: 'all other files' },
};

function withStatus({ gates }: RunOutcome, ...statuses: readonly GateOutcome['status'][]): readonly GateOutcome[] {
  return gates.filter(({ status }) => statuses.includes(status));
}

/** Whether the only problem is that some gates have not run yet. */
function isWaiting(outcome: RunOutcome): boolean {
  const { iteration, gates, findings } = outcome;
  return (
    iteration === null &&
    withStatus(outcome, 'not_run').length > 0 &&
    withStatus(outcome, 'not_run', 'holds').length === gates.length &&
    !findings.some(({ state }) => isOpen(state))
  );
}

function counts(outcome: RunOutcome): string {
  const openFindings = outcome.findings.filter(({ state }) => isOpen(state));
  const gates = new Set(openFindings.map(({ finding }) => finding.gate));
  const open = problemsIn(openFindings);
  const failedGates = withStatus(outcome, 'fail').filter(({ id }) => !gates.has(id));
  const checks = failedGates.filter(({ kind }) => kind === 'check').length;
  const parts = [
    [open.length, `${count(open.length, 'open finding')} in ${count(gates.size, 'gate')}`],
    [checks, count(checks, 'failed check')],
    [failedGates.length - checks, count(failedGates.length - checks, 'failed review')],
    [withStatus(outcome, 'error').length, `${count(withStatus(outcome, 'error').length, 'gate')} without a result`],
    [withStatus(outcome, 'not_run').length, `${count(withStatus(outcome, 'not_run').length, 'gate')} not run`],
  ] as const;
  const phrases = parts.filter(([number]) => number > 0).map(([, words]) => words);
  if (phrases.length > 0) return phrases.join(', ');
  const isUnnameable = outcome.notices.some(({ kind }) => kind === 'unnameable');
  return isUnnameable ? 'the name of a changed file is not UTF-8' : 'every gate passes, but a report is missing';
}

const AGAIN = 'run "onceover run" again';

function nextSteps(outcome: RunOutcome): string[] {
  const { status, exitCode, isOnBase, asked } = outcome;
  if (status === 'no_changes' && isOnBase) return [ON_BASE];
  if (status === 'no_applicable_gates') {
    return asked === null
      ? [
          `Next: ${isUnconfiguredRun(outcome) ? 'create a first configuration with "onceover init"' : 'add a gate for these files to onceover.yml'}.`,
        ]
      : ['Next: run "onceover status" to see the gates of this change.'];
  }
  if (status === 'lock_conflict') return [`Next: wait until the other run has ended, then ${AGAIN}.`];
  return exitCode === 0 ? [] : afterFailure(outcome);
}

const ON_BASE =
  'You are on the base branch, so there is nothing to compare. Review the last commit with "onceover run --commit HEAD", or choose a base with --base.';

function afterFailure(outcome: RunOutcome): string[] {
  const { gates, findings, iteration, status } = outcome;
  const open = findings.filter(({ state }) => isOpen(state)).sort(bySeverity);
  const proposedIds = open.filter(({ finding }) => isProposed(finding)).map(({ finding }) => finding.id);
  const contestedFindings = open.filter(({ finding }) => isContested(finding)).map(({ finding }) => finding);
  const confirm = [
    ...(proposedIds.length === 0 ? [] : [`To accept the proposed waivers: ${confirmCommand(proposedIds)}`]),
    ...contestedFindings.map(describeContested),
  ];
  if (gates.some(({ why }) => why === 'retry-limit')) {
    return [`Next: look at the open findings; then ${ASKED_AGAIN}.`, ...confirm];
  }
  const hasError = status === 'error' || withStatus(outcome, 'error').length > 0;
  const solution = knownSolution(gates);
  const problems = [...listProblems(outcome), ...(hasError && solution === null ? ['the error above'] : [])];
  const check = withStatus(outcome, 'fail').find(({ kind }) => kind === 'check')?.check;
  const fix = open.length === 0 && check?.exitCode === NOT_FOUND ? INSTALL : `fix ${problems.join(' and ')}`;
  const steps = [...(problems.length === 0 ? [] : [fix]), ...(hasError && solution !== null ? [solution] : [])];
  if (steps.length === 0) {
    return iteration === null && withStatus(outcome, 'not_run').length > 0 ? ['Next: run "onceover run".'] : [];
  }
  // Do not suggest a waiver in a pull request's CI job: the waiver would be stored in a clone that the next job does
  // not have.
  const isPullRequest = outcome.notices.some(({ kind }) => kind === 'base-config');
  const first = isPullRequest ? undefined : open.find(({ finding }) => !waitsForPerson(finding));
  const waive = problemsIn(open).length === 1 ? 'To waive the finding instead' : 'To waive a finding instead';
  return [
    `Next: ${steps.join(', ')}, then ${AGAIN}.`,
    ...(first === undefined ? [] : [`${waive}: onceover resolve ${first.finding.id} --skip "reason"`]),
    ...confirm,
  ];
}

const INSTALL = 'install the command that the check calls, or change the check in onceover.yml';

type JudgedRun = {
  readonly gates: readonly Pick<GateOutcome, 'kind' | 'status'>[];
  readonly findings: readonly (ReportedFinding | PointedAt)[];
};

/** Names what has to be fixed in the code: "the open findings", "the failed checks", or both. */
export function listProblems({ gates, findings }: JudgedRun): string[] {
  const openFindings = findings.filter(({ state }) => isOpen(state));
  const open = groupBySameCode(openFindings, (entry) =>
    'finding' in entry ? { ...entry.finding, state: entry.state } : entry,
  ).length;
  const checks = gates.filter(({ kind, status }) => kind === 'check' && status === 'fail').length;
  return [
    ...(open === 0 ? [] : [open === 1 ? 'the open finding' : 'the open findings']),
    ...(checks === 0 ? [] : [checks === 1 ? 'the failed check' : 'the failed checks']),
  ];
}

/** Returns the next step that solves the first error with a known solution; `null` if no error has one. */
function knownSolution(gates: readonly GateOutcome[]): string | null {
  for (const { trouble } of gates.flatMap(({ slots }) => slots)) {
    if (trouble?.kind === 'no-agent' && trouble.cooling.length === 0) {
      const file = trouble.missing?.find(({ isFile }) => isFile);
      if (file !== undefined) return `run "chmod +x ${asShellWord(file.program)}"`;
      return 'run "onceover doctor" to see how to install an agent';
    }
    if (trouble?.kind === 'agent' && trouble.failure.kind === 'not-logged-in') {
      return `start ${quoteName(trouble.agent)} once and log in`;
    }
  }
  return null;
}

/** Describes a notice in one short sentence, without a full stop. */
export function describeRunNotice(notice: RunNotice): string {
  return byKind(NOTICES, notice);
}

const NOTICES: ByKind<RunNotice, string> = {
  'idle-gate': ({ path }) => `no file matches the gate path ${quoteName(path)}`,
  'ignored-setting': ({ name }) =>
    `the setting ${showInvisible(name)} in onceover.yml has no effect any more: delete it`,
  'tracked-log-dir': ({ logDir }) =>
    `git tracks records in ${quoteName(logDir)}; onceover ignores them and does not review changes to them; remove them with "git rm --cached"`,
  unnameable: ({ name }) =>
    `the name of a changed file is not UTF-8, so it cannot be reviewed; rename the file or add it to .gitignore: ${showInvisible(name)}`,
  submodule: ({ path }) => `${quoteName(path)} is a submodule; only its commit is reviewed, not its files`,
  'dirty-submodule': ({ path }) =>
    `${quoteName(path)} is a submodule with uncommitted changes, which are not reviewed here`,
  'base-config': ({ base }) => `this is a pull request, so settings, rules and prompts come from ${quoteName(base)}`,
  unconfigured: ({ base }) =>
    base === null
      ? 'no gate and no rule is configured here'
      : `no gate and no rule is configured on ${quoteName(base)} yet`,
  'checks-left-out': () => 'checks need the working tree, so a run about a commit leaves them out',
  binary: ({ paths }) =>
    `${someNames(paths)}: not text (image, audio, video or font), so reviewers saw only that the content differs`,
  'reference-unusable': describeNotice,
  'absent-agents': ({ agents }) =>
    `${someNames(agents)} ${agents.length === 1 ? 'is' : 'are'} not installed, so other agents reviewed instead; run "onceover doctor" for details`,
  'no-price': ({ agents }) =>
    `budget.usd does not count calls to ${someNames(agents)}, which report no price; budget.dispatches counts all calls`,
  'not-in-ledger': ({ message }) => `the cost of this run was not recorded: ${message}`,
  'not-shared': ({ message }) => `the passes of this run were not shared: ${message}`,
  'no-shared-passes': ({ why }) => describeNoSharedPasses(why),
  'passes-repeated': ({ gates }) =>
    `passes of other clones count for ${someNames(gates)}, but a gate that had to run made other reviewers run too; set "unchanged_gates: rest" in onceover.yml to skip them`,
  'proof-taken-back': ({ paths }) => describeTakenBack(paths),
  'hidden-by-fixer': ({ paths }) => describeHidden(paths),
  'orphan-slot': ({ gate, slot, ids }) =>
    `${quoteName(gate)} no longer has a reviewer ${slot}, which left ${ids.join(', ')} open; raise num_reviews again, or resolve the findings`,
  'orphan-gate': ({ gate, ids }) =>
    `gate ${quoteName(gate)} no longer exists, but ${ids.join(', ')} ${ids.length === 1 ? 'is' : 'are'} still open; restore the gate, or resolve the findings`,
};
