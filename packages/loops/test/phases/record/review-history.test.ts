import type { SnapshotId } from '@onceover/base/kernel/ids';
import type { ReviewerRole } from '@onceover/base/kernel/review-loops';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeIssueMark } from '../../../src/phases/describe/issues.ts';
import { historyEntry, withEntry } from '../../../src/phases/record/history.ts';
import type { IterationEntry, LoopIssue, PhaseMark, RoleReview } from '../../../src/phases/types.ts';

const AT = new Date('2026-03-04T05:06:07.000Z');

const BLOCKER: LoopIssue = {
  severity: 'blocker',
  category: 'testability',
  description: 'R1 names no load.\nNo test can fail.',
  location: 'R1',
  suggestion: 'Say how many at once.',
};
const BARE: LoopIssue = { severity: 'suggestion', description: 'R2 could say who.' };

function look(role: ReviewerRole, issues: readonly LoopIssue[], fields: object = {}): RoleReview {
  const enginePass = !issues.some(({ severity }) => severity !== 'suggestion');
  return {
    role,
    agent: 'claude',
    template: 'I1-R4',
    why: 'first-look',
    answer: { approved: enginePass, issues: [...issues], summary: '', ...fields },
    enginePass,
    spent: { asks: 1, promptChars: 10, freshChars: 10, usage: null },
  };
}

function entry(fields: Partial<IterationEntry> = {}): IterationEntry {
  return {
    phase: 'specify',
    stage: 'domain',
    iteration: 2,
    most: 5,
    isFinalValidation: false,
    round: 2,
    seen: { snapshot: 'tree' as SnapshotId, content: 'digest' },
    looks: [look('spec-reviewer', [BLOCKER, BARE])],
    skipped: [],
    errors: [],
    marks: [],
    ...fields,
  };
}

const FIX = { summary: 'R1 names the load now.', marks: [] };

describe('the entry of a document', () => {
  test('of specify, complete', () => {
    expect(
      historyEntry(entry(), AT, FIX),
    ).toBe(`## Stage 1: Spec-Reviewer Review - Iteration 2 - 2026-03-04T05:06:07.000Z

**Reviewer:** spec-reviewer (skeptic)
**Decision:** Needs Revision

**Issues:**
- [blocker] [testability] R1 names no load.; No test can fail. (at: R1)
  Suggestion: Say how many at once.
- [suggestion] R2 could say who.

**Changes Made:**
R1 names the load now.

---
`);
  });

  test.each<[Partial<IterationEntry>, string, string, string]>([
    [
      { stage: 'phase', looks: [look('phase-reviewer', [BLOCKER])] },
      '## Stage 2: Phase Review - Iteration 2 - ',
      '**Reviewer:** phase-reviewer (gatekeeper)',
      '- [blocker] [testability] R1 names no load.; No test can fail. (at: R1)\n  Suggestion: Say',
    ],
    [
      { phase: 'design', looks: [look('design-reviewer', [BLOCKER])] },
      '## Design Review - Iteration 2 - ',
      '**Reviewer:** design-reviewer (skeptic)',
      '(at: R1)\n  Challenge: Say how many at once.',
    ],
    [
      { phase: 'design', stage: 'phase', looks: [look('phase-reviewer', [BLOCKER])] },
      '## Handoff Review - Iteration 2 - ',
      '**Reviewer:** phase-reviewer (gatekeeper)',
      '- [blocker] R1 names no load.; No test can fail. (at: R1)\n  Suggestion: Say',
    ],
    [
      { phase: 'create-plan', looks: [look('plan-reviewer', [BARE])] },
      '## Stage 1: Plan Review - Iteration 2 - ',
      '**Reviewer:** plan-reviewer (skeptic)',
      '- [suggestion] R2 could say who.\n',
    ],
    [
      { phase: 'create-plan', stage: 'phase', looks: [look('phase-reviewer', [BARE])] },
      '## Stage 2: Chain Review - Iteration 2 - ',
      '**Reviewer:** phase-reviewer (gatekeeper)',
      '- [suggestion] R2 could say who.\n',
    ],
    [
      { phase: 'create-tasks', looks: [look('task-reviewer', [{ ...BLOCKER, location: 'T3' }])] },
      '## Task Review Iteration 2 - ',
      '**Decision:** Needs Revision',
      '- [blocker] T3: R1 names no load.; No test can fail. -> Say how many at once.\n',
    ],
  ])('%j begins with %s', (fields, heading, reviewer, issue) => {
    const text = historyEntry(entry(fields), AT, FIX);
    expect(text.startsWith(`${heading}2026-03-04T05:06:07.000Z\n\n${reviewer}\n`)).toBe(true);
    expect(text).toContain(issue);
    expect(text).toMatch(/\n\n---\n$/);
  });

  test('has an entry for a pass', () => {
    const text = historyEntry(entry({ looks: [look('spec-reviewer', [])] }), AT, null);
    expect(text).toContain('**Decision:** Approved\n\n**Issues:**\nNone.\n\n**Changes Made:**\nNone.\n\n---\n');
  });

  test('without a verdict names the reviewer', () => {
    const spending = { asks: 1, promptChars: 1, freshChars: 1, usage: null };
    const call = { agent: 'codex', template: 'I1-R4', why: 'first-look', spent: spending } as const;
    const errors = [{ role: 'spec-reviewer', ...call, failure: { kind: 'timeout', seconds: 60 } }] as const;
    const text = historyEntry(entry({ looks: [], errors }), AT, null);
    expect(text).toContain('**Decision:** None\n**No verdict:** spec-reviewer did not finish within 60 seconds');
  });
});

