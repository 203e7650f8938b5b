import { stripVTControlCharacters } from 'node:util';
import type { GateId } from '@onceover/base/kernel/ids';
import { cells } from '@onceover/base/ui/layout';
import { COLOURED, PLAIN } from '@onceover/base/ui/style';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elapsed, frame } from '../../src/progress/live.ts';
import type { Event } from '../../src/progress/state.ts';
import { NO_PROGRESS, type Progress, progressAfter } from '../../src/progress/state.ts';

const QUALITY = 'review:src:quality' as GateId;
const LINT = 'check:src:lint' as GateId;

const fresh = { kind: 'fresh', why: 'first-look' } as const;
const usage = (outputTokens: number) => ({
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens,
  costUsd: null,
});

const started = (slot: number, agent = 'claude'): Event =>
  ({ kind: 'slot-started', gate: QUALITY, slot, agent, dispatch: fresh }) as Event;
const ended = (slot: number, status: 'pass' | 'fail' | 'error'): Event =>
  ({
    kind: 'slot-ended',
    gate: QUALITY,
    slot,
    agent: 'claude',
    status,
    open: 0,
    warnings: 0,
    trouble: null,
    usage: usage(500),
    durationMs: 1000,
  }) as Event;

function having(...events: readonly Event[]): Progress {
  return events.reduce((progress, event, n) => progressAfter(progress, event, n * 1000), NO_PROGRESS(0));
}

const ITERATION: Event = { kind: 'iteration-started', iteration: 2, checks: 2, slots: 3 };
const WIDE = { columns: 100, rows: 30 };

