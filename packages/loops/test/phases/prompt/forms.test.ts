import { readAnswer } from '@onceover/agents/dispatch/read-answer';
import { REVIEWER_ROLES, type ReviewerRole, SEVERITIES } from '@onceover/base/kernel/review-loops';
import { strictSchema } from '@onceover/base/kernel/strict-schema';
import { builtInRole } from '@onceover/testing/roles.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeForm, formSchema } from '../../../src/phases/prompt/forms.ts';
import type { ReviewForm } from '../../../src/phases/roles/types.ts';

function formOf(name: ReviewerRole): ReviewForm {
  const { form } = builtInRole(name);
  if (form === null) throw new Error(`${name} has no form`);
  return form;
}

const told = (name: ReviewerRole) => describeForm(formOf(name));
const issueOf = (name: ReviewerRole) => /"issues": \[\{(.*?)\}\]/.exec(told(name))?.[1] ?? '';
const fields = (name: ReviewerRole) => [...issueOf(name).matchAll(/"(\w+)": "/g)].map(([, field]) => field);
const read = (answer: unknown) => readAnswer('loop', { text: JSON.stringify(answer), structured: undefined });

describe('the answer form of a reviewer', () => {
  test.each(REVIEWER_ROLES)(
    'of the %s begins as the requirement says, and has approved, issues and summary',
    (name) => {
      expect(told(name)).toMatch(/^Return your assessment as JSON:\n\{/);
      expect(told(name)).toMatch(/"approved": true\/false,.*"issues": \[\{.*\}\],.*"summary": "\.\.\."\n?\}$/s);
      expect(issueOf(name)).toContain('"severity": "blocker|warning|suggestion"');
    },
  );

  test.each<[ReviewerRole, readonly string[], string]>([
    [
      'spec-reviewer',
      ['severity', 'category', 'description', 'location', 'suggestion'],
      'REUSE-I2/schema REUSE-I2-FV/schema',
    ],
    [
      'design-reviewer',
      ['severity', 'category', 'description', 'location', 'suggestion'],
      'REUSE-I1-R4/design-reviewer/suggestion-field',
    ],
    ['plan-reviewer', ['severity', 'description', 'location', 'suggestion'], 'REUSE-I1-R4/plan-reviewer/no-category'],
    [
      'task-reviewer',
      ['severity', 'description', 'task', 'suggestion'],
      'REUSE-I1-R4/task-reviewer/task-field REUSE-I1-R4/task-reviewer/no-category',
    ],
    ['phase-reviewer', ['severity', 'description', 'location', 'suggestion'], 'as it is'],
    ['implementation-reviewer', ['severity', 'level', 'category', 'description', 'location', 'suggestion'], 'as it is'],
    ['code-quality-reviewer', ['severity', 'category', 'description', 'location', 'suggestion'], 'as it is'],
    ['security-reviewer', ['severity', 'category', 'description', 'location', 'suggestion'], 'as it is'],
  ])('an issue of the %s has %j [%s]', (name, expected) => {
    expect(fields(name)).toEqual(expected);
  });

  test.each<[ReviewerRole, string, string]>([
    ['code-quality-reviewer', 'readability|kiss|yagni|formatting|flow', 'REUSE-I1-R4/code-quality-reviewer/categories'],
    ['security-reviewer', 'injection|auth|crypto|exposure|config', 'REUSE-I1-R4/security-reviewer/categories'],
    ['spec-reviewer', 'testability|assumptions|scope|traceability|clarity', 'as it is'],
    ['design-reviewer', 'completeness|consistency|feasibility|assumptions|complexity', 'as it is'],
    ['implementation-reviewer', 'missing|extra|misunderstood|incomplete', 'as it is'],
  ])('the categories of the %s are %s [%s]', (name, expected) => {
    expect(issueOf(name)).toContain(`"category": "${expected}"`);
  });

  test('of the plan-reviewer is one line [REUSE-I1-R4/plan-reviewer/compact-schema]', () => {
    expect(told('plan-reviewer').split('\n')).toHaveLength(2);
  });

  test('of the implementation-reviewer has levels and evidence [REUSE-I1-R4/implementation-reviewer/schema REUSE-I1-R4/implementation-reviewer/fields]', () => {
    const text = told('implementation-reviewer');
    for (const level of ['tasks', 'spec', 'design', 'prd']) expect(text).toContain(`"${level}": {"passed": true/false`);
    expect(text).toContain('"evidence": {"verified": ["..."], "missing": ["..."]}');
    expect(text.indexOf('"levels"')).toBeLessThan(text.indexOf('"issues"'));
  });
});

describe('the schema that agents get', () => {
  test.each(REVIEWER_ROLES)('of the %s has the fields that its prompt names', (name) => {
    const schema = formSchema(formOf(name)) as Schema;
    const top = [...told(name).matchAll(/"(approved|levels|issues|evidence|summary)":/g)].map(([, field]) => field);
    expect(Object.keys(schema.properties)).toEqual([...new Set(top)]);
    expect(Object.keys(schema.properties['issues']?.items?.properties ?? {})).toEqual(fields(name));
  });

  test.each(REVIEWER_ROLES)('of the %s has a strict form', (name) => {
    const strict = strictSchema(formSchema(formOf(name))) as Schema;
    expect(strict.required).toEqual(Object.keys(strict.properties));
    expect(strict.properties['issues']?.items?.required).toEqual(fields(name));
  });

  type Schema = {
    readonly properties: Readonly<Record<string, { readonly items?: Schema }>>;
    readonly required: readonly string[];
  };
});

describe('one parser for all of them [REUSE-FLOW/verdict-parsed]', () => {
  test('accepts the field challenge of design-reviewers [REUSE-I1-R4/design-reviewer/challenge-field]', () => {
    const answer = read({ approved: true, issues: [{ severity: 'warning', description: 'a', challenge: 'Why?' }] });
    expect(answer.ok && answer.answer.issues).toEqual([{ severity: 'warning', description: 'a', suggestion: 'Why?' }]);
  });

  test('reads an answer in the form of any role [REUSE-BEHAVIOUR/same-schema]', () => {
    const text = fc.string();
    const maybe = (arbitrary: fc.Arbitrary<unknown>) => fc.option(arbitrary, { nil: undefined });
    const issue = fc.record({
      severity: fc.constantFrom(...SEVERITIES),
      description: text,
      level: maybe(fc.constantFrom('tasks', 'spec')),
      category: maybe(text),
      location: maybe(text),
      task: maybe(text),
      suggestion: maybe(text),
      challenge: maybe(text),
    });
    const answers = fc.record({
      approved: fc.boolean(),
      issues: fc.array(issue),
      summary: text,
      levels: maybe(fc.dictionary(fc.constantFrom('tasks', 'spec'), fc.record({ passed: fc.boolean() }))),
      evidence: maybe(fc.record({ verified: fc.array(text), missing: fc.array(text) })),
    });
    fc.assert(
      fc.property(answers, (input) => {
        const answer = read(input);
        expect(answer.ok).toBe(true);
        if (!answer.ok) return;
        const { approved, issues } = answer.answer;
        expect(approved).toBe(input.approved);
        expect(issues.slice(0, input.issues.length).map(({ description }) => description)).toEqual(
          input.issues.map(({ description }) => description),
        );
        for (const [i, issue] of input.issues.entries()) {
          expect(issues[i]?.location).toBe(issue.location ?? issue.task);
          expect(issues[i]?.suggestion).toBe(issue.suggestion ?? issue.challenge);
        }
        // The fixer then has an issue to fix.
        if (!approved) expect(issues.some(({ severity }) => severity !== 'suggestion')).toBe(true);
      }),
    );
  });

  test.each<[title: string, given: object, expected: unknown]>([
    [
      'blockers, but approved',
      { approved: true, issues: [{ severity: 'blocker', description: 'a' }] },
      [{ severity: 'blocker', description: 'a' }],
    ],
    [
      'no approval and no issue',
      { approved: false, issues: [], summary: 'Too vague.' },
      [{ severity: 'blocker', description: 'Not approved: Too vague.' }],
    ],
    [
      'no approval, no issue, no text',
      { approved: false },
      [{ severity: 'blocker', description: 'The reviewer did not approve and gave no reason.' }],
    ],
    [
      'no approval and suggestions only',
      { approved: false, issues: [{ severity: 'suggestion', description: 'a' }] },
      [
        { severity: 'suggestion', description: 'a' },
        { severity: 'blocker', description: 'The reviewer did not approve and gave no reason.' },
      ],
    ],
    [
      'a failed level without an issue',
      { approved: true, issues: [], levels: { spec: { passed: false } } },
      [
        {
          severity: 'blocker',
          level: 'spec',
          description: 'Level "spec" is reported as failed, without an issue that says why.',
        },
      ],
    ],
    [
      'a failed level with its issue',
      {
        approved: true,
        issues: [{ severity: 'warning', level: 'spec', description: 'a' }],
        levels: { spec: { passed: false }, design: { passed: true } },
      },
      [{ severity: 'warning', level: 'spec', description: 'a' }],
    ],
    [
      'a failed level with a suggestion only, approved',
      {
        approved: true,
        issues: [{ severity: 'suggestion', level: 'spec', description: 'a' }],
        levels: { spec: { passed: false } },
      },
      [
        { severity: 'suggestion', level: 'spec', description: 'a' },
        {
          severity: 'blocker',
          level: 'spec',
          description: 'Level "spec" is reported as failed, without an issue that says why.',
        },
      ],
    ],
    [
      'a level whose result is not clear, approved',
      { approved: true, issues: [], levels: { spec: 'partly', design: 'pass', tasks: null } },
      [
        {
          severity: 'blocker',
          level: 'spec',
          description: 'Level "spec" is reported as failed, without an issue that says why.',
        },
      ],
    ],
    [
      'nulls for missing fields',
      { approved: true, levels: null, issues: [{ severity: 'suggestion', description: 'a', task: null }] },
      [{ severity: 'suggestion', description: 'a' }],
    ],
  ])('%s', (_, input, expected) => {
    const answer = read(input);
    expect(answer.ok && answer.answer.issues).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ["a gate's answer", { status: 'pass', violations: [] }],
    ["a fixer's answer", { summary: 'Done.' }],
    ['approval as text', { approved: 'yes', issues: [] }],
    ['issues as text', { approved: true, issues: 'none' }],
    ['an approval without issues', { approved: true }],
    ['levels as text', { approved: true, issues: [], levels: 'spec failed' }],
    ['an approval with problems under another key', { approved: true, issues: [], violations: [{ issue: 'a' }] }],
    ['an issue without a description', { approved: false, issues: [{ severity: 'blocker' }] }],
  ])('%s is not a verdict', (_, input) => {
    expect(read(input)).toMatchObject({ ok: false, failure: { why: 'wrong-shape' } });
  });

  test('5,000 issues are parsed', () => {
    const issues = Array.from({ length: 5000 }, (_, i) => ({ severity: 'warning', description: `Issue ${i}` }));
    const answer = read({ approved: false, issues, summary: '' });
    expect(answer.ok && answer.answer.issues.length).toBe(5000);
  });
});

test('a verdict has only the fields that the engine knows', () => {
  const answer = read({
    approved: false,
    issues: [{ severity: 'warning', level: 'spec', category: 'missing', description: 'a', task: 'T1', confidence: 1 }],
    levels: { tasks: { passed: true, issues_count: 0 }, spec: { passed: false }, design: 'pass', prd: true },
    evidence: { verified: [], missing: [] },
    summary: 'b',
  });
  expect(answer.ok && answer.answer).toEqual({
    approved: false,
    issues: [{ severity: 'warning', level: 'spec', category: 'missing', description: 'a', location: 'T1' }],
    levels: { tasks: true, spec: false, prd: true },
    summary: 'b',
  });
});

test('a level that is just false has failed too', () => {
  const answer = read({ approved: true, issues: [], levels: { spec: false } });
  expect(answer.ok && answer.answer.issues).toMatchObject([{ severity: 'blocker', level: 'spec' }]);
});

test('test outlines are parsed', () => {
  const outline = { title: 'a', given: 'b', action: 'c', expected: 'd', source: 'spec.md, R1', catches: null };
  const text = JSON.stringify({ outlines: [outline] });
  const answer = readAnswer('outline', { text, structured: undefined });
  const { catches: _, ...rest } = outline;
  expect(answer.ok && answer.answer).toEqual({ outlines: [rest], summary: '' });
});