describe('the entry of code', () => {
  const levels = { tasks: true, spec: false, design: true, prd: true };
  const issue = { ...BLOCKER, level: 'spec' };

  test('has the three reviewers, the levels and the skipped reviewers', () => {
    const text = historyEntry(
      entry({
        phase: 'implement',
        stage: 'implement',
        iteration: 3,
        isFinalValidation: true,
        looks: [look('implementation-reviewer', [issue], { levels }), look('security-reviewer', [])],
        skipped: [{ role: 'code-quality-reviewer', passedAt: 1 }],
      }),
      AT,
      FIX,
    );
    expect(text).toBe(`## Iteration 3 - 2026-03-04T05:06:07.000Z [FINAL VALIDATION]

**Implementation Review:** Issues found
  - Level 1 (Tasks): pass
  - Level 2 (Spec): fail
  - Level 3 (Design): pass
  - Level 4 (PRD): pass
**Quality Review:** Skipped (passed iter 1)
**Security Review:** Approved

**Issues:**
- [blocker] [spec] implementation: R1 names no load.; No test can fail. (at: R1)
  Suggestion: Say how many at once.

**Changes Made:**
R1 names the load now.

---
`);
  });
});

describe('the notes about a call', () => {
  const marks: readonly PhaseMark[] = [
    {
      kind: 'resume-fallback',
      role: 'spec-reviewer',
      iteration: 2,
      because: { kind: 'session-lost', said: 'No conversation\nfound' },
    },
    { kind: 'delta-guard', role: 'spec-reviewer', iteration: 2, length: 10203, limit: 10202 },
    { kind: 'lazy-load-warning', role: 'spec-reviewer' },
  ];
  const lines = [
    'RESUME-FALLBACK: spec-reviewer iteration 2 — no longer has its session: No conversation\\nfound',
    'DELTA-GUARD: spec-reviewer iteration 2 — 10203/10202',
    'LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads',
  ];

  test('are one line each [REUSE-TD7 REUSE-R1.6/marker]', () => {
    expect(marks.map(describeIssueMark)).toEqual(lines);
  });

  test('are inside the entry, each on its own line [REUSE-TD7/own-line]', () => {
    const text = historyEntry(entry({ marks: marks.slice(0, 2) }), AT, { ...FIX, marks: marks.slice(2) });
    expect(text).toContain(`R1 names the load now.\n\n${lines.join('\n')}\n\n---\n`);
  });

  test.each(['session', 'snapshot', 'diff', 'commit'] as const)('say that a %s was lost', (state) => {
    const line = describeIssueMark({
      kind: 'resume-fallback',
      role: 'implementer',
      iteration: 3,
      because: { kind: 'lost', what: state },
    });
    expect(line).toMatch(/^RESUME-FALLBACK: implementer iteration 3 — [\w ,']+$/);
  });

  test('no text of an agent counts as a note, ends the entry, or begins another [REUSE-TD7/countable]', () => {
    const word = fc.constantFrom(
      'RESUME-FALLBACK: ',
      'LAZY-LOAD-WARNING: x',
      'DELTA-GUARD: ',
      '\n',
      '\r',
      '\u2028',
      '---',
      '## Iteration 1',
      ' ',
      '**Issues:**',
      'a',
    );
    const hostile = fc.array(word).map((words) => words.join(''));
    fc.assert(
      fc.property(hostile, hostile, (words, summary) => {
        const issue = {
          severity: 'warning',
          category: words,
          description: words,
          location: words,
          suggestion: words,
        } as const;
        const failure = { kind: 'agent-error', said: words } as const;
        const mark = { kind: 'resume-fallback', role: 'spec-reviewer', iteration: 2, because: failure } as const;
        const round = entry({ looks: [look('spec-reviewer', [issue])], marks: [mark] });
        const text = historyEntry(round, AT, { summary, marks: [] });
        expect(text.match(/RESUME-FALLBACK|LAZY-LOAD-WARNING|DELTA-GUARD/g)).toHaveLength(1);
        expect(text.split(/[\n\r\u2028]/).filter((line) => line === '---')).toHaveLength(1);
        expect(text.match(/^ {0,3}#/gm)).toHaveLength(1);
        expect(text.match(/^\*\*Issues:\*\*/gm)).toHaveLength(1);
      }),
    );
  });

  test('lists all 5,000 issues', () => {
    const issues = Array.from({ length: 5000 }, (_, i) => ({ ...BARE, description: `Issue ${i}` }));
    const text = historyEntry(entry({ looks: [look('spec-reviewer', issues)] }), AT, null);
    expect(text.match(/^- \[suggestion\] Issue \d+$/gm)).toHaveLength(5000);
  });
});

describe('a history', () => {
  test.each([
    ['', 'E\n'],
    ['# Notes\n', '# Notes\n\nE\n'],
    ['by hand, without an end', 'by hand, without an end\n\nE\n'],
    ['a\r\n', 'a\r\n\nE\n'],
  ])('%j keeps the existing text', (before, expected) => {
    expect(withEntry(before, 'E\n', null)).toBe(expected);
  });

  test('an entry is completed in place', () => {
    const first = historyEntry(entry(), AT, null);
    const whole = historyEntry(entry(), AT, FIX);
    const before = withEntry('# By a person\n', first, null);
    expect(withEntry(`${before}A note after it.\n`, whole, first)).toBe(`# By a person\n\n${whole}A note after it.\n`);
  });

  test('keeps an edited entry beside the new one', () => {
    const first = historyEntry(entry(), AT, null);
    const editedText = first.replace('None.', 'Nothing yet.');
    const whole = historyEntry(entry(), AT, FIX);
    expect(withEntry(editedText, whole, first)).toBe(`${editedText}\n${whole}`);
  });

  test('keeps all earlier text, whatever it was', () => {
    fc.assert(
      fc.property(fc.string(), (before) => {
        expect(withEntry(before, 'E\n', null).startsWith(before)).toBe(true);
      }),
    );
  });
});
