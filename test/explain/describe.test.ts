import { describe, expect, test } from 'vitest';
import { describeRunExplanation } from '../../src/explain/describe.ts';
import { RERUNS } from '../../src/explain/describe-reruns.ts';
import { runExplanationDocument } from '../../src/explain/json.ts';
import type { RunExplanation } from '../../src/explain/types.ts';
import { runExplanationSchema } from '../../src/gates/json-schema.ts';
import type { FindingState } from '../../src/gates/types.ts';
import { cells } from '../../src/ui/layout.ts';
import { PLAIN } from '../../src/ui/style.ts';
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
const GATE: About<'review'> = {
  kind: 'review',
  gate: gateOutcome({ status: 'fail', why: 'open-findings' }),
  slot: null,
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
  log: null,
  again: [RERUNS.everyRun([2])],
};

const SLOT: About<'review'> = {
  ...GATE,
  slot: slotOutcome({ slot: 2, status: 'not_run', dispatch: 'none', why: 'not-passed' }),
  planned: GATE.planned.slice(1),
  records: GATE.records.slice(0, 1),
  log: 'sent and said',
};

const CHECK: About<'check'> = {
  kind: 'check',
  gate: gateOutcome({ id: 'check:.:lint', kind: 'check', status: 'not_run', why: 'check-to-run', slots: [] }),
  command: 'npm run lint',
  planned: true,
  records: [checkRecord({ iteration: 2, status: 'fail', why: 'ended with exit code 1' }), checkRecord()],
  fixes: [],
  log: 'Check: check:.:lint\nCommand: npm run lint\n\nsrc/a.ts: no\n\nResult: fail - ended with exit code 1\n',
  again: [RERUNS.checkEveryRun],
};

const about = (state: FindingState, differs: Parameters<typeof finding>[0] = {}, planned = true): RunExplanation => ({
  kind: 'finding',
  reported: { finding: finding({ slot: 2, ...differs }), state },
  planned,
  fixes: [],
});

