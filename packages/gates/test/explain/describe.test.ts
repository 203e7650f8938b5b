import { cells } from '@onceover/base/ui/layout';
import { PLAIN } from '@onceover/base/ui/style';
import { claim, finding, gateOutcome, path, slotOutcome, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { describeRunExplanation } from '../../src/explain/describe.ts';
import { describeFindingState } from '../../src/explain/describe-finding.ts';
import { RERUNS } from '../../src/explain/describe-reruns.ts';
import type { RunExplanation, RunExplanationDocument } from '../../src/explain/json.ts';
import type { FindingState, ReportedFinding } from '../../src/findings/types.ts';
import type { SlotPlan } from '../../src/gate-types.ts';
import { describePlan } from '../../src/result/describe/reasons.ts';
import { findingDocument, gateDocument, slotDocument } from '../../src/result/json.ts';
import { runExplanationSchema } from '../../src/result/json-schema.ts';
import type { SlotOutcome } from '../../src/result/types.ts';

type About<Kind> = Extract<RunExplanationDocument, { about: Kind }>;

const LONG =
  'The constant is never used, and its name says nothing about what it holds; a reader wonders why it is here.';
const OPEN: ReportedFinding = { finding: finding({ slot: 2, issue: LONG }), state: 'open' };
const PLANNED: readonly SlotPlan[] = [
  { kind: 'skip', slot: 1, passIteration: 1 },
  { kind: 'run', slot: 2, why: 'not-passed' },
];

type Review = About<'gate'>['history'][number];

const review = (differs: Partial<Review> = {}): Review => ({
  iteration: 1,
  slot: 1,
  agent: 'codex',
  status: 'pass',
  dispatch: 'fresh',
  why: 'first-look',
  findings: [],
  ...differs,
});

const FAILED = review({
  slot: 2,
  status: 'fail',
  dispatch: 'resumed',
  why: 'not-passed, delta',
  findings: ['F1'],
});

const GATE: About<'gate'> = {
  about: 'gate',
  gate: gateDocument(gateOutcome({ status: 'fail', why: 'open-findings' })),
  files: ['src/a.ts', 'src/b c.ts'],
  prompt: '.onceover/reviews/code-quality.md',
  proof: null,
  would_do: PLANNED.map(describePlan),
  findings: [findingDocument(OPEN)],
  history: [FAILED, review({ status: 'skipped_prior_pass', dispatch: 'none', why: 'passed-before' })],
  fixes: [],
  runs_again: [RERUNS.everyRun([2])],
};

const SLOT: About<'slot'> = {
  about: 'slot',
  gate: GATE.gate.id,
  slot: slotDocument(slotOutcome({ slot: 2, status: 'not_run', dispatch: 'none', why: 'not-passed' })),
  would_do: GATE.would_do.slice(1),
  findings: GATE.findings,
  history: [FAILED],
  log: 'sent and said',
  runs_again: GATE.runs_again,
};

const CHECK: About<'check'> = {
  about: 'check',
  gate: gateDocument(
    gateOutcome({ id: 'check:.:lint', kind: 'check', status: 'not_run', why: 'check-to-run', slots: [] }),
  ),
  command: 'npm run lint',
  would_run: true,
  history: [
    { iteration: 2, status: 'fail', exit_code: 1, duration_ms: 10, why: 'ended with exit code 1' },
    { iteration: 1, status: 'pass', exit_code: 0, duration_ms: 10, why: null },
  ],
  fixes: [],
  log: 'Check: check:.:lint\nCommand: npm run lint\n\nsrc/a.ts: no\n\nResult: fail - ended with exit code 1\n',
  runs_again: [RERUNS.checkEveryRun],
};

/** Returns the text for a gate, a reviewer, a check or a gate with nothing to review. */
function text(document: RunExplanationDocument, width: number | null = null): string {
  const planned = document.about === 'gate' ? PLANNED : document.about === 'slot' ? PLANNED.slice(1) : [];
  const findings = document.about === 'gate' || document.about === 'slot' ? [OPEN] : [];
  return describeRunExplanation({ document, planned, findings }, { paint: PLAIN, width });
}

const IDLE: About<'idle_gate'> = {
  about: 'idle_gate',
  gate: 'review:docs:prose',
  base: null,
  runs_again: [RERUNS.anyChange],
};

const about = (state: FindingState, differs: Parameters<typeof finding>[0] = {}, planned = true): RunExplanation => {
  const reported = { finding: finding({ slot: 2, ...differs }), state };
  const document = {
    about: 'finding' as const,
    finding: findingDocument(reported),
    would_be_asked: planned,
    would_change_it: describeFindingState(reported, planned).next,
    fixes: [],
  };
  return { document, planned: [], findings: [reported] };
};

describe('an explanation', () => {
  test('of a gate fits one screen', () => {
    expect(text(GATE, 80)).toMatchInlineSnapshot(`
      "review:src:code-quality: FAILED, it has open findings
      Files: src/a.ts, "src/b c.ts"
      Prompt: .onceover/reviews/code-quality.md

      The next run would:
        - skip reviewer 1: already passed in run 1
        - run reviewer 2: it had not passed before

      Findings:
      F1  high      src/a.ts:1  The constant is never used, and its name says nothing…

      History, newest first:
        run 1: reviewer 2 (codex) FAILED, resumed session (it had not passed before,
          sent only the changes since its last review): F1
        run 1: reviewer 1 (codex) skipped (already passed)

      When it runs again:
        - every run calls reviewer 2 until it passes

      Prompt and answer: onceover explain review:src:code-quality@2 --prompt"
    `);
  });

  test('says how long the cache was assumed to live, and what the choice was estimated to cost', () => {
    const [first, ...more] = GATE.history;
    if (first === undefined) throw new Error('a gate without a history');
    const cache = { idle_ms: 600_000, life_minutes: 5, life_from: 'table' as const, hit: null };
    const costs = { estimate_new: 21_000, estimate_resumed: 26_000 };
    expect(text({ ...GATE, history: [{ ...first, cache: { ...cache, ...costs } }, ...more] })).toContain(
      '; 10 min after its last call; cached for 5 min (table); estimated cost: 21.0k new, 26.0k resumed)',
    );
    const hit = { ...cache, life_from: 'measured' as const, hit: true, estimate_new: null, estimate_resumed: null };
    expect(text({ ...GATE, history: [{ ...first, cache: hit }] })).toContain(
      '; 10 min after its last call; cached for 5 min (measured), was in the cache)',
    );
  });

  test('of a reviewer fits one screen', () => {
    expect(text(SLOT, 80)).toMatchInlineSnapshot(`
      "review:src:code-quality, reviewer 2 (codex): has not passed

      The next run would:
        - run reviewer 2: it had not passed before

      Findings:
      F1  high      src/a.ts:1  The constant is never used, and its name says nothing…

      History, newest first:
        run 1: reviewer 2 (codex) FAILED, resumed session (it had not passed before,
          sent only the changes since its last review): F1

      When it runs again:
        - every run calls reviewer 2 until it passes

      Prompt and answer: onceover explain review:src:code-quality@2 --prompt"
    `);
  });

  test('of a check fits one screen', () => {
    expect(text(CHECK, 80)).toMatchInlineSnapshot(`
      "check:.:lint: not run, has not passed on the current code
      Command: npm run lint

      The next run would:
        - run the check

      Last output:
        src/a.ts: no

      History, newest first:
        run 2: FAILED, 0.0 s (ended with exit code 1)
        run 1: passed, 0.0 s

      When it runs again:
        - every run, until the check passes on the current tree

      Command and output: onceover explain check:.:lint --prompt"
    `);
  });

  test('of a finding fits one screen', () => {
    expect(describeRunExplanation(about('open', { issue: LONG }), { paint: PLAIN, width: 80 })).toMatchInlineSnapshot(`
      "F1 is open, so its gate fails.

      F1  high      src/a.ts:1  The constant is never used, and its name says nothing
                    about what it holds; a reader wonders why it is here.
                    | a = 1
                    review:src:code-quality, reviewer 2 (claude), since run 1

      What can change this:
        - the next run calls reviewer 2, which closes the finding if it confirms a
          fix, withdraws the finding, or does not report it again after src/a.ts has
          changed
        - "onceover resolve F1 --fixed" marks it as fixed, for reviewer 2 to confirm
        - "onceover resolve F1 --skip WHY" waives it: the code stays as it is, and the
          finding no longer makes its gate fail"
    `);
  });

  test('of a gate with nothing to review says why', () => {
    expect(text({ ...IDLE, base: 'main' })).toMatchInlineSnapshot(`
      "review:docs:prose: nothing to review

      No file of the gate differs from main, so runs leave it out and there are no records.

      When it runs again:
        - a file of the gate changes against the base: committed, staged, unstaged or untracked"
    `);
  });
});

describe('the fixes', () => {
  const fixed = (iteration: number) => ({
    agent: 'two',
    iteration,
    said: ['Files changed: 1', 'Says fixed: F1', 'Summary: Made b \u001bthree.'],
    log: `.deepwork/logs/fix_two.${iteration}.log`,
  });
  const fixes = [fixed(2), fixed(1)];
  const { document, ...facts } = about('open');

  test.each<[string, string]>([
    ['a gate', text({ ...GATE, fixes }, 80)],
    ['a check', text({ ...CHECK, fixes }, 80)],
    ['a finding', describeRunExplanation({ ...facts, document: { ...(document as About<'finding'>), fixes } })],
  ])('of %s are listed with their logs', (_, shown) => {
    expect(shown).toContain(`
Fixes, newest first:
  after run 2: two, .deepwork/logs/fix_two.2.log
    Files changed: 1
    Says fixed: F1
    Summary: Made b \\u001bthree.
  after run 1: two, .deepwork/logs/fix_two.1.log
`);
  });

  test('are limited to the newest', () => {
    const shown = text({ ...GATE, fixes: [5, 4, 3, 2, 1].map(fixed) });
    expect(shown).toContain('after run 3: two');
    expect(shown).not.toContain('after run 2: two');
    expect(shown).toContain('\n  and 2 more\n');
  });

  test('are left out if there are none', () => {
    expect(text(GATE)).not.toContain('Fixes');
  });
});

describe('the status of a reviewer', () => {
  test.each<[string, Partial<SlotOutcome>, string]>([
    ['it has not passed', { status: 'not_run', why: 'not-passed' }, 'reviewer 2 (codex): has not passed'],
    [
      'it passed older code',
      { status: 'not_run', why: 'not-passed', passIteration: 3 },
      'reviewer 2 (codex): passed in run 3, but not on the current code',
    ],
    ['it passed', { why: 'covers' }, 'reviewer 2 (codex): passed the current code'],
    [
      'it was skipped',
      { status: 'skipped_prior_pass', why: 'passed-before', passIteration: 1 },
      'reviewer 2 (codex): already passed',
    ],
  ])('%s', (_, differs, expected) => {
    const slot = slotDocument(slotOutcome({ slot: 2, ...differs }));
    expect(text({ ...SLOT, slot }).split('\n')[0]).toContain(expected);
  });

  test('shows no history and no transcript command for a reviewer that never ran', () => {
    const shown = text({ ...SLOT, history: [], log: null });
    expect(shown).not.toContain('History');
    expect(shown).not.toContain('--prompt');
  });

  test('shows the newest of many reviews', () => {
    const history = Array.from({ length: 9 }, (_, n) => review({ iteration: 9 - n }));
    expect(text({ ...SLOT, history })).toContain(
      '  run 4: reviewer 1 (codex) passed, new session (first review)\n  and 3 more',
    );
  });

  test.each<[string, Partial<Review>, string]>([
    ['an error', { status: 'error', why: 'codex failed' }, 'reviewer 1 (codex) ERROR, new session (codex failed)'],
    ['the record of another tool', { dispatch: null, why: null }, 'passed (not a record of onceover)'],
  ])('shows %s', (_, differs, expected) => {
    expect(text({ ...SLOT, history: [review(differs)] })).toContain(expected);
  });
});

describe('the explanation of a finding', () => {
  test.each<[string, RunExplanation, readonly string[]]>([
    [
      'open',
      about('open'),
      ['F1 is open, so its gate fails.\n', 'the next run calls reviewer 2', 'resolve F1 --skip WHY'],
    ],
    ['open, and no run calls its reviewer', about('open', {}, false), ['the next run skips reviewer 2']],
    [
      'open, fix not confirmed',
      about('open', { resolution: { ...claim(), how: 'refuted' } }),
      ['did not confirm the fix'],
    ],
    [
      'open, with a proposed waiver',
      about('open', { resolution: { ...claim(), how: 'proposed' } }),
      ['A waiver is proposed', '"onceover resolve F1 --confirm" in a terminal accepts the proposed waiver'],
    ],
    [
      'marked as fixed',
      about('fixed_claimed', { resolution: claim() }),
      ['F1 is marked as fixed', 'until reviewer 2 confirms', 'confirms the fix, or opens the finding again'],
    ],
    ['a warning', about('warning'), ['F1 is a warning', 'is never skipped', 'a stricter fail_on makes it fail']],
    [
      'waived',
      about('waived', { resolution: waiver('So be it.') }),
      ['F1 is waived', 'Waived by ann: So be it.', 'withdraws the waiver'],
    ],
    [
      'closed',
      about('closed', { closed: { how: 'silent', why: '', iteration: 4 } }),
      ['F1 was closed in run 4: its file changed', 'reviewer 2 opens it again by reporting the same code'],
    ],
    [
      'of a run about a part of the change',
      about('gone', { scope: 'files src/a.ts' }),
      ['F1 does not count here', 'a part of the change (files src/a.ts) reported it', 'It counts only in such runs.'],
    ],
    [
      'outdated',
      about('gone'),
      ['F1 no longer applies', 'counts again once its file differs from the base in the same way'],
    ],
    [
      'without a place',
      about('open', { file: null, line: null }),
      ['high      no location', 'after the files of its gate have'],
    ],
    ['with an odd place', about('open', { mark: 'no-such-line' }), [', the line does not exist']],
  ])('%s', (_, explanation, expected) => {
    for (const part of expected) expect(describeRunExplanation(explanation)).toContain(part);
  });
});

test.each<RunExplanationDocument>([GATE, SLOT, CHECK, IDLE, about('open').document])(
  'the document of a $about matches its schema',
  (document) => {
    expect(runExplanationSchema.parse(document)).toEqual(document);
  },
);

test('no text from outside controls the terminal or is wider than it', () => {
  const evil = `x\u001b[2J\n${'wide words '.repeat(20)}`;
  const id = `review:src:${'a'.repeat(20)}\u001b`;
  const found = { finding: finding({ issue: evil, file: path('a\u0007.ts') }), state: 'open' as const };
  const ran = review({ agent: 'a\u001b', status: 'error', why: evil });
  const explanations: readonly RunExplanation[] = [
    {
      document: { ...GATE, gate: { ...GATE.gate, id }, files: [evil], prompt: evil },
      planned: PLANNED,
      findings: [found],
    },
    { document: { ...SLOT, gate: id, history: [ran] }, planned: [], findings: [] },
    {
      document: { ...CHECK, command: evil, log: `a\nb\n\n${evil}\n\nResult: fail` },
      planned: [],
      findings: [],
    },
    about('open', { issue: evil, agent: 'a\u001b' }),
  ];
  for (const explanation of explanations) {
    const shown = describeRunExplanation(explanation, { paint: PLAIN, width: 60 });
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    for (const line of shown.split('\n')) expect(cells(line) <= 60 || line.includes('--prompt')).toBe(true);
  }
});
