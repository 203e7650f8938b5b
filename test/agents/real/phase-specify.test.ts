import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { expectResumed } from '@onceover/testing/real-expect.ts';
import { AGENT_NAMES, flaw, SPEC, SPECIFY, specAfter } from '@onceover/testing/real-feature.ts';
import {
  editing,
  fixed,
  type Played,
  type RealPhase,
  reading,
  realPhase,
  verdict,
} from '@onceover/testing/real-phase.ts';
import { sessionOf, stableText, usersText } from '@onceover/testing/wire.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
beforeEach(() => sim.forgetCache());
afterAll(() => sim.close());

const FLAWS = [0, 1, 2, 3].map(flaw);

describe.each(AGENT_NAMES)('%s', (who) => {
  test('five iterations: one new session, then resumed with the delta, until it passes', async () => {
    const user = realPhase(sim, { who, files: SPECIFY });
    user.write('src/mine.ts', 'export {};\n');
    user.git('add', 'src/mine.ts');
    const end = await fiveIterations(user);
    expect([end.code, end.status, end.end]).toEqual([0, 'approved', 'approved']);
    const [spec, phase] = end.loops;
    expect(
      spec?.iterations.map(({ n, dispatch, why, engine_pass, marks }) => [n, dispatch, why, engine_pass, marks]),
    ).toEqual([
      [1, 'fresh', 'first-look', false, []],
      ...[2, 3, 4].map((n) => [n, 'resumed', 'delta', false, []]),
      [5, 'resumed', 'delta', true, []],
    ]);
    expect(phase?.iterations).toMatchObject([{ n: 1, dispatch: 'fresh', engine_pass: true, marks: [] }]);
    expect(end.fixes.map(({ dispatch, summary, marks }) => [dispatch, summary, marks])).toEqual(
      FLAWS.map(({ summary }, n) => [n === 0 ? 'fresh' : 'resumed', summary, []]),
    );
    expect(user.own('spec.md')).toBe(specAfter(4));

    // On the wire: the whole document once, after the part that is the same in every iteration.
    const looks = end.dispatches('spec-reviewer');
    const [first, ...later] = looks;
    const asked = first?.[0];
    const [stable, whole] = [stableText(asked), usersText(asked)];
    expectInOrder(stable, STABLE_ORDER);
    expectInOrder(whole, ['## Spec under review', SPEC.trim(), '## Iteration Context', 'This is iteration 1 of 5.']);
    if (who === 'claude') expect(whole).not.toContain('# Specification review');
    else expectInOrder(whole, [...STABLE_ORDER, '## Spec under review']);

    // Then only the changes, in the same conversation.
    expect(later).toHaveLength(4);
    expect(new Set(end.sent('spec-reviewer').map(sessionOf)).size).toBe(1);
    let read = 0;
    for (const [i, look] of later.entries()) {
      const text = expectResumed(who, looks[i]?.at(-1), look[0]);
      const { before, after, summary } = flaw(i);
      expect(text).toContain(`-${before}\n+${after}\n`);
      expect(text).toContain(summary);
      expect(text).toContain(`This is iteration ${i + 2} of 5.`);
      expect(text).not.toContain('## Spec under review');
      expect(text).not.toContain('# Specification review');
      expect(text.length).toBeLessThan(SPEC.length / 4);
      expect(spec?.iterations[i + 1]?.prompt_chars).toBe(text.length);
      const now = look[0]?.use?.read ?? 0;
      expect(now).toBeGreaterThanOrEqual(read);
      read = now;
    }
    // Codex's provider counts in steps of 2,048 tokens, so not every round is visible.
    const second = looks[1]?.[0]?.use?.read ?? 0;
    expect(read).toBeGreaterThan(who === 'codex' ? 0 : second);

    // The fixer has one conversation as well.
    const turns = end.dispatches('implementer');
    expect(turns).toHaveLength(4);
    for (const [i, turn] of turns.entries()) {
      if (i === 0) continue;
      const text = expectResumed(who, turns[i - 1]?.at(-1), turn[0]);
      expect(text).toContain(flaw(i).issue.description);
      expect(text).not.toContain(flaw(i - 1).issue.description);
    }

    expect(user.own('.review-history.md').replace(TIME, '{time}')).toBe(HISTORY);
    expect(JSON.parse(user.own('.meta.json').replace(TIME, '{time}'))).toEqual(META);

    // One commit per fix, with only the document.
    expect(user.git('log', '--format=%s', '--name-only', 'main..').trim().split(/\n+/)).toEqual(
      [4, 3, 2, 1].flatMap((n) => [
        expect.stringMatching(`^onceover: specify review iteration ${n} \\(spec-reviewer, loop-`),
        `${user.feature}/spec.md`,
      ]),
    );
    expect(user.git('diff', '--cached', '--name-only').trim()).toBe('src/mine.ts');
  });

  test('a reviewer that does not read its required files causes a warning, and its verdict counts', async () => {
    const user = realPhase(sim, { who, files: SPECIFY });
    const end = await user.play('specify', { 'spec-reviewer': [verdict([flaw(0).issue])] });
    expect([end.code, end.end]).toEqual([1, 'not-fixed']);
    const warning = 'LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads';
    expect(end.loops[0]?.iterations).toMatchObject([{ engine_pass: false, marks: [warning] }]);
    expect(
      user
        .own('.review-history.md')
        .split('\n')
        .filter((line) => line === warning),
    ).toHaveLength(1);
  });
});

