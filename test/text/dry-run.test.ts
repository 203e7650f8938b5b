import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/domain/run.ts';
import { tellDryRun } from '../../src/text/dry-run.ts';
import { checkGate, entry, gateOutcome, path, reviewGate, runOutcome } from '../support/run-samples.ts';

type Plan = Parameters<typeof tellDryRun>[1];
const NOTHING: Plan = { iterates: false, checks: [], reviews: [] };
const gate = (id: string, files = 1) => ({
  gate: reviewGate({ id, entries: Array.from({ length: files }, (_, i) => entry({ path: `src/${i}` })) }),
});
const outcome = (differs: Partial<RunOutcome> = {}) => runOutcome({ iteration: null, gates: [], ...differs });

describe('what a run would do', () => {
  test('gate by gate', () => {
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
        { kind: 'not-run', state: gate('review:.:over') },
        { kind: 'rest', state: gate('review:.:untold') },
      ],
    };
    const told = outcome({
      gates: [
        gateOutcome({ id: 'rule:.:style', why: 'unchanged-since-pass' }),
        gateOutcome({ id: 'review:.:over', why: 'retry-limit' }),
      ],
      uncovered: [path('README.md'), path('a b')],
    });
    expect(tellDryRun(told, plan)).toBe(`run     check:.:lint  npm run lint
holds   check:.:test
run     "review:src:a b"  2 files
          Running @1: safety latch (all slots previously passed)
          Skipping @2: previously passed in iteration 1 (num_reviews > 1)
run     review:.:one  1 file
          Running @1: it has not looked here yet
holds   rule:.:style  unchanged since it passed
not run review:.:over  not asked again: it failed too often in a row
holds   review:.:untold
Covered by no review: README.md, "a b"
Nothing was run (--dry-run).`);
  });

  test('nothing, where everything holds', () => {
    const plan: Plan = { ...NOTHING, checks: [{ kind: 'rest', gate: checkGate() }] };
    expect(tellDryRun(outcome(), plan)).toBe(
      'holds   check:.:lint\nEvery gate holds, or nothing can be asked: a run would ask nobody.',
    );
  });

  test.each<[string, Partial<RunOutcome>, string]>([
    ['nothing changed', { status: 'no_changes' }, 'Nothing would be run: nothing changed since main.'],
    [
      'no gate',
      { status: 'no_applicable_gates', uncovered: [path('a')] },
      'Nothing would be run: no gate or rule covers what changed.\nCovered by no review: a',
    ],
  ])('%s', (_title, differs, expected) => {
    expect(tellDryRun(outcome(differs), NOTHING)).toBe(expected);
  });

  test('one line a check, whatever its command', () => {
    const plan: Plan = { ...NOTHING, iterates: true, checks: [{ kind: 'run', gate: checkGate({ command: 'a\nb' }) }] };
    expect(tellDryRun(outcome(), plan).split('\n')).toHaveLength(2);
  });
});
