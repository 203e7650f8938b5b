import { usageDocument } from '@onceover/agents/ledger/describe';
import { passStatement } from '@onceover/testing/passes.ts';
import {
  checkGate,
  claim,
  finding,
  gateOutcome,
  path,
  reviewGate,
  runOutcome,
  slotOutcome,
  stateOf,
  usage,
  waiver,
} from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import {
  findingDocument,
  gateDocument,
  lockConflictDocument,
  runDocument,
  slotDocument,
} from '../../src/result/json.ts';
import { runSchema } from '../../src/result/json-schema.ts';
import type { RunOutcome, SlotOutcome } from '../../src/result/types.ts';
import { dryRunDocument } from '../../src/run/json-plan.ts';

/** An outcome with every field set. */
const FULL: RunOutcome = runOutcome({
  status: 'failed',
  exitCode: 1,
  iteration: 2,
  gates: [
    gateOutcome({
      id: 'check:.:lint',
      kind: 'check',
      status: 'fail',
      why: 'check-failed',
      slots: [],
      check: { command: 'npm run lint', exitCode: 1, why: 'exit code 1', durationMs: 5, tail: 'no\n' },
    }),
    gateOutcome({
      status: 'fail',
      why: 'open-findings',
      slots: [
        slotOutcome({ status: 'skipped_prior_pass', dispatch: 'none', why: 'passed-before', passIteration: 1 }),
        slotOutcome({
          slot: 2,
          agent: null,
          status: 'error',
          dispatch: 'fresh',
          why: 'stale',
          trouble: { kind: 'stale' },
          usage: usage({ cachedInputTokens: 1, cacheWriteTokens: 2, costUsd: 0.5 }),
        }),
      ],
    }),
  ],
  findings: [
    { finding: finding({ fix: 'Remove it.', mark: 'off-diff', resolution: claim('Fixed.') }), state: 'fixed_claimed' },
  ],
  uncovered: [path('README.md')],
  withheld: [{ path: path('.env'), why: 'secret' }],
  notices: [{ kind: 'idle-gate', path: 'docs' }],
  usage: usage(),
  saved: { pass: 1, slot: 2, session: 3, prefix: 4, reading: 0 },
  dispatches: 3,
});

describe('a pass of another clone', () => {
  const statement = passStatement();
  const signers = [{ principal: 'dev@example.com', keyFingerprint: 'SHA256:x' }];
  const accepted = { kind: 'accepted', statement, signers } as const;
  const rows: readonly [
    title: string,
    given: Partial<SlotOutcome>,
    by: readonly string[] | null,
    why: string | null,
  ][] = [
    ['was not looked for', { shared: null }, null, null],
    ['counts', { shared: accepted, why: 'accepted', dispatch: 'none' }, ['dev@example.com'], null],
    ['does not count', { shared: { kind: 'refused', why: 'too-old', statement: null } }, null, 'too-old'],
    ['counts, but the reviewer ran', { shared: accepted, why: 'only-reviewer', dispatch: 'fresh' }, null, 'repeated'],
    ['is the own pass of this clone', { shared: accepted, why: 'covers', dispatch: 'none' }, null, null],
  ];

  test.each(rows)('%s', (_title, given, by, why) => {
    const { accepted, not_accepted: not } = slotDocument(slotOutcome(given));
    expect([accepted?.by ?? null, not?.why ?? null]).toEqual([by, why]);
  });
});

