import { agreementOf, sharedHistory } from '@onceover/agents/ledger/agreement';
import type { LedgerEntry, LedgerRun, Lever, SavedUsage } from '@onceover/agents/ledger/entries';
import { savedByResuming } from '@onceover/agents/ledger/savings';
import type { PriceList } from '@onceover/base/kernel/agent';
import { byCodePoint, grouped } from '@onceover/base/kernel/collections';
import type { CostDocument, SavedTokens } from './json-schema.ts';
import { dispatchesIn, isLoop, loopsCost } from './loops.ts';
import {
  type CostRow,
  type CostSelection,
  costRows,
  type LoopRow,
  paidFor,
  paidTokens,
  selectEntries,
} from './rows.ts';

const MOST_RUNS = 10;

const BASELINE =
  "pass and slot: that reviewer's last measured usage here; session: fresh prompt and reads minus measured; prefix: " +
  'cached tokens beyond what the CLI caches by itself; reading: files that another session opened, found in the cache';

/**
 * Returns the cost and the savings in the selected entries of the ledger (the log of costs): in total, and for each
 * gate, feature, workflow step, agent, kind of saving, day and run.
 */
export function summariseCost(
  ledgerEntries: readonly LedgerEntry[],
  selection: CostSelection,
  unreadable: number,
  priceOf: PriceList,
): CostDocument {
  const selectedEntries = selectEntries(ledgerEntries, selection);
  // A proof reviews planted mistakes and no real change, so its cost is shown in a line of its own and is in no total.
  const entries = selectedEntries.filter(({ kind }) => kind !== 'proof');
  const proofs = selectedEntries.filter(({ kind }) => kind === 'proof');
  const runs = entries.filter((entry) => entry.kind === 'run');
  const rows = costRows(entries, priceOf);
  const loops = rows.filter(isLoop);
  const savings = savingsIn(runs, loops);
  const by = (lever: Lever) => savedIn(savings.filter((saving) => saving.lever === lever));
  return {
    since: selection.since?.toISOString() ?? null,
    branch: selection.branch,
    runs: runs.length,
    idle_runs: runs.filter(({ iteration, checks }) => iteration === null && checks.length === 0).length,
    fixes: entries.filter(({ kind }) => kind === 'fix').length,
    resume_tests: paidFor(rows.filter(({ kind }) => kind === 'probe')),
    proofs: paidFor(costRows(proofs, priceOf)),
    paid: paidFor(rows),
    not_paid: {
      ...{ pass: by('pass'), slot: by('slot'), session: by('session'), prefix: by('prefix'), reading: by('reading') },
      baseline: BASELINE,
    },
    looked_again: lookedAgain(rows),
    caches: cachesIn(rows),
    gates: byGate(rows, savings),
    loops: { ...loopsCost(loops), features: byFeature(loops) },
    workflows: costBy(
      rows.filter((row) => row.kind === 'step'),
      ({ job, step }) => ({ job, step }),
    ),
    agents: costBy(rows, ({ agent, model }) => ({ agent, model })),
    days: [...grouped(entries, ({ at }) => at.slice(0, 10))].map(([day, dayEntries]) => ({
      day,
      runs: dayEntries.filter(({ kind }) => kind === 'run').length,
      paid: paidFor(rows.filter(({ at }) => at.startsWith(day))),
      not_paid: savedIn(savings.filter(({ at }) => at.startsWith(day))),
    })),
    checks: byCheck(runs),
    last_runs: runs
      .slice(-MOST_RUNS)
      .reverse()
      .map((run) => runCost(run, priceOf)),
    shared: sharedCost(entries),
    unreadable_entries: unreadable,
  };
}

/**
 * Returns how many passes of other clones counted, and how often this clone agreed when it reviewed one again (an
 * audit).
 */
function sharedCost(entries: readonly LedgerEntry[]): CostDocument['shared'] {
  const { accepted, audits } = sharedHistory(entries);
  return { accepted: accepted.length, agreement: agreementOf(audits).map((agreement) => ({ ...agreement })) };
}

type Saving = Omit<SavedUsage, 'gate'> & { readonly at: string; readonly gate: string | null };

/** Returns what runs saved, and what resumed sessions in review loops saved. */
function savingsIn(runs: readonly LedgerRun[], loops: readonly LoopRow[]): readonly Saving[] {
  const resumeSavings = savedByResuming(dispatchesIn(loops).answered);
  return [
    ...runs.flatMap(({ at, spared }) => spared.map((saving) => ({ ...saving, at }))),
    ...resumeSavings.map(
      ({ one, tokens }) => ({ at: one.at, gate: null, lever: 'session', looks: 1, tokens }) as const,
    ),
  ];
}

function savedIn(savings: readonly SavedTokens[]): SavedTokens {
  const sum = (of: (saving: SavedTokens) => number) => savings.reduce((total, saving) => total + of(saving), 0);
  return { looks: sum(({ looks }) => looks), tokens: sum(({ tokens }) => tokens) };
}

