import { quoteName } from '../../kernel/escape.ts';
import { dispatchBy, REVIEWER_ROLES, type ReviewerRole } from '../../kernel/review-loops.ts';
import { cells, padCells, wrap } from '../../ui/layout.ts';
import type { Paint, Styled } from '../../ui/style.ts';
import { tokensOf } from '../../ui/wording.ts';
import type { PhaseFix, PhasePreparation, PhaseRound, PhaseRun } from '../run-types.ts';
import type { FixTurn, RoleReview, RoleReviewError } from '../types.ts';
import { describeDispatchReason, issueCounts } from './issues.ts';

/** Returns a table of rounds: one line per reviewer, skipped or not, and one per fix. */
export function phaseTable({ preparations, rounds }: PhaseRun, shown: Styled): string {
  const fixes = rounds.filter(({ fix }) => fix !== null && fix.summary !== null);
  const rows = [
    ...preparations.map(preparationRow),
    ...rounds.flatMap((round) => roundRows(round, fixes.indexOf(round) + 1, shown.paint)),
  ];
  return rows.length === 0 ? '' : layOut(rows, shown);
}

type Row = {
  readonly round: string;
  readonly who: string;
  readonly agent: string;
  readonly session: string;
  readonly chars: string;
  readonly result: string;
};

function preparationRow({ role, part, agent }: PhasePreparation): Row {
  const who = part === null ? role : `${role} ${part}`;
  return { round: 'before', who, agent: quoteName(agent), session: 'new', chars: '', result: 'done' };
}

function roundRows({ entry, fix }: PhaseRound, fixNumber: number, paint: Paint): readonly Row[] {
  const reviewers = REVIEWER_ROLES.flatMap((role) => [
    ...entry.looks.filter((look) => look.role === role).map((look) => lookRow(look, paint)),
    ...entry.errors.filter((error) => error.role === role).map((error) => errorRow(error, paint)),
    ...entry.skipped.filter((one) => one.role === role).map(({ passedAt }) => skippedRow(role, passedAt, paint)),
  ]);
  const rows = [...reviewers, ...(fix === null ? [] : [fixRow(fix, fixNumber, paint)])];
  const title = entry.isFinalValidation ? 'final' : `${entry.iteration} of ${entry.most}`;
  return rows.map((row, n) => ({ ...row, round: n === 0 ? title : '' }));
}

const NO_CALL = { round: '', agent: '', session: '', chars: '' };

function callCells({ agent, template, spent }: Pick<FixTurn, 'agent' | 'template' | 'spent'>) {
  if (spent.asks === 0) return { ...NO_CALL, agent: quoteName(agent) };
  return { round: '', agent: quoteName(agent), session: sessionOf(template), chars: tokensOf(spent.promptChars) };
}

function sessionOf(template: FixTurn['template']): string {
  return dispatchBy(template) === 'resumed' ? 'resumed' : 'new';
}

function skippedRow(role: ReviewerRole, passedAt: number, paint: Paint): Row {
  return { ...NO_CALL, who: role, result: `${paint('rests', 'skipped')}, passed in iteration ${passedAt}` };
}

function lookRow(look: RoleReview, paint: Paint): Row {
  return { ...callCells(look), who: look.role, result: `${describeVerdict(look, paint)}${because(look)}` };
}

/** Describes the verdict that counts. Blockers or warnings override an approval. */
function describeVerdict({ enginePass, reviewerApproved, answer }: RoleReview, paint: Paint): string {
  const issues = issueCounts(answer.issues);
  if (enginePass) return `${paint('good', 'approved')}${issues === '' ? '' : `, ${issues}`}`;
  if (issues === '') return `${paint('bad', 'not approved')}, without an issue`;
  return reviewerApproved ? `${paint('bad', issues)}, so the approval does not count` : paint('bad', issues);
}

function errorRow(error: RoleReviewError, paint: Paint): Row {
  const { role, template, dispatch } = error;
  return {
    ...callCells(error),
    who: role,
    result: `${paint('broken', 'no verdict')}${because({ template, why: dispatch })}`,
  };
}

function fixRow({ summary, turn }: PhaseFix, number: number, paint: Paint): Row {
  const result = summary === null ? paint('broken', turn === null ? 'stopped' : 'no answer') : `fix ${number}`;
  if (turn === null) return { ...NO_CALL, who: summary === null ? 'implementer' : 'caller', result };
  return { ...callCells(turn), who: 'implementer', result: `${result}${because(turn)}` };
}

/** Returns the reason for the kind of session, unless it is the usual one. */
function because({ template, why }: Pick<FixTurn, 'template' | 'why'>): string {
  const reason = describeDispatchReason(why);
  return reason === null ? '' : ` (${sessionOf(template)} session: ${reason})`;
}

type Column = Exclude<keyof Row, 'result'>;

const HEAD: Row = { round: 'Round', who: 'Who', agent: 'Agent', session: 'Session', chars: 'Prompt', result: 'Result' };

/** The columns for decreasing widths; a narrow terminal gets fewer. */
const COLUMNS: readonly (readonly Column[])[] = [
  ['round', 'who', 'agent', 'session', 'chars'],
  ['round', 'who', 'session', 'chars'],
  ['round', 'who', 'session'],
  ['round', 'who'],
];

const MIN_RESULT = 22;

function layOut(rows: readonly Row[], { width, paint }: Styled): string {
  const all = [HEAD, ...rows];
  const widest = (column: Column) => Math.max(...all.map((row) => cells(row[column])));
  const room = (columns: readonly Column[]) => columns.reduce((sum, column) => sum + widest(column) + 2, 0);
  const fits = COLUMNS.find((columns) => width === null || room(columns) + MIN_RESULT <= width);
  const columns = fits ?? ['round', 'who'];
  const left = room(columns);
  const lines = all.map((row) => {
    const start = columns.map((column) => pad(column, row[column], widest(column))).join('  ');
    if (width === null) return `${start}  ${row.result}`;
    if (fits === undefined) return `${start.trimEnd()}\n${indented(row.result, width, NARROW_INDENT)}`;
    return `${start}  ${indented(row.result, width, left).trimStart()}`;
  });
  const [head = '', ...others] = lines;
  return [paint('strong', head), ...others].join('\n');
}

const NARROW_INDENT = 10;

function indented(text: string, width: number, by: number): string {
  return wrap(text, width - by)
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`)
    .join('\n');
}

function pad(column: Column, text: string, width: number): string {
  return column === 'chars' ? `${' '.repeat(width - cells(text))}${text}` : padCells(text, width);
}
