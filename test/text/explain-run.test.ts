import { describe, expect, test } from 'vitest';
import type { RunExplanation, RunsAgain } from '../../src/domain/explanation.ts';
import type { FindingState } from '../../src/domain/finding.ts';
import { runExplanationDocument } from '../../src/report/explain-document.ts';
import { runExplanationSchema } from '../../src/report/run-schema.ts';
import { tellRunExplanation } from '../../src/text/explain-run.ts';
import { PLAIN } from '../../src/text/paint.ts';
import { tellRunsAgain } from '../../src/text/runs-again.ts';
import { cells } from '../../src/text/width.ts';
import { checkRecord, ownFacts, slotRecord } from '../support/record-samples.ts';
import {
  claim,
  finding,
  gateOutcome,
  path,
  records,
  slotOutcome,
  usage,
  violation,
  waiver,
} from '../support/run-samples.ts';

type About<Kind> = Extract<RunExplanation, { kind: Kind }>;

const LONG =
  'The constant is never used, and its name says nothing about what it holds; a reader wonders why it is here.';
const GATE: About<'gate'> = {
  kind: 'gate',
  gate: gateOutcome({ status: 'fail', why: 'open-findings' }),
  files: ['src/a.ts', 'src/b c.ts'],
  rubric: '.onceover/reviews/code-quality.md',
  planned: [
    { kind: 'skip', slot: 1, passIteration: 1 },
    { kind: 'run', slot: 2, why: 'not-passed' },
  ],
  findings: [{ finding: finding({ slot: 2, issue: LONG }), state: 'open' }],
  records: [
    slotRecord({
      slot: 2,
      status: 'fail',
      violations: [violation()],
      own: ownFacts({ why: 'not-passed, delta', dispatch: 'resumed', usage: usage({ inputTokens: 5000 }) }),
    }),
    ...records('1.1 rest@1'),
  ],
  fixes: [],
  again: [{ kind: 'every-run', slots: [2] }],
};

const SLOT: About<'slot'> = {
  kind: 'slot',
  gate: GATE.gate,
  slot: slotOutcome({ slot: 2, status: 'not_run', dispatch: 'none', why: 'not-passed' }),
  planned: { kind: 'run', slot: 2, why: 'not-passed' },
  findings: GATE.findings,
  records: GATE.records.slice(0, 1),
  log: 'sent and said',
  again: [{ kind: 'every-run', slots: [2] }],
};

const CHECK: About<'check'> = {
  kind: 'check',
  gate: gateOutcome({ id: 'check:.:lint', kind: 'check', status: 'not_run', why: 'check-to-run', slots: [] }),
  command: 'npm run lint',
  planned: true,
  records: [checkRecord({ iteration: 2, status: 'fail', why: 'ended with exit code 1' }), checkRecord()],
  fixes: [],
  log: 'Check: check:.:lint\nCommand: npm run lint\n\nsrc/a.ts: no\n\nResult: fail - ended with exit code 1\n',
  again: [{ kind: 'check-every-run' }],
};

const about = (state: FindingState, differs: Parameters<typeof finding>[0] = {}, planned = true): RunExplanation => ({
  kind: 'finding',
  told: { finding: finding({ slot: 2, ...differs }), state },
  planned,
  fixes: [],
});

