import type {
  CostRow,
  FeatureCost,
  FeatureReport,
  LoopRow,
  LoopsCost,
  Playing,
  PriceList,
  SparedTokens,
} from '../domain/cost.ts';
import { grouped } from '../domain/grouped.ts';
import type { LedgerEntry, LedgerLoop } from '../domain/ledger.ts';
import type { LoopDispatch } from '../domain/loop-cost.ts';
import { byCodePoint } from '../domain/order.ts';
import type { PhaseStage } from '../domain/phase.ts';
import { REVIEWER_ROLES } from '../domain/role.ts';
import { costRows, dearest, paidFor } from './cost-rows.ts';
import { type CostSelection, playingOf, selectEntries } from './cost-selection.ts';
import { loopCost, sparedByResuming } from './loop-cost.ts';

/** A dispatch with the time of its entry. */
type Recorded = LoopDispatch & { readonly at: string };

/**
 * The dispatches that the ledger has of loops, in the order in which they were sent. What goes before the reviews of code
 * belongs to no loop; what nobody answered is apart, as a fresh dispatch would have sent it too.
 */
export function dispatchesIn(entries: readonly LedgerLoop[]): {
  readonly answered: readonly Recorded[];
  readonly unanswered: readonly Recorded[];
} {
  const sent = [...entries].sort(bySending).flatMap((entry): readonly (Recorded & Pick<LedgerLoop, 'status'>)[] => {
    const { at, feature, run, phase, stage, role, iteration, isFinalValidation, template, why, status } = entry;
    if (template === null) return [];
    const { fellBack, guarded, warned, asks, promptChars, freshChars, usage } = entry;
    const where = { feature, run, phase, stage, role, iteration, isFinalValidation };
    return [
      {
        ...{ at, status, ...where, template, why, fellBack, guarded, warned },
        spent: { asks, promptChars, freshChars, usage },
      },
    ];
  });
  const of = (isError: boolean) =>
    sent.filter(({ status }) => (status === 'error') === isError).map(({ status: _, ...dispatch }) => dispatch);
  return { answered: of(false), unanswered: of(true) };
}

/** What loops cost together. */
export function loopsCost(rows: readonly LoopRow[]): LoopsCost {
  const { answered, unanswered } = dispatchesIn(rows.map(({ loop }) => loop));
  return {
    paid: paidFor(rows),
    spared: sparedIn(sparedByResuming(answered)),
    compared: loopCost(answered, unanswered),
  };
}

/** The same by feature, the dearest first. */
export function featureCosts(rows: readonly LoopRow[]): readonly FeatureCost[] {
  return [...grouped(rows, ({ loop }) => loop.feature)]
    .map(([feature, own]) => ({ feature, ...loopsCost(own) }))
    .sort((a, b) => dearest(a.paid, b.paid) || byCodePoint(a.feature, b.feature));
}

/** What one feature's loops cost; null where the ledger has none of it. */
export function summariseFeature(
  feature: string,
  { entries, unreadable }: { readonly entries: readonly LedgerEntry[]; readonly unreadable: number },
  selection: CostSelection,
  priceOf: PriceList,
): FeatureReport | null {
  if (!featuresIn(entries).includes(feature)) return null;
  const rows = costRows(selectEntries(entries, selection), priceOf).filter(isLoop);
  const own = rows.filter(({ loop }) => loop.feature === feature);
  return {
    feature,
    since: selection.since?.toISOString() ?? null,
    branch: selection.branch,
    ...loopsCost(own),
    playings: playings(own),
    all: loopsCost(rows).compared,
    unreadable,
  };
}

/** The features that the ledger has loops of, in the order of their names. */
export function featuresIn(entries: readonly LedgerEntry[]): readonly string[] {
  const features = entries.flatMap((entry) => (entry.kind === 'loop' ? [entry.feature] : []));
  return [...new Set(features)].sort(byCodePoint);
}

export function isLoop(row: CostRow): row is LoopRow {
  return row.kind === 'loop';
}

function playings(rows: readonly LoopRow[]): readonly Playing[] {
  return [...grouped(rows, ({ loop }) => playingOf(loop)).values()].flatMap((own) => {
    const sorted = [...own].sort((a, b) => bySending(a.loop, b.loop));
    const [first] = sorted;
    if (first === undefined) return [];
    const { phase, run, at } = first.loop;
    return [{ phase, run, at, ...loopsCost(sorted), rows: sorted }];
  });
}

function sparedIn(spared: readonly { readonly tokens: number }[]): SparedTokens {
  return { looks: spared.length, tokens: spared.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** By time; what was written down in one moment, by its place in the loop. */
function bySending(a: LedgerLoop, b: LedgerLoop): number {
  return (
    byCodePoint(a.at, b.at) ||
    placeOf(a.stage, STAGES) - placeOf(b.stage, STAGES) ||
    a.iteration - b.iteration ||
    Number(a.isFinalValidation) - Number(b.isFinalValidation) ||
    placeOf(a.role, REVIEWER_ROLES) - placeOf(b.role, REVIEWER_ROLES)
  );
}

const STAGES: readonly PhaseStage[] = ['domain', 'phase', 'implement'];

/** Whoever is not in the list comes after it. */
function placeOf(name: string, order: readonly string[]): number {
  const place = order.indexOf(name);
  return place === -1 ? order.length : place;
}
