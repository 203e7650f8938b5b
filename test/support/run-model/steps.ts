import type { SlotStatus } from '@onceover/gates/run/record-types';
import type { Priority } from '@onceover/repo/config/settings';
import fc from 'fast-check';
import type { Trouble } from './ports.ts';
import { REPORTED, type Verdict } from './reviewer.ts';
import { PATHS, REVIEWS, type Setup, SMALL_LIMIT, TEXTS } from './setup.ts';
import type { CheckPlan } from './world.ts';

/** An action of a user, or a run. Numbers are taken modulo the number of choices. */
export type Step =
  | { readonly do: 'write'; readonly path: number; readonly text: number }
  | { readonly do: 'remove' | 'restore' | 'chmod'; readonly path: number }
  | {
      readonly do:
        | 'commit'
        | 'amend'
        | 'detach'
        | 'merge'
        | 'rebase'
        | 'land'
        | 'clean'
        | 'forget'
        | 'worktree'
        | 'collect'
        | 'wait'
        | 'security';
    }
  | { readonly do: 'switch'; readonly branch: string }
  | { readonly do: 'advance'; readonly path: number; readonly text: number }
  | { readonly do: 'prompt'; readonly review: number; readonly value: number }
  | { readonly do: 'count'; readonly review: number; readonly value: number }
  | { readonly do: 'settings'; readonly change: Partial<Setup> }
  | { readonly do: 'resolve'; readonly finding: number; readonly how: 'fixed' | 'skipped' }
  | {
      readonly do: 'foreign';
      readonly gate: number;
      readonly slot: number;
      readonly status: SlotStatus;
      readonly passIteration?: number;
    }
  | { readonly do: 'status'; readonly what: RunStep['what']; readonly which: number }
  | RunStep;

export type RunStep = {
  readonly do: 'run';
  readonly what: 'all' | 'uncommitted' | 'files' | 'commit' | 'base' | 'gate' | 'path';
  readonly which: number;
  readonly how: 'plainly' | 'force' | 'fresh' | 'all';
  readonly verdicts: readonly Verdict[];
  readonly checks: readonly CheckPlan[];
  readonly trouble: Trouble | null;
  readonly stopAt: number | null;
};

/** Mostly the same few files, so that steps affect each other. */
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 0, 1, 2) },
  { weight: 1, arbitrary: fc.nat(PATHS.length - 1) },
);
const text = fc.oneof(
  { weight: 30, arbitrary: fc.nat(TEXTS.length - 2) },
  { weight: 1, arbitrary: fc.constant(TEXTS.length - 1) },
);
const priority = fc.constantFrom<Priority>('low', 'medium', 'high', 'critical');

const report = fc.record({
  file: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(0, 0, 1, 2, 4) },
    { weight: 1, arbitrary: fc.nat(REPORTED.length - 1) },
  ),
  line: fc.constantFrom(1, 1, 1, 2, 3, 9, null),
  code: fc.constantFrom('bad', 'bad', 'bad', 'one', 'zzz', null),
  priority,
});

const pass: fc.Arbitrary<Verdict> = fc.constant({
  kind: 'answer',
  status: 'pass',
  reports: [],
  repeats: false,
  words: ['fixed'],
  meddles: false,
  edit: null,
});

const anyVerdict: fc.Arbitrary<Verdict> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Verdict['kind']>('answer') },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Verdict['kind']>('garbled', 'flaky', 'limited', 'error', 'error', 'error'),
    },
  ),
  status: fc.constantFrom('pass', 'fail'),
  reports: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(report, { minLength: 1, maxLength: 2 }) },
  ),
  repeats: fc.boolean(),
  words: fc.array(fc.constantFrom<Verdict['words'][number]>('fixed', 'open', 'withdrawn', null), { maxLength: 2 }),
  meddles: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  edit: fc.oneof(
    { weight: 12, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ path, text: fc.oneof(text, fc.constant('same' as const)) }) },
  ),
});

