import type { AskEnd, Question } from '@onceover/base/kernel/ports';
import type { Disposition } from '@onceover/gates/findings/types';
import type { Priority } from '@onceover/repo/config/settings';
import { answers, fails } from '../memory/reviewers.ts';
import type { Answer, ObservedAsk, Report } from './observed.ts';
import { PATHS } from './setup.ts';

/** The behaviour of a slot when it runs. */
export type Verdict = {
  readonly kind: 'answer' | 'garbled' | 'flaky' | 'limited' | 'error';
  readonly status: 'pass' | 'fail';
  readonly reports: readonly ReportPlan[];
  /** Whether it repeats the first earlier finding in its prompt. */
  readonly repeats: boolean;
  /** Its answers about the findings in its prompt, in order; `null` for no answer. */
  readonly words: readonly (Disposition['state'] | null)[];
  /** Whether it also withdraws findings that are not in its prompt. */
  readonly meddles: boolean;
  /** An edit of a file during the review. */
  readonly edit: { readonly path: number; readonly text: number | 'same' } | null;
};

/** A problem as numbers: a file, a spelling of its name, a line, a quotation. */
type ReportPlan = {
  readonly file: number;
  readonly line: number | null;
  readonly code: string | null;
  readonly priority: Priority;
};

/** Reported files beside the existing ones: missing, outside of the repository, or misspelled. */
export const REPORTED: readonly string[] = [...PATHS, 'src/none.ts', '../out.ts', './src/a.ts', ''];

/** Answers a prompt as planned; `before` has the slot's earlier calls in this iteration. */
export function answerAs(
  verdict: Verdict,
  question: Question,
  before: readonly ObservedAsk[],
  nextIssue: () => string,
): { readonly ask: ObservedAsk; readonly end: AskEnd } {
  const given = findingsIn(question.dynamic, '## Earlier findings');
  const declined = findingsIn(question.dynamic, '## Declined findings');
  const seen = { given: given.map(({ id }) => id), declined: declined.map(({ id }) => id) };
  const none = { ...seen, answer: null };
  if (verdict.kind === 'error' || (verdict.kind === 'flaky' && before.length === 0)) {
    return { ask: none, end: fails({ kind: 'agent-error', said: 'no' }) };
  }
  if (verdict.kind === 'limited' && before.length === 0) {
    return { ask: none, end: fails({ kind: 'limit', said: 'enough', resetAt: null }) };
  }
  if (verdict.kind === 'garbled' && before.length === 0) {
    return { ask: none, end: answers({}, { text: 'I think it is fine.', structured: null }) };
  }
  const answer = answerOf(verdict, given, nextIssue);
  const { reports, words, ...rest } = answer;
  const said = {
    ...rest,
    violations: reports.map(({ code, ...report }) => (code === null ? report : { ...report, code })),
    previous: words.map((word) => ({ ...word, why: 'so it is' })),
  };
  return { ask: { ...seen, answer }, end: answers(said) };
}

function answerOf(verdict: Verdict, given: readonly Given[], nextIssue: () => string): Answer {
  const [first] = given;
  const repeated: Report[] =
    verdict.repeats && first !== undefined && first.file !== ''
      ? [{ file: first.file, line: first.line, code: first.code, priority: 'low', issue: nextIssue() }]
      : [];
  const reports = verdict.reports.map((plan) => ({
    ...plan,
    file: REPORTED[plan.file % REPORTED.length] ?? '',
    issue: nextIssue(),
  }));
  const words = given.flatMap(({ id }, i) => {
    const state = verdict.words.length === 0 ? null : (verdict.words[i % verdict.words.length] ?? null);
    return state === null ? [] : [{ id, state }];
  });
  const others = ['F1', 'F2', 'F3', 'F4', 'F5', 'F6'].filter((id) => !given.some((one) => one.id === id));
  const meddling = verdict.meddles ? others.map((id) => ({ id, state: 'withdrawn' as const })) : [];
  const all = [...words, ...meddling];
  return { status: verdict.status, reports: [...repeated, ...reports], words: all, message: nextIssue() };
}

type Given = { readonly id: string; readonly file: string; readonly line: number | null; readonly code: string | null };

/** Returns the findings in a section of a prompt. */
function findingsIn(prompt: string, title: string): readonly Given[] {
  const from = prompt.indexOf(`${title}\n`);
  if (from === -1) return [];
  const next = prompt.indexOf('\n## ', from + title.length);
  const section = prompt.slice(from, next === -1 ? undefined : next);
  return section.split('\n```').flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
    const id = field('id');
    const [file = '', line] = (field('place') ?? '').split(':');
    return id === null ? [] : [{ id, file, line: line === undefined ? null : Number(line), code: field('code') }];
  });
}
