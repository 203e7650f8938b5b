import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeMeta, readMeta } from '../../../src/phases/record/meta-json.ts';
import type { MetaUpdate } from '../../../src/phases/types.ts';

const AT = '2026-03-04T05:06:07.000Z';
const LATER = '2026-03-04T06:00:00.000Z';

function update(fields: Partial<MetaUpdate> = {}): MetaUpdate {
  return {
    phase: 'design',
    started: AT,
    completed: LATER,
    loops: [
      { stage: 'domain', started: AT, completed: LATER, iterations: 2, approved: true, reviewerNotes: [] },
      { stage: 'phase', started: AT, completed: LATER, iterations: 1, approved: true, reviewerNotes: ['a note'] },
    ],
    reviewerNotes: ['a note'],
    resuming: { kind: 'unknown' },
    ...fields,
  };
}

function merged(before: string, fields: Partial<MetaUpdate> = {}): Record<string, unknown> {
  const { text, isReadable } = mergeMeta(before, update(fields));
  expect(isReadable).toBe(true);
  return JSON.parse(text);
}

describe('.meta.json', () => {
  test('without a file gets the result of the phase', () => {
    expect(merged('')).toEqual({
      lastCompletedPhase: 'design',
      phases: {
        design: {
          started: '2026-03-04T05:06:07.000Z',
          completed: '2026-03-04T06:00:00.000Z',
          iterations: 3,
          reviewerNotes: ['a note'],
          stages: {
            designReview: {
              started: '2026-03-04T05:06:07.000Z',
              completed: '2026-03-04T06:00:00.000Z',
              iterations: 2,
              approved: true,
              reviewerNotes: [],
            },
            handoffReview: {
              started: '2026-03-04T05:06:07.000Z',
              completed: '2026-03-04T06:00:00.000Z',
              iterations: 1,
              approved: true,
              reviewerNotes: ['a note'],
            },
          },
        },
      },
    });
  });

  test('keeps all other fields, at every depth', () => {
    const before = {
      id: '007',
      custom: { a: [1] },
      lastCompletedPhase: 'specify',
      phases: {
        specify: { completed: 'then', by: 'hand' },
        design: { owner: 'me', started: 'old', stages: { research: { skipped: true }, designReview: { by: 'x' } } },
      },
    };
    expect(merged(JSON.stringify(before))).toMatchObject({
      id: '007',
      custom: { a: [1] },
      phases: {
        specify: { completed: 'then', by: 'hand' },
        design: {
          owner: 'me',
          started: '2026-03-04T05:06:07.000Z',
          stages: { research: { skipped: true }, designReview: { by: 'x', iterations: 2 } },
        },
      },
    });
  });

  test('of an unfinished phase says so, with the open issues', () => {
    const meta = merged('{"lastCompletedPhase":"specify"}', { completed: null, reviewerNotes: ['[blocker] R1'] });
    expect(meta).toMatchObject({
      lastCompletedPhase: 'specify',
      phases: { design: { completed: null, reviewerNotes: ['[blocker] R1'] } },
    });
  });

  test('has no result of an earlier run for a loop that this run has not reached', () => {
    const [domain] = update().loops;
    const loops = domain === undefined ? [] : [{ ...domain, approved: false, completed: null }];
    const before = merged(JSON.stringify({ phases: { design: { stages: { handoffReview: { by: 'x' } } } } }));
    const again = merged(JSON.stringify(before), { completed: null, loops });
    expect(again).toMatchObject({
      phases: { design: { stages: { designReview: { approved: false }, handoffReview: { by: 'x' } } } },
    });
    expect(JSON.stringify(again)).not.toContain('"approved":true');
    expect(JSON.stringify(merged(JSON.stringify(merged('')), { loops }))).not.toContain('handoffReview');
    expect(JSON.stringify(merged(JSON.stringify(merged('')), { loops: [] }))).not.toContain('stages');
    const byHand = { phases: { design: { stages: { handoffReview: 'skipped' } } } };
    expect(merged(JSON.stringify(byHand), { loops })).toMatchObject(byHand);
  });

  test('of implement has no stages', () => {
    const loops = [
      { stage: 'implement', started: AT, completed: null, iterations: 4, approved: false, reviewerNotes: [] },
    ] as const;
    const meta = merged('', { phase: 'implement', loops });
    expect(meta).toMatchObject({ phases: { implement: { iterations: 4 } } });
    expect(JSON.stringify(meta)).not.toContain('stages');
  });

  test('says why sessions are not resumed [REUSE-R1.0/record-of-failure REUSE-I10/record]', () => {
    const why = 'V3: it gave another line';
    const before = '{"r1_deferred_reason":"V1: earlier"}';
    expect(merged('{}', { resuming: { kind: 'deferred', why } })).toHaveProperty('r1_deferred_reason', why);
    expect(merged(before, { resuming: { kind: 'deferred', why } })).toHaveProperty('r1_deferred_reason', why);
    expect(merged('{}')).not.toHaveProperty('r1_deferred_reason');
    expect(merged(before)).toHaveProperty('r1_deferred_reason', 'V1: earlier');
    expect(merged(before, { resuming: { kind: 'works' } })).not.toHaveProperty('r1_deferred_reason');
  });

  test.each([
    ['{\n    "a": 1\n}\n', '{\n    "a": 1,\n    '],
    ['{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t'],
    ['{"a":1}', '{\n  "a": 1,\n  '],
  ])('%j keeps its indent', (before, beginning) => {
    const result = mergeMeta(before, update());
    expect(result.text.startsWith(beginning)).toBe(true);
    expect(result.text.endsWith('}\n')).toBe(true);
  });

  test.each([
    '{',
    '[]',
    '"a"',
    'null',
    '{"phases": []}',
    '{"phases": {"design": 3}}',
    '{"phases":{"design":{"stages":"x"}}}',
    null,
  ])('%j is reported as corrupt', (before) => {
    expect(mergeMeta(before, update())).toEqual({ ...mergeMeta('', update()), isReadable: false });
  });

  test.each(['', ' \n', '\ufeff{}'])('%j is a valid start', (before) => {
    expect(mergeMeta(before, update()).isReadable).toBe(true);
  });

  test('keeps any other field', () => {
    const ownKeys = ['phases', 'lastCompletedPhase'];
    const fields = fc.dictionary(
      fc.string().filter((key) => !ownKeys.includes(key)),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fields, (meta) => {
        const before = JSON.stringify(meta);
        const { phases: _, lastCompletedPhase: __, ...rest } = merged(before);
        expect(JSON.stringify(rest)).toBe(JSON.stringify(JSON.parse(before)));
      }),
    );
  });
});

test.each([
  ['{"brainstorm_source": "docs/idea.md"}', 'docs/idea.md'],
  ['{"brainstorm_source": " "}', null],
  ['{"brainstorm_source": 3}', null],
  ['{}', null],
])('the source that %s names is %j', (meta, expected) => {
  expect(readMeta(meta)).toEqual({ source: expected });
});