function lookedAgain(rows: readonly CostRow[]): CostDocument['looked_again'] {
  const reviews = rows.filter((row) => row.kind === 'review' || row.kind === 'loop');
  const fresh = reviews.filter(({ dispatch }) => dispatch === 'fresh');
  // One entry of a review loop can cover several calls, and `why` is only about the last one. Use `fellBack`, which is
  // set if resuming failed in any of them.
  const fellBack = reviews.filter((row) =>
    row.kind === 'loop' ? row.fellBack : row.dispatch === 'fresh' && row.why === 'session-lost',
  );
  return {
    resumed: reviews.length - fresh.length,
    fresh_as_delta_too_large: fresh.filter(({ why }) => why === 'delta-too-large').length,
    fresh_as_session_lost: fellBack.length,
    fresh_as_resume_dearer: fresh.filter(({ why }) => why === 'resume-dearer').length,
  };
}

/**
 * Returns, for each agent and model, what was assumed about the provider's cache, and how often a resumed session
 * really was in it.
 */
function cachesIn(rows: readonly CostRow[]): CostDocument['caches'] {
  const notes = rows.flatMap((row) =>
    (row.kind === 'review' || row.kind === 'loop') && row.cache !== undefined
      ? [{ agent: row.agent, ...row.cache }]
      : [],
  );
  return [...grouped(notes, ({ agent, model, ttl }) => JSON.stringify([agent, model, ttl])).values()].flatMap(
    (cacheNotes) =>
      cacheNotes.slice(-1).map(({ agent, model, lifeMinutes, lifeFrom }) => ({
        ...{ agent, model, life_minutes: lifeMinutes, life_from: lifeFrom },
        resumed: cacheNotes.filter(({ hit }) => hit !== null).length,
        hits: cacheNotes.filter(({ hit }) => hit === true).length,
      })),
  );
}

/** Returns the cost of each gate, even if it was only skipped. Fixes belong to no gate, so their gate is `null`. */
function byGate(rows: readonly CostRow[], savings: readonly Saving[]): CostDocument['gates'] {
  const gateOf = (row: CostRow) => (row.kind === 'review' ? row.gate : null);
  const gateRows = rows.filter(({ kind }) => kind === 'review' || kind === 'fix');
  const gatesWithSavings = savings.flatMap(({ gate }) => gate ?? []);
  return [...new Set([...gateRows.map(gateOf), ...gatesWithSavings])]
    .map((gate) => ({
      gate,
      paid: paidFor(gateRows.filter((row) => gateOf(row) === gate)),
      not_paid: savedIn(gate === null ? [] : savings.filter((saving) => saving.gate === gate)),
    }))
    .sort(
      (a, b) =>
        paidTokens(b.paid) - paidTokens(a.paid) ||
        b.not_paid.tokens - a.not_paid.tokens ||
        byCodePoint(a.gate ?? '', b.gate ?? ''),
    );
}

function byFeature(loops: readonly LoopRow[]): CostDocument['loops']['features'] {
  return costBy(loops, ({ feature }) => ({ feature })).map(({ feature, paid }) => {
    const { not_paid, compared } = loopsCost(loops.filter((row) => row.feature === feature));
    return { feature, paid, not_paid, compared };
  });
}

/**
 * Groups the rows for which `factsOf` returns equal values, and returns the cost of each group, sorted by tokens (most
 * first) and then by name.
 */
function costBy<Row extends CostRow, Facts extends object>(rows: readonly Row[], factsOf: (row: Row) => Facts) {
  const nameOf = (facts: Facts) => Object.values(facts).join('\0');
  return [...grouped(rows, (row) => JSON.stringify(factsOf(row))).values()]
    .flatMap((group) => group.slice(0, 1).map((first) => ({ facts: factsOf(first), paid: paidFor(group) })))
    .sort((a, b) => paidTokens(b.paid) - paidTokens(a.paid) || byCodePoint(nameOf(a.facts), nameOf(b.facts)))
    .map(({ facts, paid }) => ({ ...facts, paid }));
}

function byCheck(runs: readonly LedgerRun[]): CostDocument['checks'] {
  const checks = runs.flatMap((run) => run.checks);
  return [...grouped(checks, ({ gate }) => gate)]
    .map(([gate, checkRuns]) => ({
      gate,
      runs: checkRuns.length,
      duration_ms: checkRuns.reduce((sum, { durationMs }) => sum + durationMs, 0),
    }))
    .sort((a, b) => b.duration_ms - a.duration_ms || byCodePoint(a.gate, b.gate));
}

function runCost(run: LedgerRun, priceOf: PriceList): CostDocument['last_runs'][number] {
  const { at, branch, scope, iteration, status } = run;
  return {
    ...{ at, branch, scope, iteration, status },
    exit_code: run.exitCode,
    started_by: run.startedBy,
    duration_ms: run.durationMs,
    paid: paidFor(costRows([run], priceOf)),
    not_paid: savedIn(run.spared),
  };
}
