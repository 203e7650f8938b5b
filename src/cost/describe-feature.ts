import { tokensOf } from '../ui/wording.ts';
import { describeComparison, describePromises, describeRates } from './describe-loops.ts';
import {
  type CostStyle,
  costLegend,
  featureName,
  moneyText,
  pageText,
  paidLines,
  rowFigures,
  selectionText,
  type TableRow,
  table,
  usageText,
} from './page.ts';
import type { FeatureReport, LoopRow, PhaseRunId } from './types.ts';

/** Returns what the phases of a feature cost, call by call. Details add comparisons and rates. */
export function describeFeatureCost(report: FeatureReport, style: CostStyle): string {
  const { feature, playings, paid, compared, all, unreadable } = report;
  const name = featureName(feature);
  if (playings.length === 0) {
    const nothing = `No phase of ${name} ${selectionText(report)} is in the ledger. Leave out --since and --branch to see all.`;
    return pageText(() => [nothing], unreadable, style);
  }
  const phases = [...new Set(playings.map(({ phase }) => phase))].join(', ');
  const title = `Phases of ${name} ${selectionText(report)}: ${phases}.`;
  return pageText(
    (fitted) => [
      [title, ...paidLines(paid)].join('\n'),
      callTable(playings, fitted),
      ...(fitted.details
        ? [
            describeComparison(compared, fitted),
            describePromises(compared, () => '', fitted),
            describeRates(all, compared, fitted),
          ]
        : []),
    ],
    unreadable,
    style,
  );
}

function callTable(playings: readonly PhaseRunId[], style: CostStyle): string {
  const rows = playings.flatMap(({ phase, at, paid, compared: { characters }, rows: calls }): readonly TableRow[] => [
    {
      cells: [
        `${phase}, ${style.localTime(at)}`,
        '',
        '',
        '',
        tokensOf(characters.sent),
        usageText(paid),
        moneyText(paid),
      ],
      look: 'strong',
    },
    ...calls.map(callRow),
  ]);
  const head = { cells: ['Call', '', 'session', 'why', 'sent', 'tokens', 'money'] };
  return [table([head, ...rows], 4, style), style.paint('quiet', legend(playings, rows))].join('\n');
}

function callRow(row: LoopRow): TableRow {
  const { loop, dispatch } = row;
  const isError = loop.status === 'error';
  const why = isError ? 'no answer' : `${WHY[loop.why]}${loop.warned ? ' !' : ''}`;
  const round = loop.isFinalValidation ? 'FV' : loop.iteration === 0 ? '' : String(loop.iteration);
  const session = dispatch === 'fresh' ? 'new' : dispatch;
  const cells = [` ${loop.role}`, round, session, why, tokensOf(loop.promptChars), ...rowFigures(row)];
  return isError ? { cells, look: 'broken' } : { cells };
}

const WHY: Readonly<Record<LoopRow['loop']['why'], string>> = {
  'first-look': 'first review',
  'asked-for': 'requested',
  'session-differs': 'other session',
  'cannot-resume': 'cannot resume',
  'session-lost': 'session lost',
  'no-changes': 'no changes',
  'resume-dearer': 'cheaper',
  'delta-too-large': 'large delta',
  delta: 'changes only',
  'final-validation': 'changes only',
  'resume-failed': 'resume failed',
  'other-agent': 'other agent',
};

function legend(playings: readonly PhaseRunId[], rows: readonly TableRow[]): string {
  const calls = playings.flatMap((playing) => playing.rows);
  const marks = costLegend(rows.flatMap(({ cells }) => cells.slice(-2)));
  return [
    'sent: characters of the prompt',
    ...(calls.some(({ loop }) => loop.isFinalValidation) ? ['FV: final validation'] : []),
    ...(calls.some(({ loop }) => loop.warned) ? ['!: did not confirm that it read the required documents'] : []),
    ...(marks === '' ? [] : [marks]),
  ].join('; ');
}