describe('the live view', () => {
  test('is empty before anything starts', () => {
    expect(frame(NO_PROGRESS(0), WIDE, 0, PLAIN)).toEqual([]);
  });

  test('shows each running reviewer with session, time, tokens and activity', () => {
    const progress = having(
      ITERATION,
      { kind: 'check-started', gate: LINT, command: 'npm run lint\nnpm run types' },
      started(1),
      { kind: 'slot-active', gate: QUALITY, slot: 1, doing: 'reads src/a.ts', usage: usage(12_345) },
    );
    expect(frame(progress, WIDE, 65_000, PLAIN)).toEqual([
      '  check:src:lint                  1:04  npm run lint; npm run types',
      '  review:src:quality, reviewer 1  1:03  claude  new session  12.3k tokens  reads src/a.ts',
      'Run 2 · 2 running · 0 of 2 checks done · 0 of 3 reviewers done · 1:05 · 12.3k tokens',
    ]);
  });

  test('counts checks and reviewers apart', () => {
    const lint = { kind: 'check-ended', gate: LINT, status: 'fail', why: null, durationMs: 5 } as const;
    const progress = having(ITERATION, { kind: 'check-started', gate: LINT, command: 'lint' }, lint, started(1));
    expect(frame(progress, WIDE, 4000, PLAIN).at(-1)).toBe(
      'Run 2 · 1 running · 1 of 2 checks done · 0 of 3 reviewers done · 1 failed · 0:04',
    );
  });

  test('removes and counts reviewers that ended', () => {
    const progress = having(ITERATION, started(1), started(2, 'codex'), ended(1, 'fail'), started(3), ended(3, 'pass'));
    expect(frame(progress, WIDE, 5000, PLAIN)).toEqual([
      '  review:src:quality, reviewer 2  0:03  codex  new session',
      'Run 2 · 1 running · 0 of 2 checks done · 2 of 3 reviewers done · 1 failed · 0:05 · 1.0k tokens',
    ]);
  });

  test('shows another agent that takes over', () => {
    const because = { kind: 'timeout', seconds: 5 } as const;
    const again = { kind: 'slot-asked-again', gate: QUALITY, slot: 1, agent: 'codex', mode: 'other-agent', because };
    expect(frame(having(ITERATION, started(1), again as Event), WIDE, 2000, PLAIN)[0]).toContain(
      'reviewer 1  0:01  codex  new session',
    );
  });

  test('cuts names and lines on a narrow terminal, and keeps the reviewer', () => {
    const progress = having(ITERATION, started(1), {
      kind: 'slot-active',
      gate: QUALITY,
      slot: 1,
      doing: 'reads a long name',
      usage: usage(5000),
    });
    expect(frame(progress, { columns: 40, rows: 24 }, 2000, PLAIN)).toEqual([
      '  …uality, reviewer 1  0:01  claude  n…',
      'Run 2 · 1 running · 0 of 2 checks done…',
    ]);
    expect(frame(progress, { columns: 24, rows: 24 }, 2000, PLAIN)[0]).toContain('iewer 1');
  });

  test('shows the roles and the round of a phase', () => {
    const look = { kind: 'look-started', part: null, model: null, why: 'first-look' } as const;
    const round = { kind: 'round-started', phase: 'implement', stage: 'implement', iteration: 2, most: 5 } as const;
    const roles = ['security-reviewer', 'code-quality-reviewer'] as const;
    const progress = having(
      { ...round, isFinalValidation: false, roles, resting: [] },
      { ...look, role: 'security-reviewer', label: 'Review', agent: 'claude', dispatch: 'resumed' },
      { ...look, role: 'code-quality-reviewer', label: 'Review', agent: 'codex', dispatch: 'fresh' },
      { kind: 'look-active', role: 'security-reviewer', doing: 'reads src/a.ts', usage: usage(1200) },
    );
    expect(frame(progress, WIDE, 4000, PLAIN)).toEqual([
      '  security-reviewer      0:03  claude  resumed session  1.2k tokens  reads src/a.ts',
      '  code-quality-reviewer  0:02  codex  new session  Review',
      'implement, iteration 2 of 5 · 2 running · 0 of 2 reviewers done · 0:04 · 1.2k tokens',
    ]);
    const last = having({ ...round, isFinalValidation: true, roles, resting: [] });
    expect(frame(last, WIDE, 4000, PLAIN)).toEqual([
      'implement, final validation · 0 running · 0 of 2 reviewers done · 0:04',
    ]);
  });

  test('counts the roles of a phase, and preparations have no verdict', () => {
    const look = {
      part: null,
      label: 'x',
      model: null,
      agent: 'claude',
      dispatch: 'fresh',
      why: 'first-look',
    } as const;
    const end = { blockers: 0, warnings: 0, suggestions: 0, failure: null, usage: usage(500), durationMs: 1 } as const;
    const prepared = having(
      { kind: 'look-started', ...look, role: 'test-deepener', part: 'A' },
      { kind: 'look-active', role: 'test-deepener', doing: 'writes', usage: null },
    );
    expect(frame(prepared, WIDE, 1000, PLAIN)).toEqual([
      '  test-deepener A  0:01  claude  new session  writes',
      '1 running · 0:01',
    ]);
    const done = progressAfter(
      prepared,
      { kind: 'look-ended', role: 'test-deepener', agent: 'claude', status: 'done', ...end },
      0,
    );
    expect([done.failed, done.tokens, done.running.size]).toEqual([0, 500, 0]);
    const failed = progressAfter(
      done,
      { kind: 'look-ended', role: 'security-reviewer', agent: 'claude', status: 'fail', ...end },
      0,
    );
    expect(failed.failed).toBe(1);
  });

  test('counts what does not fit', () => {
    const many = Array.from({ length: 40 }, (_, n) => started(n + 1));
    const lines = frame(having(ITERATION, ...many), { columns: 80, rows: 10 }, 0, PLAIN);
    expect(lines).toHaveLength(8);
    expect(lines.at(-2)).toBe('  … and 34 more');
  });

  test('no line is wider than the terminal or controls it, whatever the texts', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text, text, fc.boolean()), { maxLength: 6 }),
        fc.integer({ min: 12, max: 150 }),
        (rows, columns) => {
          const events = rows.flatMap(([gate, agent, doing], n): Event[] => [
            { kind: 'slot-started', gate: gate as GateId, slot: n, agent, dispatch: fresh } as Event,
            { kind: 'slot-active', gate: gate as GateId, slot: n, doing, usage: usage(n) } as Event,
          ]);
          for (const line of frame(having(ITERATION, ...events), { columns, rows: 24 }, 0, COLOURED)) {
            const seen = stripVTControlCharacters(line);
            expect(cells(seen)).toBeLessThan(columns);
            expect(seen).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
          }
        },
      ),
    );
  });

  test.each([
    [0, '0:00'],
    [59_999, '0:59'],
    [61_000, '1:01'],
    [3_725_000, '1:02:05'],
    [-5, '0:00'],
  ])('formats %i ms as %s', (ms, expected) => {
    expect(elapsed(ms)).toBe(expected);
  });
});
