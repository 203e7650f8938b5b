import type { Session } from '@onceover/base/kernel/agent';
import type { SnapshotId } from '@onceover/base/kernel/ids';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { describeEvent } from '../../src/progress/describe.ts';
import type { Event } from '../../src/progress/state.ts';

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

describe('the line for an event', () => {
  test.each<[string, Event, string | null]>([
    [
      'the start of a run',
      { kind: 'iteration-started', iteration: 3, checks: 2, slots: 1 },
      'Run 3: 2 checks, 1 reviewer',
    ],
    [
      'the start of a run without reviewers',
      { kind: 'iteration-started', iteration: 1, checks: 1, slots: 0 },
      'Run 1: 1 check',
    ],
    ['a check', { kind: 'check-started', gate: 'check:.:lint', command: 'npm run lint' }, 'check:.:lint: npm run lint'],
    [
      'a check passed',
      { kind: 'check-ended', gate: 'check:.:lint', status: 'pass', why: null, durationMs: 90 },
      'check:.:lint: passed, 0.1 s',
    ],
    [
      'a check failed',
      { kind: 'check-ended', gate: 'check:.:lint', status: 'fail', why: 'ended with exit code 1', durationMs: 61_000 },
      'check:.:lint: FAILED (ended with exit code 1), 61.0 s',
    ],
    [
      'a check could not be run',
      { kind: 'check-ended', gate: 'check:.:a b', status: 'error', why: 'could not be started', durationMs: 0 },
      '"check:.:a b": ERROR (could not be started), 0.0 s',
    ],
    [
      'a skipped slot [RUN-SLOTS/skip-log-format/format]',
      { kind: 'slot-planned', gate, plan: { kind: 'skip', slot, passIteration: 4 } },
      `${gate}: Skipping @2: previously passed in iteration 4 (num_reviews > 1)`,
    ],
    [
      'a reviewer that runs for an ordinary reason',
      { kind: 'slot-planned', gate, plan: { kind: 'run', slot, why: 'not-passed' } },
      null,
    ],
    [
      'the safety latch [RUN-SLOTS/latch-log-format/format]',
      { kind: 'slot-planned', gate, plan: { kind: 'run', slot, why: 'safety-latch' } },
      `${gate}: Running @2: safety latch (all slots previously passed)`,
    ],
    [
      'a reviewer that runs for a special reason',
      { kind: 'slot-planned', gate, plan: { kind: 'run', slot, why: 'forced' } },
      `${gate}: Running @2: requested with --force`,
    ],
    [
      'a reviewer for which no pass of another clone counts',
      {
        kind: 'slot-planned',
        gate,
        plan: { kind: 'run', slot, why: 'first-run' },
        noPass: 'the key that signed the pass is not in the signers file of the base branch',
      },
      `${gate}: Running @2: first review (no pass accepted: the key that signed the pass is not in the signers file of the base branch)`,
    ],
    [
      'a first review',
      { kind: 'slot-started', gate, slot, agent, dispatch: { kind: 'fresh', why: 'first-look' } },
      `${gate}, reviewer 2 (codex): started (new session)`,
    ],
    [
      'a new session with its reason',
      { kind: 'slot-started', gate, slot, agent, dispatch: { kind: 'fresh', why: 'resume-dearer' } },
      `${gate}, reviewer 2 (codex): started (new session: its cache expired, and a new session is cheaper)`,
    ],
    [
      'a resumed session',
      { kind: 'slot-started', gate, slot, agent, dispatch: { kind: 'resumed', why: 'delta', session } },
      `${gate}, reviewer 2 (codex): started (resumed session)`,
    ],
    [
      'a resumed session for a final review',
      { kind: 'slot-started', gate, slot, agent, dispatch: { kind: 'resumed', why: 'final-validation', session } },
      `${gate}, reviewer 2 (codex): started (resumed session: final review)`,
    ],
    [
      'activity, which only the live view shows',
      { kind: 'slot-active', gate, slot, doing: 'reads', usage: null },
      null,
    ],
    [
      'a resume failed',
      { kind: 'slot-asked-again', gate, slot, agent, mode: 'fresh', because },
      `${gate}, reviewer 2 (codex): RESUME-FALLBACK: calling codex in a new session (did not finish within 7 seconds)`,
    ],
    [
      'an answer could not be read',
      { kind: 'slot-asked-again', gate, slot, agent, mode: 'repair', because },
      `${gate}, reviewer 2 (codex): asking codex to repeat its answer (did not finish within 7 seconds)`,
    ],
    [
      'another agent takes over',
      { kind: 'slot-asked-again', gate, slot, agent: 'claude', mode: 'other-agent', because },
      `${gate}, reviewer 2 (claude): calling claude instead (did not finish within 7 seconds)`,
    ],
    ['a pass', ended({}), `${gate}, reviewer 2 (codex): passed, 1.2 s`],
    [
      'a pass with warnings',
      ended({ warnings: 2, usage: usage() }),
      `${gate}, reviewer 2 (codex): passed with 2 warnings, 1.2 s, 120 tokens`,
    ],
    ['one warning', ended({ warnings: 1 }), `${gate}, reviewer 2 (codex): passed with 1 warning, 1.2 s`],
    ['a failure', ended({ status: 'fail', open: 1 }), `${gate}, reviewer 2 (codex): FAILED, 1 open finding, 1.2 s`],
    [
      'only waived findings',
      ended({ status: 'fail', open: 0 }),
      `${gate}, reviewer 2 (codex): only waived findings, 1.2 s`,
    ],
    ['no verdict', ended({ status: 'error' }), `${gate}, reviewer 2 (codex): ERROR: no verdict, 1.2 s`],
    [
      'no verdict, with its reason',
      ended({ status: 'error', trouble: { kind: 'agent', agent, failure: because } }),
      `${gate}, reviewer 2 (codex): ERROR: codex did not finish within 7 seconds, 1.2 s`,
    ],
  ])('%s', (_title, event, expected) => {
    expect(describeEvent(event)).toBe(expected);
  });

  test('has one line for a command of several lines', () => {
    expect(describeEvent({ kind: 'check-started', gate: 'check:.:lint', command: 'npm ci\nnpm test\n' })).not.toContain(
      '\n',
    );
  });
});
