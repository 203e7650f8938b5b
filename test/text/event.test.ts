import { describe, expect, test } from 'vitest';
import type { SnapshotId } from '../../src/domain/brand.ts';
import type { Session } from '../../src/domain/dispatch.ts';
import type { Event } from '../../src/domain/event.ts';
import { tellEvent } from '../../src/text/event.ts';
import { usage } from '../support/run-samples.ts';

const gate = 'review:src:code-quality';
const slot = 2;
const agent = 'codex';
const because = { kind: 'timeout', seconds: 7 } as const;
const session: Session = {
  id: 's',
  agent,
  model: null,
  version: '1',
  toolsDigest: 't',
  firstPromptLength: 1,
  saw: 'tree' as SnapshotId,
};
const ended = (differs: Partial<Extract<Event, { kind: 'slot-ended' }>>): Event => ({
  kind: 'slot-ended',
  gate,
  slot,
  agent,
  status: 'pass',
  open: 0,
  warnings: 0,
  trouble: null,
  usage: null,
  durationMs: 1249,
  ...differs,
});

describe('one line for an event', () => {
  test.each<[string, Event, string | null]>([
    [
      'an iteration',
      { kind: 'iteration-started', iteration: 3, gates: 2, slots: 1 },
      'Iteration 3: 2 gates, 1 reviewer',
    ],
    ['one gate', { kind: 'iteration-started', iteration: 1, gates: 1, slots: 0 }, 'Iteration 1: 1 gate, 0 reviewers'],
    ['a check', { kind: 'check-started', gate: 'check:.:lint', command: 'npm run lint' }, 'check:.:lint: npm run lint'],
    [
      'a check passed',
      { kind: 'check-ended', gate: 'check:.:lint', status: 'pass', why: null, durationMs: 90 },
      'check:.:lint: pass, 0.1 s',
    ],
    [
      'a check failed',
      { kind: 'check-ended', gate: 'check:.:lint', status: 'fail', why: 'ended with exit code 1', durationMs: 61_000 },
      'check:.:lint: FAIL (ended with exit code 1), 61.0 s',
    ],
    [
      'a check could not be run',
      { kind: 'check-ended', gate: 'check:.:a b', status: 'error', why: 'could not be started', durationMs: 0 },
      '"check:.:a b": ERROR (could not be started), 0.0 s',
    ],
    [
      'a slot rests [RUN-SLOTS/skip-log-format/format]',
      { kind: 'slot-planned', gate, plan: { kind: 'skip', slot, passIteration: 4 } },
      `${gate}: Skipping @2: previously passed in iteration 4 (num_reviews > 1)`,
    ],
    [
      'a slot is asked for the first time',
      { kind: 'slot-started', gate, slot, agent, dispatch: { kind: 'fresh', why: 'first-look' } },
      `${gate} @2: asking codex (fresh)`,
    ],
    [
      'a slot is asked afresh, and why',
      { kind: 'slot-started', gate, slot, agent, dispatch: { kind: 'fresh', why: 'resume-dearer' } },
      `${gate} @2: asking codex (fresh: its cache is cold, and a fresh look is cheaper)`,
    ],
    [
      'a slot is resumed',
      { kind: 'slot-started', gate, slot, agent, dispatch: { kind: 'resumed', why: 'delta', session } },
      `${gate} @2: asking codex (resumed)`,
    ],
    [
      'a slot is resumed for a final look',
      { kind: 'slot-started', gate, slot, agent, dispatch: { kind: 'resumed', why: 'final-validation', session } },
      `${gate} @2: asking codex (resumed: final look)`,
    ],
    ['what goes on meanwhile', { kind: 'slot-active', gate, slot, doing: 'reads', usage: null }, null],
    [
      'a resume failed',
      { kind: 'slot-asked-again', gate, slot, agent, mode: 'fresh', because },
      `${gate} @2: RESUME-FALLBACK: asking codex afresh (did not finish within 7 seconds)`,
    ],
    [
      'an answer could not be read',
      { kind: 'slot-asked-again', gate, slot, agent, mode: 'repair', because },
      `${gate} @2: asking codex to repeat its answer (did not finish within 7 seconds)`,
    ],
    [
      'another agent takes over',
      { kind: 'slot-asked-again', gate, slot, agent: 'claude', mode: 'other-agent', because },
      `${gate} @2: asking claude instead (did not finish within 7 seconds)`,
    ],
    ['a pass', ended({}), `${gate} @2: pass, 1.2 s`],
    [
      'a pass with warnings',
      ended({ warnings: 2, usage: usage() }),
      `${gate} @2: pass with 2 warnings, 1.2 s, 120 tokens`,
    ],
    ['one warning', ended({ warnings: 1 }), `${gate} @2: pass with 1 warning, 1.2 s`],
    ['a failure', ended({ status: 'fail', open: 1 }), `${gate} @2: FAIL, 1 finding open, 1.2 s`],
    ['only what is waived', ended({ status: 'fail', open: 0 }), `${gate} @2: waived findings only, 1.2 s`],
    ['no verdict', ended({ status: 'error' }), `${gate} @2: ERROR: no verdict, 1.2 s`],
    [
      'no verdict, and why',
      ended({ status: 'error', trouble: { kind: 'agent', agent, failure: because } }),
      `${gate} @2: ERROR: codex did not finish within 7 seconds, 1.2 s`,
    ],
  ])('%s', (_title, event, expected) => {
    expect(tellEvent(event)).toBe(expected);
  });

  test('a check whose command has several lines', () => {
    expect(tellEvent({ kind: 'check-started', gate: 'check:.:lint', command: 'npm ci\nnpm test\n' })).not.toContain(
      '\n',
    );
  });
});
