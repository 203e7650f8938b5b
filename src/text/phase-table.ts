import { dispatchBy } from '../domain/loop-template.ts';
import type { FixTurn, Look, LookError, ReviewerRole } from '../domain/phase.ts';
import type { PhaseRun, PlayedFix, PlayedPreparation, PlayedRound } from '../domain/phase-run.ts';
import { quoteName } from '../domain/quote-name.ts';
import { REVIEWER_ROLES } from '../domain/role.ts';
import { issueCounts } from './issue-counts.ts';
import { tellDispatchReason } from './loop-dispatch.ts';
import type { Paint } from './paint.ts';
import type { Shown } from './shown.ts';
import { tokensOf } from './tokens.ts';
import { cells, padCells } from './width.ts';
import { wrap } from './wrap.ts';

/** The rounds of a phase: a line for each reviewer that looked or rested, and for each fix. */
export function phaseTable({ preparations, rounds }: PhaseRun, shown: Shown): string {
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
  readonly asked: string;
  readonly chars: string;
  readonly result: string;
};

function preparationRow({ role, part, agent }: PlayedPreparation): Row {
  const who = part === null ? role : `${role} ${part}`;
  return { round: 'before', who, agent: quoteName(agent), asked: 'fresh', chars: '', result: 'done' };
}

function roundRows({ entry, fix }: PlayedRound, fixNumber: number, paint: Paint): readonly Row[] {
  const reviewers = REVIEWER_ROLES.flatMap((role) => [
    ...entry.looks.filter((look) => look.role === role).map((look) => lookRow(look, paint)),
    ...entry.errors.filter((error) => error.role === role).map((error) => errorRow(error, paint)),
    ...entry.skipped.filter((one) => one.role === role).map(({ passedAt }) => restRow(role, passedAt, paint)),
  ]);
  const rows = [...reviewers, ...(fix === null ? [] : [fixRow(fix, fixNumber, paint)])];
  const title = entry.isFinalValidation ? 'final' : `${entry.iteration} of ${entry.most}`;
  return rows.map((row, n) => ({ ...row, round: n === 0 ? title : '' }));
}

const NOBODY = { round: '', agent: '', asked: '', chars: '' };

function asked({ agent, template, spent }: Pick<FixTurn, 'agent' | 'template' | 'spent'>) {
  // Somebody who was stopped before a question was put was not asked.
  if (spent.asks === 0) return { ...NOBODY, agent: quoteName(agent) };
  return { round: '', agent: quoteName(agent), asked: dispatchBy(template), chars: tokensOf(spent.promptChars) };
}

function restRow(role: ReviewerRole, passedAt: number, paint: Paint): Row {
  return { ...NOBODY, who: role, result: `${paint('rests', 'rests')} since iteration ${passedAt}` };
}

function lookRow(look: Look, paint: Paint): Row {
  return { ...asked(look), who: look.role, result: `${tellVerdict(look, paint)}${because(look)}` };
}

/** What counts of a verdict; an approval that blockers or warnings contradict is none. */
function tellVerdict({ enginePass, reviewerApproved, answer }: Look, paint: Paint): string {
  const issues = issueCounts(answer.issues);
  if (enginePass) return `${paint('good', 'approved')}${issues === '' ? '' : `, ${issues}`}`;
  if (issues === '') return `${paint('bad', 'not approved')}, no issue named`;
  return reviewerApproved ? `${paint('bad', issues)}, so its approval does not count` : paint('bad', issues);
}

function errorRow(error: LookError, paint: Paint): Row {
  const { role, template, dispatch } = error;
  return {
    ...asked(error),
    who: role,
    result: `${paint('broken', 'no verdict')}${because({ template, why: dispatch })}`,
  };
}

function fixRow({ summary, turn }: PlayedFix, number: number, paint: Paint): Row {
  const result = summary === null ? paint('broken', turn === null ? 'stopped' : 'no answer') : `fix ${number}`;
  if (turn === null) return { ...NOBODY, who: summary === null ? 'implementer' : 'caller', result };
  return { ...asked(turn), who: 'implementer', result: `${result}${because(turn)}` };
}

/** Why it was fresh, where that does not go without saying. */
function because({ template, why }: Pick<FixTurn, 'template' | 'why'>): string {
  const reason = tellDispatchReason(why);
  return reason === null ? '' : ` (${dispatchBy(template)}: ${reason})`;
}

type Column = Exclude<keyof Row, 'result'>;

const HEAD: Row = { round: 'Round', who: 'Who', agent: 'Agent', asked: 'Asked', chars: 'Prompt', result: 'Result' };

/** What is left out first where it is narrow comes last. */
const COLUMNS: readonly (readonly Column[])[] = [
  ['round', 'who', 'agent', 'asked', 'chars'],
  ['round', 'who', 'asked', 'chars'],
  ['round', 'who', 'asked'],
  ['round', 'who'],
];

const LEAST_RESULT = 22;

function layOut(rows: readonly Row[], { width, paint }: Shown): string {
  const all = [HEAD, ...rows];
  const widest = (column: Column) => Math.max(...all.map((row) => cells(row[column])));
  const room = (columns: readonly Column[]) => columns.reduce((sum, column) => sum + widest(column) + 2, 0);
  const fits = COLUMNS.find((columns) => width === null || room(columns) + LEAST_RESULT <= width);
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
