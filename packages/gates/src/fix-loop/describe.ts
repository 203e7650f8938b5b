import type { Fix } from '@onceover/agents/dispatch/fix-progress';
import { usageDocument } from '@onceover/agents/ledger/describe';
import type { AgentFailure } from '@onceover/base/kernel/agent';
import { oneLine, quoteName } from '@onceover/base/kernel/escape';
import { ASKED_AGAIN, describeAgentFailure, describeNoAnswer } from '@onceover/base/ui/describe-agent-failure';
import { cut } from '@onceover/base/ui/layout';
import { type Styled, wrapTo } from '@onceover/base/ui/style';
import { count, someNames } from '@onceover/base/ui/wording';
import type { LoopEnd, RunOutcome } from '../result/types.ts';
import { failingChecksOf, type LoopOutcome, type LoopRound, openFindingsOf } from './decide-end.ts';

/** Returns the field `loop` in the JSON of `run --until-pass --json`. */
export function loopDocument({ end, rounds }: Pick<LoopOutcome, 'end' | 'rounds'>) {
  return { end, rounds: rounds.map((round, n) => roundDocument(round, rounds[n - 1]?.run ?? null)) };
}

function roundDocument({ run, dispatches, tolerated, fix }: LoopRound, before: RunOutcome | null) {
  const { iteration, status, gates, findings } = run;
  const open = openFindingsOf(run).map(({ id }) => id);
  const openBefore = before === null ? [] : openFindingsOf(before).map(({ id }) => id);
  const failedBefore = before?.gates.filter((gate) => gate.status === 'fail').map(({ id }) => id) ?? [];
  const toleratedWarnings = findings.filter(({ state, finding }) => state === 'warning' && tolerated.has(finding.id));
  return {
    iteration,
    status,
    open,
    failing_checks: failingChecksOf(run).map(({ id }) => id),
    let_be: toleratedWarnings.map(({ finding }) => finding.id),
    nothing_left: failedBefore.filter((id) => !gates.some((gate) => gate.id === id)),
    closed: openBefore.filter((id) => !open.includes(id)).length,
    added: open.filter((id) => !openBefore.includes(id)).length,
    dispatches,
    usage: usageDocument(run.usage),
    fix: fix && fixDocument(fix),
  };
}

type RoundDocument = ReturnType<typeof roundDocument>;

function fixDocument({ durationMs: _, filesChanged, usage, failure, ...fix }: Fix) {
  return { ...fix, files_changed: filesChanged, usage: usageDocument(usage), failure: failure?.kind ?? null };
}

/** Returns one line for each round and each fix, then the reason why the loop ended and the next step. */
export function describeLoop(loop: LoopOutcome, { width }: Pick<Styled, 'width'>): string {
  const { end, rounds } = loopDocument(loop);
  const fixes = loop.rounds.map(({ fix }) => fix);
  const wrapLine = (line: string) => wrapTo(line, { width }, 2);
  const lines = rounds.flatMap((round, n) => [describeRound(round, n), ...describeFix(fixes[n] ?? null, n + 1, width)]);
  const failure = fixes.at(-1)?.failure ?? null;
  const notes = [...rounds.flatMap(describeRemoved), ...describeTolerated(rounds), ENDS[end](rounds, failure)];
  return `${lines.map(wrapLine).join('\n')}\n\n${notes.map(wrapLine).join('\n')}`;
}

function describeRound(round: RoundDocument, n: number): string {
  const open = round.open.length + round.failing_checks.length;
  const changes = [
    ...(round.closed > 0 ? [`${round.closed} closed`] : []),
    ...(n > 0 && round.added > 0 ? [`${round.added} new`] : []),
  ];
  const calls = round.dispatches === 0 ? 'no calls' : count(round.dispatches, 'call');
  const change = changes.length === 0 ? '' : ` (${changes.join(', ')})`;
  return `Round ${n + 1}: ${round.status.replaceAll('_', ' ')}, ${calls}, ${open} open${change}`;
}

const SUMMARY_LINES = 3;
const USUAL_WIDTH = 100;