describe('one screen', () => {
  test('of a gate', () => {
    expect(tellRunExplanation(GATE, { paint: PLAIN, width: 80 })).toMatchInlineSnapshot(`
      "review:src:code-quality: fails (findings are open)
      Files: src/a.ts, "src/b c.ts"
      Prompt: .onceover/reviews/code-quality.md

      What a run would do now:
        - Skipping @1: previously passed in iteration 1 (num_reviews > 1)
        - Running @2: it has not passed

      What was said:
        F1 high src/a.ts:1 @2: The constant is never used, and its name says nothing …

      What happened, newest first:
        iteration 1: @2 codex fail, resumed (has not passed, shown what changed since
          its last look), 5.0k tokens: F1
        iteration 1: @1 codex rests, passed in iteration 1

      What makes it run again:
        - every run asks @2, until it passes

      What was sent and said: onceover explain review:src:code-quality@2 --prompt"
    `);
  });

  test('of a slot', () => {
    expect(tellRunExplanation(SLOT, { paint: PLAIN, width: 80 })).toMatchInlineSnapshot(`
      "review:src:code-quality @2: failed in iteration 1

      What a run would do now:
        - Running @2: it has not passed

      What was said:
        F1 high src/a.ts:1 @2: The constant is never used, and its name says nothing …

      What happened, newest first:
        iteration 1: @2 codex fail, resumed (has not passed, shown what changed since
          its last look), 5.0k tokens: F1

      What makes it run again:
        - every run asks @2, until it passes

      What was sent and said: onceover explain review:src:code-quality@2 --prompt"
    `);
  });

  test('of a check', () => {
    expect(tellRunExplanation(CHECK, { paint: PLAIN, width: 80 })).toMatchInlineSnapshot(`
      "check:.:lint: does not hold yet (has not passed on what is there now)
      Command: npm run lint

      What a run would do now:
        - Running it

      What it printed at last:
        src/a.ts: no

      What happened, newest first:
        iteration 2: fail, 0.0 s (ended with exit code 1)
        iteration 1: pass, 0.0 s

      What makes it run again:
        - every run runs it, until it passes on the tree as it is

      What was run and printed: onceover explain check:.:lint --prompt"
    `);
  });

  test('of a finding', () => {
    expect(tellRunExplanation(about('open', { issue: LONG }), { paint: PLAIN, width: 80 })).toMatchInlineSnapshot(`
      "F1 is open: high, src/a.ts:1, found by @2 of review:src:code-quality (claude) in
        iteration 1

          | a = 1
          The constant is never used, and its name says nothing about what it holds; a
          reader wonders why it is here.

      It keeps its gate from holding.

      What would change that:
        - the next run asks @2: it closes it by saying that it is fixed in newer
          content, by withdrawing it, or by not repeating it once src/a.ts has changed
        - "onceover resolve F1 --fixed" claims that it is fixed, for @2 to confirm
        - "onceover resolve F1 --skip WHY" waives it: it stays as it is, and fails
          nothing"
    `);
  });

  test('of a gate with nothing to look at', () => {
    const idle: RunExplanation = {
      kind: 'idle-gate',
      gate: 'review:docs:prose',
      base: 'main',
      again: [{ kind: 'any-change' }],
    };
    expect(tellRunExplanation(idle)).toMatchInlineSnapshot(`
      "review:docs:prose: has nothing to look at

      None of its files differs from main, so a run leaves it out, and nothing is recorded of it.

      What makes it run again:
        - one of its files changes against the base: committed, staged, unstaged or untracked"
    `);
  });
});

describe('what fixers did', () => {
  const fixed = (iteration: number) => ({
    agent: 'two',
    iteration,
    path: `.deepwork/logs/fix_two.${iteration}.log`,
    log: `Fix ${iteration}: two\nAsked about: F1\n--- Result ---\nFiles changed: 1\nSays fixed: F1\nSummary: Made b \u001bthree.\n`,
  });

  test.each<[string, RunExplanation]>([
    ['a gate', { ...GATE, fixes: [fixed(2), fixed(1)] }],
    ['a check', { ...CHECK, fixes: [fixed(2), fixed(1)] }],
    [
      'a finding',
      { kind: 'finding', told: { finding: finding(), state: 'open' }, planned: true, fixes: [fixed(2), fixed(1)] },
    ],
  ])('is said of %s, with where the log is', (_, explanation) => {
    expect(tellRunExplanation(explanation, { paint: PLAIN, width: 80 })).toContain(`
What fixers did, newest first:
  after iteration 2: two, .deepwork/logs/fix_two.2.log
    Files changed: 1
    Says fixed: F1
    Summary: Made b \\u001bthree.
  after iteration 1: two, .deepwork/logs/fix_two.1.log
`);
    const document = runExplanationSchema.parse(runExplanationDocument(explanation));
    expect(document).toMatchObject({ fixes: [{ agent: 'two', iteration: 2, log: fixed(2).path }, { iteration: 1 }] });
  });

  test('of many, the newest', () => {
    const told = tellRunExplanation({ ...GATE, fixes: [5, 4, 3, 2, 1].map(fixed) });
    expect(told).toContain('after iteration 3: two');
    expect(told).not.toContain('after iteration 2: two');
    expect(told).toContain('\n  and 2 more\n');
  });

  test('nothing is said where none was asked', () => {
    expect(tellRunExplanation(GATE)).not.toContain('fixers');
  });
});