const verdict = fc.oneof({ weight: 5, arbitrary: pass }, { weight: 4, arbitrary: anyVerdict });

const check: fc.Arbitrary<CheckPlan> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ passes: true, edit: null }) },
  {
    weight: 2,
    arbitrary: fc.record({ passes: fc.boolean(), edit: fc.oneof(fc.constant(null), fc.record({ path, text })) }),
  },
);

const what = fc.oneof(
  { weight: 8, arbitrary: fc.constant<RunStep['what']>('all') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<RunStep['what']>('uncommitted', 'files', 'commit', 'base', 'gate', 'path'),
  },
);

const run: fc.Arbitrary<RunStep> = fc.record({
  do: fc.constant('run' as const),
  what,
  which: fc.nat(3),
  how: fc.oneof(
    { weight: 7, arbitrary: fc.constant<RunStep['how']>('plainly') },
    { weight: 2, arbitrary: fc.constantFrom<RunStep['how']>('force', 'fresh', 'all') },
  ),
  verdicts: fc.array(verdict, { minLength: 0, maxLength: 6 }),
  checks: fc.array(check, { maxLength: 3 }),
  trouble: fc.oneof(
    { weight: 12, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ how: fc.constant('dies' as const), call: fc.integer({ min: 1, max: 90 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({ how: fc.constant('disk-full' as const), call: fc.integer({ min: 1, max: 30 }) }),
    },
  ),
  stopAt: fc.oneof(
    { weight: 15, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 8 }) },
  ),
});

/** Settings that change during the story. */
const change: fc.Arbitrary<Partial<Setup>> = fc.oneof(
  fc.record({ failOn: priority }),
  fc.record({ unchangedGates: fc.constantFrom('run' as const, 'rest') }),
  fc.record({ afterPass: fc.constantFrom('latch' as const, 'all') }),
  fc.record({ certify: fc.boolean() }),
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 9, arbitrary: run },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), path, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'restore', 'restore', 'chmod'), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'commit',
        'commit',
        'amend',
        'detach',
        'merge',
        'rebase',
        'land',
        'clean',
        'forget',
        'worktree',
        'collect',
        'wait',
        'security',
      ),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('switch' as const), branch: fc.constantFrom('work', 'side', 'main') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('advance' as const), path, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('status' as const), what, which: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settings' as const), change }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('prompt' as const, 'count'),
      review: fc.nat(REVIEWS.length - 1),
      value: fc.nat(2),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      finding: fc.nat(9),
      how: fc.constantFrom('fixed' as const, 'skipped'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('foreign' as const),
      gate: fc.nat(3),
      slot: fc.integer({ min: 1, max: 3 }),
      status: fc.constantFrom<SlotStatus>('pass', 'fail', 'error', 'skipped_prior_pass'),
      passIteration: fc.integer({ min: -1, max: 4 }),
    }),
  },
);

export const setups: fc.Arbitrary<Setup> = fc.record({
  unchangedGates: fc.constantFrom('run' as const, 'rest'),
  afterPass: fc.constantFrom('latch' as const, 'latch', 'all'),
  certify: fc.constantFrom(false, false, true),
  maxRetries: fc.constantFrom(3, 9, 9, 1, 0),
  failOn: fc.constantFrom<Priority>('low', 'low', 'high'),
  rerunNewIssueThreshold: fc.constantFrom<Priority>('low', 'low', 'medium', 'critical'),
  concurrency: fc.constantFrom(1, 1, 4),
  budget: fc.constantFrom(...new Array<null>(8).fill(null), 2, 4),
  diffLimit: fc.constantFrom(400_000, 400_000, 400_000, SMALL_LIMIT),
  counts: fc.tuple(fc.constantFrom(2, 3), fc.constantFrom(1, 2), fc.constantFrom(2, 1), fc.constantFrom(1, 2)),
  prompts: fc.constant([0, 0, 0, 0]),
  hasSecurity: fc.constant(true),
});
