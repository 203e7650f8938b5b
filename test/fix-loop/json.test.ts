import { expect, test } from 'vitest';
import { loopDocument } from '../../src/fix-loop/describe.ts';
import { runDocument } from '../../src/gates/json.ts';
import { runSchema } from '../../src/gates/json-schema.ts';
import { LOOP_ENDS, type LoopRound } from '../../src/gates/run-types.ts';
import { runOutcome, usage } from '../support/run-samples.ts';

const ROUND: LoopRound = {
  iteration: 1,
  status: 'failed',
  open: ['F1'],
  closed: 0,
  added: 1,
  failing: ['review:src:code-quality'],
  left: ['review:lib:own'],
  failingChecks: ['check:.:lint'],
  letBe: ['F2'],
  dispatches: 2,
  usage: usage(),
  saved: { pass: 0, slot: 0, session: 0, prefix: 0 },
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
};

test('contains every round and every fix', () => {
  expect(loopDocument({ end: 'stalled', rounds: [ROUND], run: runOutcome() })).toEqual({
    end: 'stalled',
    rounds: [
      {
        iteration: 1,
        status: 'failed',
        open: ['F1'],
        failing_checks: ['check:.:lint'],
        let_be: ['F2'],
        nothing_left: ['review:lib:own'],
        closed: 0,
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
  const document = { ...runDocument(run), loop: loopDocument({ end, rounds: [ROUND, { ...ROUND, fix: null }], run }) };
  expect(runSchema.parse(document)).toEqual(document);
});