async function fiveIterations(user: RealPhase): Promise<Played> {
  const { feature } = user;
  const [prd, spec] = [`${feature}/prd.md`, `${feature}/spec.md`];
  return user.play(
    'specify',
    {
      'spec-reviewer': [...reading(user, prd), ...FLAWS.map(({ issue }) => verdict([issue])), verdict([])],
      'phase-reviewer': [...reading(user, prd, spec), verdict([])],
      implementer: [
        ...reading(user, prd, spec),
        ...FLAWS.flatMap(({ before, after, summary }) => [...editing(user, spec, [before, after]), fixed(summary)]),
      ],
    },
    ['--fixer', user.who],
  );
}

const STABLE_ORDER = [
  '# Specification review',
  'Your job: Find weaknesses before design does.',
  '## How to judge',
  '## Required Artifacts',
  'prd.md',
  'Return your assessment as JSON:',
];

/** Returns each once, in order. */
function expectInOrder(text: string, parts: readonly string[]): void {
  const places = parts.map((part) => text.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

const HISTORY = [
  ...FLAWS.map(
    ({ issue, summary }, n) => `## Stage 1: Spec-Reviewer Review - Iteration ${n + 1} - {time}

**Reviewer:** spec-reviewer (skeptic)
**Decision:** Needs Revision

**Issues:**
- [${issue.severity}] [testability] ${issue.description} (at: ${issue.location})
  Suggestion: Say how much.

**Changes Made:**
${summary}

---
`,
  ),
  ...['Stage 1: Spec-Reviewer Review - Iteration 5', 'Stage 2: Phase Review - Iteration 1'].map(
    (heading, n) => `## ${heading} - {time}

**Reviewer:** ${n === 0 ? 'spec-reviewer (skeptic)' : 'phase-reviewer (gatekeeper)'}
**Decision:** Approved

**Issues:**
None.

**Changes Made:**
None.

---
`,
  ),
].join('\n');

const LOOP = { started: '{time}', completed: '{time}', approved: true, reviewerNotes: [] };
const META = {
  lastCompletedPhase: 'specify',
  phases: {
    specify: {
      started: '{time}',
      completed: '{time}',
      iterations: 6,
      reviewerNotes: [],
      stages: { specReview: { ...LOOP, iterations: 5 }, phaseReview: { ...LOOP, iterations: 1 } },
    },
  },
};
