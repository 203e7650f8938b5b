import { checkGate, entry, gateOutcome, path, reviewGate, runOutcome, stateOf } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../../src/result/types.ts';
import { describeDryRun } from '../../../src/run/describe/plan.ts';

type Plan = Parameters<typeof describeDryRun>[1];
const NOTHING: Plan = { iterates: false, checks: [], reviews: [] };
const gate = (id: string, files = 1) =>
  stateOf({ gate: reviewGate({ id, entries: Array.from({ length: files }, (_, i) => entry({ path: `src/${i}` })) }) });
const outcome = (differs: Partial<RunOutcome> = {}) => runOutcome({ iteration: null, gates: [], ...differs });

describe('a dry run', () => {
  test('lists what a run would do, gate by gate', () => {
    const plan: Plan = {
      iterates: true,
      checks: [
        { kind: 'run', gate: checkGate() },
        { kind: 'rest', gate: checkGate({ id: 'check:.:test' }) },
      ],
      reviews: [
        {
          kind: 'run',
          state: gate('review:src:a b', 2),
          slots: [
            { kind: 'run', slot: 1, why: 'safety-latch' },
            { kind: 'skip', slot: 2, passIteration: 1 },
          ],
        },
        { kind: 'run', state: gate('review:.:one'), slots: [{ kind: 'run', slot: 1, why: 'first-run' }] },
        { kind: 'rest', state: gate('rule:.:style') },
        { kind: 'not-run', state: gate('review:.:over'), why: 'retry-limit' },
        { kind: 'rest', state: gate('review:.:unknown') },
      ],
    };
    const told = outcome({
      gates: [
        gateOutcome({ id: 'rule:.:style', why: 'unchanged-since-pass' }),
        gateOutcome({ id: 'review:.:over', why: 'retry-limit' }),
      ],
      uncovered: [path('README.md'), path('a b')],
    });
    expect(describeDryRun(told, plan)).toBe(`run      check:.:lint  npm run lint
skip     check:.:test  unchanged since it passed
run      "review:src:a b"  2 files
         run reviewer 1: safety latch (all slots previously passed)
         skip reviewer 2: already passed in run 1
run      review:.:one  1 file
         run reviewer 1: first review
skip     rule:.:style  unchanged since it passed
not run  review:.:over  failed too often without progress, so it does not run again until its files or its prompt change
skip     review:.:unknown
2 changed files are not covered by any review: README.md, "a b"
Nothing was run (--dry-run).`);
  });

  test('says that a run would do nothing if every gate passes', () => {
    const plan: Plan = { ...NOTHING, checks: [{ kind: 'rest', gate: checkGate() }] };
    expect(describeDryRun(outcome(), plan)).toBe(
      'skip     check:.:lint  unchanged since it passed\nA run would call no reviewer and run no check.',
    );
  });

  test.each<[string, Partial<RunOutcome>, string]>([
    ['nothing changed', { status: 'no_changes' }, 'Nothing would run: no changes since main.'],
    [
      'no gate',
      { status: 'no_applicable_gates', uncovered: [path('a')] },
      'Nothing would run: no gate or rule covers the changed files.\n1 changed file is not covered by any review: a',
    ],
  ])('says why nothing would run: %s', (_title, differs, expected) => {
    expect(describeDryRun(outcome(differs), NOTHING)).toBe(expected);
  });

  test('shows one line per check for a command of several lines', () => {
    const plan: Plan = { ...NOTHING, iterates: true, checks: [{ kind: 'run', gate: checkGate({ command: 'a\nb' }) }] };
    expect(describeDryRun(outcome(), plan).split('\n')).toHaveLength(2);
  });
});