function describeFix(fix: Fix | null, round: number, width: number | null): string[] {
  if (fix === null) return [];
  const heading = `Fix ${round}: ${quoteName(fix.agent)}, ${fix.dispatch === 'fresh' ? 'new' : 'resumed'} session`;
  if (fix.failure !== null) return [`${heading}: ${describeAgentFailure(fix.failure)}`];
  const declinedText = fix.declined.length === 0 ? '' : `, declined ${fix.declined.join(', ')}`;
  const summary = cut(oneLine(fix.summary).trim(), ((width ?? USUAL_WIDTH) - 2) * SUMMARY_LINES);
  return [`${heading}: ${count(fix.filesChanged, 'file')} changed${declinedText}. ${summary}`.trimEnd()];
}

function describeRemoved({ nothing_left }: RoundDocument): string[] {
  if (nothing_left.length === 0) return [];
  return [`${someNames(nothing_left)} has nothing left to review: the fixer removed that part of the change.`];
}

function describeTolerated(rounds: readonly RoundDocument[]): string[] {
  const toleratedIds = rounds.at(-1)?.let_be ?? [];
  if (toleratedIds.length === 0) return [];
  return [
    `The ratchet tolerates ${someNames(toleratedIds)}: new in this loop, and not severe enough. A run without --ratchet reports ${toleratedIds.length === 1 ? 'it' : 'them'} as open.`,
  ];
}

function openIn(rounds: readonly RoundDocument[]): string {
  return someNames([...new Set(rounds.flatMap(({ open, failing_checks }) => [...open, ...failing_checks]))]);
}

function stillOpen(rounds: readonly RoundDocument[]): string {
  return openIn(rounds.slice(-1));
}

function countFixes(rounds: readonly RoundDocument[]): number {
  return rounds.filter(({ fix }) => fix !== null).length;
}

const EDITS_STAY = "The fixer's edits are in the working tree.";

const ENDS: Readonly<Record<LoopEnd, (rounds: readonly RoundDocument[], failure: AgentFailure | null) => string>> = {
  passed(rounds) {
    const fixes = countFixes(rounds);
    return fixes === 0 ? 'There was nothing to fix.' : `All gates pass after ${count(fixes, 'fix', 'fixes')}.`;
  },
  stalled: (rounds) =>
    `Stalled: the fixer could not close ${stillOpen(rounds)}. Fix it yourself, or accept a finding with "onceover resolve".`,
  oscillating: (rounds) =>
    `Going in circles: fixed problems came back. Fix ${openIn(rounds.slice(-2))} together: fixing one may bring back another.`,
  'max-iterations': (rounds) =>
    `Stopped after ${count(rounds.length, 'round')}, the limit of --max-iterations. Open: ${stillOpen(rounds)}. Fix it yourself, or run again to continue.`,
  'retry-limit': () =>
    `Stopped: a gate failed too often without progress (max_retries), and a person has to look; ${ASKED_AGAIN}.`,
  budget: (rounds) =>
    `Stopped: the budget is used up. Open: ${stillOpen(rounds)}. ${EDITS_STAY} Raise "budget" in onceover.yml, or run again to continue.`,
  'fixer-failed'(_rounds, failure) {
    return `Stopped: the fixer ${describeNoAnswer(failure)}. ${EDITS_STAY} Run again to continue.`;
  },
  'gate-changed': () =>
    'Stopped: the fixer changed settings, prompts, rules, roles, an agent or the base, or which files reviewers see. Check "git status" and "git diff", and run again if that is right.',
  'nothing-left': () =>
    'Stopped: nothing of the change is left to review. The fixer reverted the change instead of fixing it: check "git status" and "git diff".',
  'could-not-judge': () => 'Stopped: some gates could not run. Fix the error above and run again.',
  interrupted: (rounds) =>
    countFixes(rounds) === 0
      ? 'Interrupted before anything was fixed. Run again to continue.'
      : `Interrupted. ${EDITS_STAY} Run again to continue.`,
};
