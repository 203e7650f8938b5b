import type { LoopCost, Rate, Watched } from '../domain/loop-cost.ts';
import { percentOf } from './cost-figures.ts';
import type { CostLooks } from './cost-page.ts';
import { count } from './count.ts';
import { padCells } from './width.ts';

const WATCHED: readonly Watched[] = ['fallbacks', 'guards', 'lazyLoads'];

const NAMES: Readonly<Record<Watched, string>> = {
  fallbacks: 'resumes that failed',
  guards: 'deltas too large',
  lazyLoads: 'reads not confirmed',
};

const ACTIONS: Readonly<Record<Watched, string>> = {
  fallbacks:
    'Resumes fail too often to be relied on: "onceover doctor --resume" tries each agent; report what it says, and do without until it is mended.',
  guards:
    'Fixes change more of a document than a resumed reviewer may be shown: "delta_guard: effective" in onceover.yml also counts what a fresh one would have to read, or let it see the whole document.',
  lazyLoads:
    'Reviewers leave out what they must read, or do not say that they read it: look again at how it is ordered, in the roles (.onceover/roles/).',
};

/** What to do where a rate is exceeded. */
export function tellAction(which: Watched): string {
  return ACTIONS[which];
}

/** What is watched, judged over all features; `here`: one of them, shown beside. */
export function ratesBlock(all: LoopCost, here: LoopCost | null, { paint }: Pick<CostLooks, 'paint'>): string {
  const head = ['Watched', ...(here === null ? [] : ['here']), here === null ? 'rate' : 'all features', 'limit'];
  const rows = WATCHED.map((which) => [
    NAMES[which],
    ...(here === null ? [] : [told(here[which])]),
    told(all[which]),
    percentOf(all[which].threshold),
  ]);
  const widths = head.map((cell, n) => Math.max(cell.length, ...rows.map((row) => row[n]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, n) => (n === 0 ? padCells(cell, widths[n] ?? 0) : cell.padStart((widths[n] ?? 0) + 3))).join('');
  const lines = WATCHED.map((which, n) => `${line(rows[n] ?? [])}   ${verdict(which, all, paint)}`.trimEnd());
  return [paint('strong', line(head)), ...lines, ...actions(all)].join('\n');
}

function told({ count, of, rate }: Rate): string {
  return rate === null ? 'none yet' : `${count} of ${of}${percentOf(rate).padStart(8)}`;
}

function verdict(which: Watched, all: LoopCost, paint: CostLooks['paint']): string {
  if (!all.isJudged || all[which].rate === null) return '';
  return all[which].isExceeded ? paint('bad', 'exceeded') : paint('good', 'within');
}

function actions(all: LoopCost): readonly string[] {
  if (!all.isJudged) {
    const so = all.features === 0 ? 'none has' : `${count(all.features, 'has', 'have')}`;
    return [`Judged once three features went through loops; so far ${so}.`];
  }
  return WATCHED.filter((which) => all[which].isExceeded).map((which) => ACTIONS[which]);
}