describe('how a slot stands', () => {
  const standing = (differs: Partial<About<'slot'>>) => tellRunExplanation({ ...SLOT, ...differs }).split('\n')[0];
  test.each<[string, Partial<About<'slot'>>, string]>([
    ['it failed', {}, '@2: failed in iteration 1'],
    ['it never looked', { records: [] }, '@2: has not looked yet'],
    [
      'it gave no verdict',
      { records: [slotRecord({ slot: 2, status: 'error', own: ownFacts({ error: 'codex failed' }) })] },
      '@2: gave no verdict in iteration 1: codex failed',
    ],
    [
      'it passed something older',
      { records: records('2.3 pass') },
      '@2: passed in iteration 3, and has not seen what is there now',
    ],
    ['it passed', { slot: slotOutcome({ slot: 2, why: 'covers' }) }, '@2: passed what is there now'],
    [
      'it rests',
      {
        slot: slotOutcome({
          slot: 2,
          status: 'skipped_prior_pass',
          why: 'passed-before',
          passIteration: 1,
          sawOlder: true,
        }),
      },
      '@2: passed in iteration 1, has not seen what changed since',
    ],
  ])('%s', (_, differs, expected) => {
    expect(standing(differs)).toContain(expected);
  });

  test('one that was never asked has nothing to show of what was sent', () => {
    const told = tellRunExplanation({ ...SLOT, records: [], findings: [], log: null });
    expect(told).toContain('It has not been asked in this cycle.');
    expect(told).not.toContain('--prompt');
  });

  test('of many looks the newest are shown', () => {
    const many = Array.from({ length: 9 }, (_, n) => slotRecord({ iteration: 9 - n }));
    expect(tellRunExplanation({ ...SLOT, records: many })).toContain(
      '  iteration 4: @1 codex pass, fresh (first look)\n  and 3 more',
    );
  });

  test('another tool’s record is named as one', () => {
    expect(tellRunExplanation({ ...SLOT, records: [slotRecord({ own: null })] })).toContain('(not a record of ours)');
  });
});

describe('a finding', () => {
  test.each<[string, RunExplanation, readonly string[]]>([
    [
      'open',
      about('open'),
      ['F1 is open: high, src/a.ts:1', 'keeps its gate from holding.', 'the next run asks @2', 'resolve F1 --skip WHY'],
    ],
    ['open, and nobody is asked', about('open', {}, false), ['no run would ask it now']],
    ['open, claim refuted', about('open', { resolution: { ...claim(), how: 'refuted' } }), ['did not find it so']],
    [
      'open, the fixer objects',
      about('open', { resolution: { ...claim(), how: 'disputed' } }),
      ['The fixer objects to it'],
    ],
    [
      'claimed',
      about('fixed_claimed', { resolution: claim() }),
      ['F1 is said to be fixed', 'until @2 has confirmed', 'it confirms the claim, or finds it wrong'],
    ],
    ['a warning', about('warning'), ['F1 only warns', 'never rests', 'a stricter fail_on makes it count']],
    [
      'waived',
      about('waived', { resolution: waiver('So be it.') }),
      ['F1 is waived', 'Waived: So be it.', 'takes the waiver back'],
    ],
    [
      'closed',
      about('closed', { closed: { how: 'silent', why: '', iteration: 4 } }),
      ['F1 is closed', 'closed in iteration 4: its file changed', 'it is opened again if @2 reports the same code'],
    ],
    [
      'of a run about a part',
      about('gone', { scope: 'files src/a.ts' }),
      ['F1 does not count here', 'a part of the change (files src/a.ts), and counts in such runs alone'],
    ],
    ['gone', about('gone'), ['F1 counts no more', 'counts again once its file differs from the base as it did then']],
    [
      'without a place',
      about('open', { file: null, line: null }),
      ['high, without a place', 'once the files of its gate have changed'],
    ],
    ['with an odd place', about('open', { mark: 'no-such-line' }), ['src/a.ts:1 (there is no such line)']],
  ])('%s', (_, explanation, expected) => {
    for (const part of expected) expect(tellRunExplanation(explanation)).toContain(part);
  });
});

