import type { FeatureReport, LoopRow, Playing } from '../domain/cost.ts';
import { moneyOf, paidLines, rowFigures, usedOf } from './cost-figures.ts';
import { asked, type CostLooks, featureName, fitted, legendOf, pageText } from './cost-page.ts';
import { comparedBlock, promisesBlock } from './loop-cost.ts';
import { ratesBlock } from './loop-rates.ts';
import { tokensOf } from './tokens.ts';
import { cells, cut, padCells } from './width.ts';
import { wrap } from './wrap.ts';

/** What the review loops of a feature cost: together, each dispatch, and what is promised and watched of them. */
export function tellFeatureCost(report: FeatureReport, looks: CostLooks): string {
  const page = fitted(looks);
  const blocks = report.playings.length === 0 ? [tellNothing(report)] : blocksOf(report, page);
  return pageText(blocks, report.unreadable, page);
}

function tellNothing(report: FeatureReport): string {
  const name = featureName(report.feature);
  return `The ledger has no review loop of ${name} ${asked(report)}. Without --since and --branch it is asked about all of them.`;
}

function blocksOf(report: FeatureReport, looks: CostLooks): readonly string[] {
  const { feature, playings, paid, compared, all } = report;
  const phases = [...new Set(playings.map(({ phase }) => phase))].join(', ');
  const title = `Review loops of ${featureName(feature)} ${asked(report)}: ${phases}.`;
  return [
    [title, ...paidLines(paid)].join('\n'),
    comparedBlock(compared, looks),
    dispatchTable(playings, looks),
    promisesBlock(compared, () => '', looks),
    ratesBlock(all, compared, looks),
  ];
}

type Line = {
  readonly kind: 'head' | 'playing' | 'dispatch' | 'error';
  /** What a playing is called goes over all of them. */
  readonly left: readonly string[];
  readonly right: readonly string[];
};

/** So much of a role's name may go before reasons do. */
const MOST_CUT = 4;

/** A line a dispatch, by playing; where there is no room for all, names are told shortly, then reasons are left out. */
function dispatchTable(playings: readonly Playing[], looks: CostLooks): string {
  const whole = linesOf(playings, looks, (role) => role);
  const short = linesOf(playings, looks, (role) => role.replace(/-reviewer$/, ''));
  const bare = short.map((line) => ({ ...line, left: line.kind === 'playing' ? line.left : line.left.slice(0, 3) }));
  const lines = widthOf(whole) <= looks.width ? whole : widthOf(short) - MOST_CUT <= looks.width ? short : bare;
  return [...laidOut(lines, looks), looks.paint('quiet', wrap(legend(playings, lines), looks.width))].join('\n');
}

function linesOf(
  playings: readonly Playing[],
  { localTime }: CostLooks,
  nameOf: (role: string) => string,
): readonly Line[] {
  const head: Line = {
    kind: 'head',
    left: ['Dispatch', '', '', 'why'],
    right: ['sent', 'fresh', 'tokens', 'money'],
  };
  return [
    head,
    ...playings.flatMap(({ phase, at, paid, compared: { characters }, rows }): readonly Line[] => [
      {
        kind: 'playing',
        left: [`${phase}, ${localTime(at)}`],
        right: [tokensOf(characters.sent), tokensOf(characters.fresh), usedOf(paid), moneyOf(paid)],
      },
      ...rows.map((row) => dispatchLine(row, nameOf)),
    ]),
  ];
}

function dispatchLine(row: LoopRow, nameOf: (role: string) => string): Line {
  const { loop, dispatch } = row;
  const template = loop.template?.replace(/^(I7)-.*/, '$1') ?? '';
  const isError = loop.status === 'error';
  const isCompared = loop.template !== null && !isError;
  return {
    kind: isError ? 'error' : 'dispatch',
    left: [
      ` ${nameOf(loop.role)}`,
      loop.isFinalValidation ? 'FV' : loop.iteration === 0 ? '' : String(loop.iteration),
      `${dispatch} ${template}`.trim(),
      isError ? 'no answer' : `${WHY[loop.why]}${loop.warned ? ' !' : ''}`,
    ],
    right: [tokensOf(loop.promptChars), isCompared ? tokensOf(loop.freshChars) : '-', ...rowFigures(row)],
  };
}

const WHY: Readonly<Record<LoopRow['loop']['why'], string>> = {
  'first-look': 'first look',
  'asked-for': 'asked for',
  'session-differs': 'other session',
  'cannot-resume': 'cannot resume',
  'session-lost': 'session lost',
  'no-changes': 'no changes',
  'resume-dearer': 'resume dearer',
  'delta-too-large': 'large delta',
  delta: 'delta',
  'final-validation': 'delta',
  'resume-failed': 'resume failed',
  'other-agent': 'other agent',
};

function laidOut(lines: readonly Line[], { width, paint }: CostLooks): readonly string[] {
  const right = rightWidths(lines);
  const room = width - sumOf(right);
  const wide = leftWidths(lines);
  const role = Math.min(wide[0] ?? 0, room - (sumOf(wide) - (wide[0] ?? 0)));
  const left = [role, ...wide.slice(1)];
  return lines.map(({ kind, left: names, right: all }) => {
    const figures = all.map((cell, n) => cell.padStart(right[n] ?? 0)).join('');
    const name =
      kind === 'playing'
        ? fill(names[0] ?? '', sumOf(left))
        : names.map((cell, n) => fill(cell, left[n] ?? 0)).join('');
    return kind === 'dispatch'
      ? `${name}${figures}`
      : paint(kind === 'error' ? 'broken' : 'strong', `${name}${figures}`);
  });
}

/** The cell, as wide as its column, a space after it at least. */
function fill(cell: string, width: number): string {
  return padCells(cut(cell, width - 1), width);
}

const GAP = 2;

/** Widths with the gap after each; numbers are near what they number. */
function leftWidths(lines: readonly Line[]): readonly number[] {
  const own = lines.filter(({ kind }) => kind !== 'playing');
  const columns = own[0]?.left.length ?? 0;
  return Array.from({ length: columns }, (_, n) => {
    return Math.max(...own.map(({ left }) => cells(left[n] ?? ''))) + (n === 1 ? 1 : GAP);
  });
}

/** Widths with the gap before each but the first, which has one already. */
function rightWidths(lines: readonly Line[]): readonly number[] {
  return [0, 1, 2, 3].map((n) => Math.max(...lines.map(({ right }) => cells(right[n] ?? ''))) + (n === 0 ? 0 : GAP));
}

function widthOf(lines: readonly Line[]): number {
  return sumOf(leftWidths(lines)) + sumOf(rightWidths(lines));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

function legend(playings: readonly Playing[], lines: readonly Line[]): string {
  const rows = playings.flatMap((playing) => playing.rows);
  const has = (matches: (row: LoopRow) => boolean) => rows.some(matches);
  const money = legendOf(lines.flatMap(({ kind, right }) => (kind === 'head' ? [] : right.slice(2))));
  return [
    'sent, fresh: characters of the prompt, and of a fresh one',
    ...(has(({ loop }) => loop.isFinalValidation) ? ['FV: final validation'] : []),
    ...(has(({ loop }) => loop.warned) ? ['!: did not confirm that it read what it must'] : []),
    ...(has(({ loop }) => loop.template === null || loop.status === 'error')
      ? ['-: not compared (no answer, or before the reviews)']
      : []),
    ...(money === '' ? [] : [money]),
  ].join('; ');
}