describe('the document of a run', () => {
  test('names the gates that the run left out', () => {
    const asked = { gates: ['lint'], paths: [], others: ['review:src:b'] };
    expect(runDocument(runOutcome({ asked })).not_asked).toEqual(['review:src:b']);
  });

  test('of a dry run says for each gate what a run would do', () => {
    const ids = ['check:.:lint', 'check:.:test', 'review:src:a', 'rule:.:b', 'review:src:c'];
    const outcome = runOutcome({ iteration: null, gates: ids.map((id) => gateOutcome({ id })) });
    const document = dryRunDocument(outcome, {
      iterates: true,
      checks: [
        { kind: 'run', gate: checkGate() },
        { kind: 'rest', gate: checkGate({ id: 'check:.:test' }) },
      ],
      reviews: [
        {
          kind: 'run',
          state: stateOf({ gate: reviewGate({ id: 'review:src:a' }) }),
          slots: [
            { kind: 'run', slot: 1, why: 'safety-latch' },
            { kind: 'skip', slot: 2, passIteration: 1 },
          ],
        },
        { kind: 'rest', state: stateOf({ gate: reviewGate({ id: 'rule:.:b' }) }) },
      ],
    });
    expect(runSchema.parse(document).gates.map(({ would_do }) => would_do)).toEqual([
      ['Running it'],
      [],
      [
        'Running @1: safety latch (all slots previously passed)',
        'Skipping @2: previously passed in iteration 1 (num_reviews > 1)',
      ],
      [],
      [],
    ]);
  });

  test('of a run that another run blocks has the same form', () => {
    const held = { kind: 'lock-held', pid: 4711, host: 'here', since: '2026-03-01T12:00:00.000Z' } as const;
    const document = runSchema.parse(lockConflictDocument(held));
    expect(document).toMatchObject({ status: 'lock_conflict', exit_code: 3, iteration: null, gates: [] });
    expect(document.warnings[0]).toContain('process 4711 on here');
  });

  test('has every field', () => {
    expect(runDocument(FULL)).toStrictEqual({
      status: 'failed',
      iteration: 2,
      gates: [
        {
          id: 'check:.:lint',
          kind: 'check',
          status: 'fail',
          why: 'check-failed',
          detail: 'npm run lint: exit code 1',
          slots: [],
          output: 'no\n',
        },
        {
          id: 'review:src:code-quality',
          kind: 'review',
          status: 'fail',
          why: 'open-findings',
          detail: 'it has open findings',
          slots: [
            {
              slot: 1,
              agent: 'codex',
              status: 'skipped_prior_pass',
              dispatch: 'none',
              why: 'passed-before',
              pass_iteration: 1,
              usage: null,
              detail: 'already passed in run 1',
              accepted: null,
              not_accepted: null,
            },
            {
              slot: 2,
              agent: null,
              status: 'error',
              dispatch: 'fresh',
              why: 'stale',
              pass_iteration: null,
              usage: {
                input_tokens: 100,
                cached_input_tokens: 1,
                cache_write_tokens: 2,
                output_tokens: 20,
                cost_usd: 0.5,
              },
              detail: expect.stringMatching(/^files changed while/),
              accepted: null,
              not_accepted: null,
            },
          ],
        },
      ],
      pull_request: null,
      not_asked: [],
      findings: [
        {
          id: 'F1',
          gate: 'review:src:code-quality',
          slot: 1,
          file: 'src/a.ts',
          line: 1,
          code: 'a = 1',
          anchor: { text: 'a = 1', occurrence: 1 },
          fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
          agent: 'claude',
          issue: 'It is wrong.',
          fix: 'Remove it.',
          priority: 'high',
          state: 'fixed_claimed',
          since: 1,
          mark: 'off-diff',
          why: 'Fixed.',
          answer: 'fixed',
          by: { kind: 'person', name: 'ann' },
          closed: null,
          proposed_by: null,
        },
      ],
      settled: [],
      uncovered_files: ['README.md'],
      withheld_files: ['.env'],
      usage: { input_tokens: 100, cached_input_tokens: 0, cache_write_tokens: 0, output_tokens: 20, cost_usd: null },
      saved: { pass: 1, slot: 2, session: 3, prefix: 4, reading: 0 },
      scope: 'full',
      base: 'main',
      commit: 'c0ffee',
      exit_code: 1,
      dispatches: 3,
      retries: 0,
      shared: null,
      warnings: ['no file matches the gate path docs'],
    });
  });

  test.each([
    ['everything', FULL],
    ['a run that passed', runOutcome()],
    ['a run without a commit to compare with', runOutcome({ iteration: null, baseName: null, gates: [] })],
  ])('matches its schema, key by key: %s', (_title, outcome) => {
    const document = runDocument(outcome);
    expect(runSchema.safeParse(document)).toStrictEqual({ success: true, data: document });
  });

  test('a check that did not run has no output', () => {
    expect(gateDocument(gateOutcome({ kind: 'check', check: null }))).not.toHaveProperty('output');
  });
});

test('an amount of money has no rounding errors', () => {
  expect(usageDocument(usage({ costUsd: 0.1 + 0.2 }))?.cost_usd).toBe(0.3);
  expect(usageDocument(usage({ costUsd: null }))?.cost_usd).toBeNull();
});

test.each([
  ['nothing', null, null],
  ['a claim without a reason', claim(''), null],
  ['a waiver', waiver('So be it.'), 'So be it.'],
])('the resolution of a finding: %s', (_title, resolution, expected) => {
  expect(findingDocument({ finding: finding({ resolution }), state: 'open' }).why).toBe(expected);
});
