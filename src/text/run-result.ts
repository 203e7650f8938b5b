import { isOpen } from '../domain/finding.ts';
import { quoteName } from '../domain/quote-name.ts';
import type { GateOutcome, RunOutcome } from '../domain/run.ts';
import { ASKED_AGAIN } from './asked-again.ts';
import { NOT_FOUND } from './gate-reason.ts';
import { someNames } from './names.ts';

/** What a run came to, what it was not asked about, and what to do next: a line each. */
export function tellResult(outcome: RunOutcome): string[] {
  return [
    `${RESULTS[outcome.status](outcome)} (exit code ${outcome.exitCode})`,
    ...notAskedAbout(outcome),
    ...nextSteps(outcome),
  ];
}

const RESULTS: Readonly<Record<RunOutcome['status'], (outcome: RunOutcome) => string>> = {
  no_changes: (outcome) => `Nothing to review: ${tellNoChanges(outcome)}.`,
  no_applicable_gates: (outcome) => `Nothing was reviewed: ${tellNoGate(outcome)}.`,
  passed: (outcome) => `Passed: ${whatHolds(outcome)}${outcome.iteration === null ? ', nothing had to be run' : ''}.`,
  passed_with_warnings: (outcome) => `Passed with warnings: ${whatHolds(outcome)}.`,
  failed: (outcome) =>
    isWaiting(outcome) ? `Not yet reviewed: ${waiting(outcome)} on what is there now.` : `Failed: ${counts(outcome)}.`,
  error: (outcome) => `Could not judge: ${counts(outcome)}.`,
  retry_limit_exceeded: () => 'Failed: a gate failed too often in a row, and a person has to look.',
  lock_conflict: () => 'Another run is going on here.',
};

/** Since when nothing has changed. */
export function tellNoChanges({ baseName, scope }: RunOutcome): string {
  const what = scope.kind === 'full' ? 'nothing' : 'nothing of what was asked about';
  return `${what} changed since ${baseName === null ? 'the beginning' : quoteName(baseName)}`;
}

/** What no gate covers: the change, or what was asked about. */
export function tellNoGate({ asked }: RunOutcome): string {
  if (asked === null) return 'no gate or rule covers what changed';
  const who = asked.gates.length === 0 ? 'no gate or rule' : someNames(asked.gates);
  const paths = asked.paths.filter((path) => path !== '');
  const where = paths.length === 0 ? 'this change' : someNames(paths);
  return asked.gates.length === 0 ? `${who} covers a change in ${where}` : `${who}: nothing to look at in ${where}`;
}

function whatHolds(outcome: RunOutcome): string {
  const isPart = (outcome.asked?.others.length ?? 0) > 0;
  return `every gate ${isPart ? 'that was asked about ' : ''}holds${SCOPES[scopeWord(outcome)](outcome).holds}`;
}

/** What nobody must take for passed, although the run has passed. */
function notAskedAbout(outcome: RunOutcome): string[] {
  if (outcome.status !== 'passed' && outcome.status !== 'passed_with_warnings') return [];
  const others = outcome.asked?.others ?? [];
  const left = [SCOPES[scopeWord(outcome)](outcome).left, others.length === 0 ? '' : someNames(others)];
  const told = left.filter((one) => one !== '').join('; ');
  return told === '' ? [] : [`Not asked about: ${told}.`];
}

type ScopeWord = 'full' | 'uncommitted' | 'commit' | 'files' | 'base';

const SCOPES: Readonly<Record<ScopeWord, (outcome: RunOutcome) => { readonly holds: string; readonly left: string }>> =
  {
    full: () => ({ holds: '', left: '' }),
    uncommitted: () => ({ holds: ' in what is not committed', left: 'what is committed' }),
    commit: () => ({ holds: ' in that commit', left: 'everything else' }),
    files: () => ({ holds: ' in the files that were named', left: 'all other files' }),
    base: ({ baseName }) => ({ holds: ` in what changed since ${quoteName(baseName ?? 'the beginning')}`, left: '' }),
  };