describe('what makes it run again', () => {
  test.each<[RunsAgain, RegExp]>([
    [{ kind: 'every-run', slots: [1, 2] }, /^every run asks @1, @2, until they pass$/],
    [{ kind: 'retry-limit', failing: 4 }, /failed 4 times in a row.*resolve.*--force.*clean/],
    [{ kind: 'no-such-slot' }, /slot that is no more/],
    [{ kind: 'files', slots: [1], latch: true }, /content, mode or existence.*then @1 looks for all \(safety latch\)/],
    [{ kind: 'files', slots: [1, 2], latch: false }, /then @1, @2 look\. Touching, committing or amending/],
    [
      { kind: 'files-rest', slots: [1], latch: true },
      /^not when its files change: then @1 looks for all.*after_pass: all/,
    ],
    [{ kind: 'files-rest', slots: [2], latch: false }, /then @2 looks, and this one rests$/],
    [{ kind: 'prompt', of: 'review' }, /prompt file changes/],
    [{ kind: 'prompt', of: 'rule' }, /instructions of its rule change/],
    [{ kind: 'any-iteration', slots: [1] }, /unchanged_gates: run\): then @1 looks too/],
    [{ kind: 'any-iteration', slots: [] }, /^anything else has to run \(unchanged_gates: run\)$/],
    [{ kind: 'force', slots: [2] }, /^--force: @2 rested, and has not seen/],
    [{ kind: 'certify', slots: [1, 2] }, /certify: true\): @1, @2 rested, and have not seen/],
    [{ kind: 'fresh' }, /^--fresh$/],
    [{ kind: 'check-every-run' }, /until it passes on the tree as it is/],
    [{ kind: 'tree' }, /anywhere in the repository/],
    [{ kind: 'command' }, /command changes/],
    [{ kind: 'any-change' }, /staged, unstaged or untracked/],
  ])('$kind', (again, expected) => {
    expect(tellRunsAgain(again)).toMatch(expected);
  });
});

const ALL: readonly RunExplanation[] = [
  GATE,
  SLOT,
  CHECK,
  about('open'),
  { kind: 'idle-gate', gate: 'review:docs:prose', base: null, again: [{ kind: 'any-change' }] },
];

test.each(ALL)('the document of a $kind is what its schema says', (explanation) => {
  const document = runExplanationDocument(explanation);
  expect(runExplanationSchema.parse(document)).toEqual(document);
});

test('nothing from outside is acted on by a terminal, or is wider than it', () => {
  const evil = `x\u001b[2J\n${'wide words '.repeat(20)}`;
  const gate = { ...GATE.gate, id: `review:src:${'a'.repeat(20)}\u001b` };
  const told = [
    {
      ...GATE,
      gate,
      files: [evil],
      rubric: evil,
      findings: [{ finding: finding({ issue: evil, file: path('a\u0007.ts') }), state: 'open' as const }],
    },
    {
      ...SLOT,
      gate,
      records: [slotRecord({ adapter: 'a\u001b', status: 'error', own: ownFacts({ error: evil, why: evil }) })],
    },
    { ...CHECK, command: evil, log: `a\nb\n\n${evil}\n\nResult: fail` },
    about('open', { issue: evil, agent: 'a\u001b' }),
  ].map((one) => tellRunExplanation(one, { paint: PLAIN, width: 60 }));
  for (const text of told) {
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    for (const line of text.split('\n')) expect(cells(line) <= 60 || line.includes('--prompt')).toBe(true);
  }
});
