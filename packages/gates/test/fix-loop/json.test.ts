import { failedRun, loopRound } from '@onceover/testing/loop-rounds.ts';
import { gateOutcome, reported, runOutcome, usage } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { loopDocument } from '../../src/fix-loop/describe.ts';
import { runDocument } from '../../src/result/json.ts';
import { runSchema } from '../../src/result/json-schema.ts';
import { LOOP_ENDS } from '../../src/result/types.ts';

const FIRST = loopRound({
  run: failedRun(['F1', 'F3'], {
    gates: [gateOutcome({ id: 'review:lib:own', status: 'fail', why: 'open-findings' })],
  }),
});
const ROUND = loopRound({
  run: failedRun(['F1', 'F4', 'check:.:lint'], {
    iteration: 2,
    findings: [reported({ id: 'F1' }), reported({ id: 'F4' }), reported({ id: 'F2' }, 'warning')],
    usage: usage(),
  }),
  tolerated: new Set(['F2']),
  fix: {
    agent: 'claude',
    dispatch: 'resumed',
    summary: 'Done.',
    fixed: ['F1'],
    declined: [],
    filesChanged: 3,
    usage: null,
    durationMs: 5,
    failure: { kind: 'timeout', seconds: 9 },
  },
});

test('contains every round and every fix', () => {
  expect(loopDocument({ end: 'stalled', rounds: [FIRST, ROUND] })).toEqual({
    end: 'stalled',
    rounds: [
      {
        iteration: 1,
        status: 'failed',
        open: ['F1', 'F3'],
        failing_checks: [],
        let_be: [],
        nothing_left: [],
        closed: 0,
        added: 2,
        dispatches: 2,
        usage: null,
        fix: null,
      },
      {
        iteration: 2,
        status: 'failed',
        open: ['F1', 'F4'],
        failing_checks: ['check:.:lint'],
        let_be: ['F2'],
        nothing_left: ['review:lib:own'],
        closed: 1,
        added: 1,
        dispatches: 2,
        usage: {
          input_tokens: 100,
          cached_input_tokens: 0,
          cache_write_tokens: 0,
          output_tokens: 20,
          cost_usd: null,
        },
        fix: {
          agent: 'claude',
          dispatch: 'resumed',
          summary: 'Done.',
          fixed: ['F1'],
          declined: [],
          files_changed: 3,
          usage: null,
          failure: 'timeout',
        },
      },
    ],
  });
});

test.each(LOOP_ENDS)('matches the published schema: %s', (end) => {
  const run = runOutcome();
  const document = { ...runDocument(run), loop: loopDocument({ end, rounds: [ROUND, { ...ROUND, fix: null }] }) };
  expect(runSchema.parse(document)).toEqual(document);
});
