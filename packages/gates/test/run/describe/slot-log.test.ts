import { ownFacts, slotRecord } from '@onceover/testing/record-samples.ts';
import { violation } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { slotLog } from '../../../src/run/describe/logs.ts';

const exchange = { agent: 'codex', mode: 'fresh', sent: 'Review.', said: '{"status":"pass"}', failure: null } as const;

describe('the log of a slot', () => {
  test('that ran has the reason, the transcript and the result', () => {
    const record = slotRecord({
      status: 'fail',
      iteration: 3,
      violations: [violation(), violation({ id: 'F2', file: '', line: null, state: 'warning' })],
    });
    const again = { ...exchange, agent: 'claude', mode: 'resumed', failure: { kind: 'timeout', seconds: 7 } } as const;
    expect(
      slotLog(record, { kind: 'run', slot: 1, why: 'not-passed' }, [again, exchange]),
    ).toBe(`Review: review:src:code-quality @1, iteration 3
Running @1: it had not passed before
--- Sent (claude, resumed) ---
Review.
--- Said (claude) ---
{"status":"pass"}
--- claude did not finish within 7 seconds ---
--- Sent (codex, fresh) ---
Review.
--- Said (codex) ---
{"status":"pass"}
--- Result ---
Status: FAIL
F1 high open src/a.ts:1 - It is wrong.
F2 high warning It is wrong.
`);
  });

  test('that runs as the safety latch has its line', () => {
    expect(slotLog(slotRecord(), { kind: 'run', slot: 1, why: 'safety-latch' }, [])).toContain(
      '\nRunning @1: safety latch (all slots previously passed)\n',
    );
  });

  test('without a verdict has the reason', () => {
    const record = slotRecord({ status: 'error', own: ownFacts({ error: 'no agent is installed' }) });
    expect(slotLog(record, { kind: 'run', slot: 1, why: 'first-run' }, [])).toMatch(
      /\nStatus: ERROR \(no agent is installed\)\n$/,
    );
  });

  test('of a record from another tool has no reason', () => {
    const record = slotRecord({ own: null, violations: [violation({ id: null, line: null, state: null })] });
    const log = slotLog(record, { kind: 'run', slot: 1, why: 'first-run' }, []);
    expect(log).toContain('\nRunning @1: first review\n');
    expect(log).toContain('\n- high  src/a.ts - It is wrong.\n');
  });

  test('that is skipped has only its line', () => {
    const record = slotRecord({ slot: 2, iteration: 3, status: 'skipped_prior_pass', passIteration: 1 });
    expect(slotLog(record, { kind: 'skip', slot: 2, passIteration: 1 }, [])).toBe(
      'Review: review:src:code-quality @2, iteration 3\nSkipping @2: previously passed in iteration 1 (num_reviews > 1)\n',
    );
  });
});