describe('an explanation', () => {
  test('of a gate fits one screen', () => {
    expect(describeRunExplanation(GATE, { paint: PLAIN, width: 80 })).toMatchInlineSnapshot(`
      "review:src:code-quality: FAILED (it has open findings)
      Files: src/a.ts, "src/b c.ts"
      Prompt: .onceover/reviews/code-quality.md

      The next run would:
        - skip reviewer 1: already passed in run 1
        - run reviewer 2: it has not passed

      Findings:
      F1  high      src/a.ts:1  The constant is never used, and its name says nothing…

      History, newest first:
        run 1: reviewer 2 (codex) FAILED, resumed session (it had not passed before,
          sent only the changes since its last review), 5.0k tokens: F1
        run 1: reviewer 1 (codex) skipped (already passed in run 1)

      When it runs again:
        - every run calls reviewer 2 until it passes

      Prompt and answer: onceover explain review:src:code-quality@2 --prompt"
    `);
  });

  test('of a reviewer fits one screen', () => {
    expect(describeRunExplanation(SLOT, { paint: PLAIN, width: 80 })).toMatchInlineSnapshot(`
      "review:src:code-quality, reviewer 2 (codex): failed in run 1

      The next run would:
        - run reviewer 2: it has not passed

      Findings:
      F1  high      src/a.ts:1  The constant is never used, and its name says nothing…

      History, newest first:
        run 1: reviewer 2 (codex) FAILED, resumed session (it had not passed before,
          sent only the changes since its last review), 5.0k tokens: F1

      When it runs again:
        - every run calls reviewer 2 until it passes

      Prompt and answer: onceover explain review:src:code-quality@2 --prompt"
    `);
  });

  test('of a check fits one screen', () => {
    expect(describeRunExplanation(CHECK, { paint: PLAIN, width: 80 })).toMatchInlineSnapshot(`
      "check:.:lint: not run (has not passed on the current code)
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
      "F1 is open

      F1  high      src/a.ts:1  The constant is never used, and its name says nothing
                    about what it holds; a reader wonders why it is here.
                    | a = 1
                    review:src:code-quality, reviewer 2 (claude), since run 1

      The finding fails its gate.

      What can change this:
        - the next run calls reviewer 2, which closes the finding if it confirms a
          fix, withdraws the finding, or does not report it again after src/a.ts has
          changed
        - "onceover resolve F1 --fixed" marks it as fixed, for reviewer 2 to confirm
        - "onceover resolve F1 --skip WHY" waives it: the code stays as it is and
          fails no gate"
    `);
  });

  test('of a gate with nothing to review says why', () => {
    const idle: RunExplanation = {
      kind: 'idle-gate',
      gate: 'review:docs:prose',
      base: 'main',
      again: [RERUNS.anyChange],
    };
    expect(describeRunExplanation(idle)).toMatchInlineSnapshot(`
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
    path: `.deepwork/logs/fix_two.${iteration}.log`,
    log: `Fix ${iteration}: two\nAsked about: F1\n--- Result ---\nFiles changed: 1\nSays fixed: F1\nSummary: Made b \u001bthree.\n`,
  });

  test.each<[string, RunExplanation]>([
    ['a gate', { ...GATE, fixes: [fixed(2), fixed(1)] }],
    ['a check', { ...CHECK, fixes: [fixed(2), fixed(1)] }],
    [
      'a finding',
      { kind: 'finding', reported: { finding: finding(), state: 'open' }, planned: true, fixes: [fixed(2), fixed(1)] },
    ],
  ])('of %s are listed with their logs', (_, explanation) => {
    expect(describeRunExplanation(explanation, { paint: PLAIN, width: 80 })).toContain(`
Fixes, newest first:
  after run 2: two, .deepwork/logs/fix_two.2.log
    Files changed: 1
    Says fixed: F1
    Summary: Made b \\u001bthree.
  after run 1: two, .deepwork/logs/fix_two.1.log
`);
    const document = runExplanationSchema.parse(runExplanationDocument(explanation));
    expect(document).toMatchObject({ fixes: [{ agent: 'two', iteration: 2, log: fixed(2).path }, { iteration: 1 }] });
  });

  test('are limited to the newest', () => {
    const text = describeRunExplanation({ ...GATE, fixes: [5, 4, 3, 2, 1].map(fixed) });
    expect(text).toContain('after run 3: two');
    expect(text).not.toContain('after run 2: two');
    expect(text).toContain('\n  and 2 more\n');
  });

  test('are left out if there are none', () => {
    expect(describeRunExplanation(GATE)).not.toContain('Fixes');
  });
});

describe('the status of a reviewer', () => {
  const standing = (differs: Partial<About<'review'>>) =>
    describeRunExplanation({ ...SLOT, ...differs }).split('\n')[0];
  test.each<[string, Partial<About<'review'>>, string]>([
    ['it failed', {}, 'reviewer 2 (codex): failed in run 1'],
    ['it never ran', { records: [] }, 'reviewer 2 (codex): has not run yet'],
    [
      'it gave no verdict',
      { records: [slotRecord({ slot: 2, status: 'error', own: ownFacts({ error: 'codex failed' }) })] },
      'reviewer 2 (codex): gave no verdict in run 1: codex failed',
    ],
    [
      'it passed older code',
      { records: records('2.3 pass') },
      'reviewer 2 (codex): passed in run 3, and has not reviewed the current code',
    ],
    ['it passed', { slot: slotOutcome({ slot: 2, why: 'covers' }) }, 'reviewer 2 (codex): passed the current code'],
    [
      'it was skipped',
      {
        slot: slotOutcome({
          slot: 2,
          status: 'skipped_prior_pass',
          why: 'passed-before',
          passIteration: 1,
          sawOlder: true,
        }),
      },
      'reviewer 2 (codex): already passed in run 1, has not reviewed the changes since',
    ],
  ])('%s', (_, differs, expected) => {
    expect(standing(differs)).toContain(expected);
  });

  test('shows no transcript command for a reviewer that never ran', () => {
    const text = describeRunExplanation({ ...SLOT, records: [], findings: [], log: null });
    expect(text).toContain('It has not run in this cycle.');
    expect(text).not.toContain('--prompt');
  });

  test('shows the newest of many reviews', () => {
    const many = Array.from({ length: 9 }, (_, n) => slotRecord({ iteration: 9 - n }));
    expect(describeRunExplanation({ ...SLOT, records: many })).toContain(
      '  run 4: reviewer 1 (codex) passed, new session (first review)\n  and 3 more',
    );
  });

  test('marks the record of another tool', () => {
    expect(describeRunExplanation({ ...SLOT, records: [slotRecord({ own: null })] })).toContain(
      '(not a record of onceover)',
    );
  });
});

describe('the explanation of a finding', () => {
  test.each<[string, RunExplanation, readonly string[]]>([
    [
      'open',
      about('open'),
      ['F1 is open\n', 'The finding fails its gate.', 'the next run calls reviewer 2', 'resolve F1 --skip WHY'],
    ],
    ['open, and no run calls its reviewer', about('open', {}, false), ['no run would call reviewer 2 now']],
    [
      'open, fix not confirmed',
      about('open', { resolution: { ...claim(), how: 'refuted' } }),
      ['did not confirm the fix'],
    ],
    [
      'open, disputed by the fixer',
      about('open', { resolution: { ...claim(), how: 'disputed' } }),
      ['The fixer disputes it'],
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
      ['F1 is waived', 'Waived: So be it.', 'withdraws the waiver'],
    ],
    [
      'closed',
      about('closed', { closed: { how: 'silent', why: '', iteration: 4 } }),
      ['F1 is closed', 'closed in run 4: its file changed', 'reviewer 2 opens it again by reporting the same code'],
    ],
    [
      'of a run about a part of the change',
      about('gone', { scope: 'files src/a.ts' }),
      ['F1 does not count here', 'a part of the change (files src/a.ts) reported', 'It counts only in such runs.'],
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

const ALL: readonly [about: string, RunExplanation][] = [
  ['gate', GATE],
  ['slot', SLOT],
  ['check', CHECK],
  ['finding', about('open')],
  ['idle_gate', { kind: 'idle-gate', gate: 'review:docs:prose', base: null, again: [RERUNS.anyChange] }],
];

test.each(ALL)('the document of a %s matches its schema', (name, explanation) => {
  const document = runExplanationDocument(explanation);
  expect(runExplanationSchema.parse(document)).toEqual(document);
  expect(document.about).toBe(name);
});

test('no text from outside controls the terminal or is wider than it', () => {
  const evil = `x\u001b[2J\n${'wide words '.repeat(20)}`;
  const gate = { ...GATE.gate, id: `review:src:${'a'.repeat(20)}\u001b` };
  const texts = [
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
  ].map((one) => describeRunExplanation(one, { paint: PLAIN, width: 60 }));
  for (const text of texts) {
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    for (const line of text.split('\n')) expect(cells(line) <= 60 || line.includes('--prompt')).toBe(true);
  }
});