function scopeWord({ scope }: RunOutcome): ScopeWord {
  const [word = ''] = scope.key.split(' ');
  return word in SCOPES ? (word as ScopeWord) : 'full';
}

/** Whether nothing is wrong but that nobody has looked. */
function isWaiting({ iteration, gates, findings }: RunOutcome): boolean {
  return (
    iteration === null &&
    gates.some(({ status }) => status === 'not_run') &&
    gates.every(({ status }) => status === 'not_run' || status === 'holds') &&
    !findings.some(({ state }) => isOpen(state))
  );
}

function waiting({ gates }: RunOutcome): string {
  const count = gates.filter(({ status }) => status === 'not_run').length;
  return count === 1 ? '1 gate has not passed' : `${count} gates have not passed`;
}

function counts({ gates, findings }: RunOutcome): string {
  const open = findings.filter(({ state }) => isOpen(state)).length;
  const number = (status: GateOutcome['status']) => gates.filter((gate) => gate.status === status).length;
  const parts = [
    [open, open === 1 ? 'finding is open' : 'findings are open'],
    [number('fail'), number('fail') === 1 ? 'gate fails' : 'gates fail'],
    [number('error'), number('error') === 1 ? 'gate could not be judged' : 'gates could not be judged'],
    [number('not_run'), number('not_run') === 1 ? 'gate was not run' : 'gates were not run'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return told.length === 0 ? 'the name of a changed file is not UTF-8' : told.join(', ');
}

/** What to do where nothing could be judged; the first thing that is in the way. */
function nextAfterError({ gates }: RunOutcome): string {
  const troubles = gates.flatMap(({ slots }) => slots).flatMap(({ trouble }) => (trouble === null ? [] : [trouble]));
  for (const trouble of troubles) {
    if (trouble.kind === 'no-agent' && trouble.cooling.length === 0) {
      return 'Next: "onceover doctor" says how to get an agent; then run again.';
    }
    if (trouble.kind === 'agent' && trouble.failure.kind === 'not-logged-in') {
      return `Next: start ${quoteName(trouble.agent)} once and log in; then run again.`;
    }
  }
  return 'Next: see why above, put it right, and run again.';
}

function nextSteps(outcome: RunOutcome): string[] {
  const open = outcome.findings.filter(({ state }) => isOpen(state));
  const steps: string[] = [];
  if (outcome.gates.some(({ why }) => why === 'retry-limit')) {
    steps.push(`Next: look at what is open; then ${ASKED_AGAIN}.`);
  } else if (open.length > 0) {
    const id = open[0]?.finding.id ?? 'F1';
    steps.push(`Next: mend what is open and run again; "onceover resolve ${id} --skip WHY" waives what must stay.`);
  }
  const failed = outcome.gates.find(({ kind, status }) => kind === 'check' && status === 'fail');
  if (failed !== undefined && open.length === 0) {
    steps.push(
      failed.check?.exitCode === NOT_FOUND
        ? 'Next: install what the check calls, or change it in onceover.yml, and run again.'
        : 'Next: mend what the check says, and run again.',
    );
  }
  const isToRun = ({ status, why }: GateOutcome) => status === 'not_run' && why !== 'retry-limit';
  const isIdle = outcome.iteration === null && outcome.gates.some(isToRun);
  if (isIdle && open.length === 0) steps.push('Next: "onceover run" has it looked at.');
  if (outcome.status === 'no_changes' && outcome.isOnBase) {
    steps.push(
      'What is committed on that branch itself is no change: "onceover run --commit HEAD" has the last commit looked at, and --base names another start.',
    );
  }
  if (outcome.status === 'lock_conflict') steps.push('Next: wait until it has ended, and run again.');
  if (outcome.status === 'error') steps.push(nextAfterError(outcome));
  if (outcome.status === 'no_applicable_gates') {
    steps.push(
      outcome.asked === null
        ? 'Next: "onceover init" writes a first onceover.yml; to one that is there, add a gate.'
        : 'Next: "onceover status" shows which gates the change has.',
    );
  }
  return steps;
}
