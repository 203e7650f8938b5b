import type { RepoPath } from '@onceover/base/kernel/ids';
import { PHASES, SEVERITIES } from '@onceover/base/kernel/review-loops';
import {
  answerWith,
  fixBy,
  found,
  implementRun,
  issue,
  look,
  lookError,
  open,
  phaseEnd,
  phaseOutcome,
  phaseRun,
  playedRound,
  spent,
} from '@onceover/testing/phase/samples.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { phaseDocument } from '../../src/phases/json.ts';
import { phaseSchema } from '../../src/phases/json-schema.ts';
import type { PhaseEndReason } from '../../src/phases/types.ts';

const USAGE = {
  input_tokens: 100,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 20,
  cost_usd: null,
};

describe('the document of a phase', () => {
  test('warns only if an approval is older than the current content', () => {
    const rounds = [
      playedRound({ content: 'c1' }),
      playedRound({ round: 2, stage: 'phase', content: 'c2', looks: [look({ role: 'phase-reviewer' })] }),
    ];
    const outcome = phaseOutcome({ run: phaseRun({ rounds }) });
    expect(phaseDocument(outcome).warnings).toEqual([
      'spec-reviewer approved an earlier version and did not see the later changes ("recheck_domain: true" in onceover.yml shows them)',
    ]);
    expect(phaseDocument({ ...outcome, end: phaseEnd('cap') }).warnings).toEqual([]);
  });

  test('has every review, fix and open issue', () => {
    const finding = issue({ category: 'clarity', location: 'spec.md:3' });
    const rounds = [
      playedRound({
        looks: [found([finding], { spent: spent(10, { usage: usage() }) })],
        marks: [
          { kind: 'lazy-load-warning', role: 'spec-reviewer' },
          { kind: 'lazy-load-warning', role: 'phase-reviewer' },
        ],
        fix: fixBy('codex'),
      }),
      playedRound({ iteration: 2, round: 2, looks: [], errors: [lookError({ template: 'I2', why: 'delta' })] }),
    ];
    const outcome = phaseOutcome({
      run: phaseRun({ rounds }),
      end: phaseEnd('reviewer-failed', { status: 'needs_work' }),
      open: [{ role: 'spec-reviewer', issue: finding }],
      exitCode: 1,
      usage: usage(),
      notices: [{ kind: 'no-price', agents: ['house'] }],
    });
    const fields = { severity: 'blocker', level: null, category: 'clarity', location: 'spec.md:3', suggestion: null };
    expect(phaseDocument(outcome)).toEqual({
      phase: 'specify',
      feature: 'docs/f',
      loop_id: 'loop-1',
      status: 'needs_work',
      end: 'reviewer-failed',
      waiting: false,
      accepted_with_notes: false,
      exit_code: 1,
      loops: [
        {
          role: 'spec-reviewer',
          iterations: [
            {
              n: 1,
              round: 1,
              final_validation: false,
              agent: 'claude',
              dispatch: 'fresh',
              why: 'first-look',
              prompt_chars: 10,
              usage: USAGE,
              marks: ['LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads'],
              reviewer_approved: false,
              engine_pass: false,
              issues: [{ ...fields, description: 'It cannot be tested.' }],
              summary: 'Read.',
              error: null,
            },
            {
              n: 2,
              round: 2,
              final_validation: false,
              agent: 'claude',
              dispatch: 'resumed',
              why: 'delta',
              prompt_chars: 12_345,
              usage: null,
              marks: [],
              reviewer_approved: null,
              engine_pass: false,
              issues: [],
              summary: null,
              error: 'did not finish within 7 seconds',
            },
          ],
          rested: [],
        },
      ],
      fixes: [
        {
          n: 1,
          round: 1,
          by: 'fixer',
          agent: 'codex',
          dispatch: 'fresh',
          why: 'first-look',
          summary: 'Made it testable.',
          prompt_chars: 4_000,
          usage: null,
          marks: [],
        },
      ],
      preparations: [],
      open_issues: [{ role: 'spec-reviewer', ...fields, description: 'It cannot be tested.' }],
      forbidden_edits: [],
      usage: USAGE,
      saved: { pass: 0, slot: 0, session: 0, prefix: 0, reading: 0 },
      warnings: ['budget.usd does not count house, which reported no price; budget.dispatches counts every call'],
    });
  });

  test('of code: a loop per reviewer, with its skipped rounds and the final validation', () => {
    const document = phaseSchema.parse(phaseDocument(phaseOutcome({ run: implementRun() })));
    expect(document.preparations).toMatchObject([{ role: 'test-deepener', part: 'A' }]);
    expect(
      document.loops.map(({ role, iterations, rested }) => [
        role,
        iterations.map(({ n, final_validation }) => [n, final_validation]),
        rested.map(({ n, passed_at }) => [n, passed_at]),
      ]),
    ).toEqual([
      [
        'implementation-reviewer',
        [
          [1, false],
          [2, true],
        ],
        [[2, 1]],
      ],
      [
        'code-quality-reviewer',
        [
          [1, false],
          [2, false],
          [2, true],
        ],
        [],
      ],
      [
        'security-reviewer',
        [
          [1, false],
          [2, true],
        ],
        [[2, 1]],
      ],
    ]);
  });

  test('a waiting loop needs work', () => {
    const document = phaseDocument(phaseOutcome({ end: null, open: [open('spec-reviewer')], exitCode: 1 }));
    expect(document).toMatchObject({ status: 'needs_work', end: null, waiting: true, exit_code: 1 });
  });

  test('an end that is accepted with notes is not approved', () => {
    const document = phaseDocument(
      phaseOutcome({ end: phaseEnd('accepted-with-notes'), open: [open('spec-reviewer')] }),
    );
    expect(document).toMatchObject({ status: 'cap', accepted_with_notes: true, exit_code: 0 });
    expect(document.open_issues).toHaveLength(1);
  });

  test('a fix by the caller has no agent; a fixer that was stopped has no summary', () => {
    const rounds = [playedRound({ fix: fixBy(null) }), playedRound({ round: 2, fix: fixBy(null, { summary: null }) })];
    expect(phaseDocument(phaseOutcome({ run: phaseRun({ rounds }) })).fixes).toMatchObject([
      { by: 'caller', agent: null, dispatch: null, summary: 'Made it testable.' },
      { by: 'fixer', agent: null, summary: null },
    ]);
  });

  test('protected files that an agent changed are named', () => {
    const end = phaseEnd('forbidden-edit', { paths: ['onceover.yml' as RepoPath] });
    expect(phaseDocument(phaseOutcome({ end, exitCode: 3 })).forbidden_edits).toEqual(['onceover.yml']);
  });

  test('for any result, it matches its schema and says approved only if the reviewers did', () => {
    const ends: readonly (PhaseEndReason | null)[] = [...phaseSchema.shape.end.unwrap().options, null];
    const issues = fc.array(
      fc.record({
        severity: fc.constantFrom(...SEVERITIES),
        description: fc.string({ unit: 'binary' }),
        location: fc.option(fc.string(), { nil: undefined }),
        suggestion: fc.option(fc.string(), { nil: undefined }),
        level: fc.option(fc.string(), { nil: undefined }),
        category: fc.option(fc.string(), { nil: undefined }),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...ends),
        fc.constantFrom(...PHASES),
        issues,
        fc.boolean(),
        (why, phase, issues, fails) => {
          const rounds = [
            playedRound({
              phase,
              looks: [look({ answer: answerWith(issues), enginePass: false })],
              errors: fails ? [lookError({ role: 'phase-reviewer', failure: { kind: 'stopped', by: 'trouble' } })] : [],
              fix: fixBy(fails ? null : 'codex'),
            }),
          ];
          const document = phaseDocument(
            phaseOutcome({
              run: phaseRun({ phase, rounds }),
              end: why === null ? null : phaseEnd(why),
              open: issues.map((item) => ({ role: 'spec-reviewer', issue: item })),
            }),
          );
          expect(phaseSchema.strict().parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
          expect(document.status === 'approved').toBe(why === 'approved');
        },
      ),
    );
  });
});
