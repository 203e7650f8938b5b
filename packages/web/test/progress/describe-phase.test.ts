import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { describeEvent } from '../../src/progress/describe.ts';
import type { Event } from '../../src/progress/state.ts';

type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

const role = 'spec-reviewer';
const agent = 'codex';
const because = { kind: 'timeout', seconds: 7 } as const;
const round = (differs: Partial<EventOf<'round-started'>> = {}): Event => ({
  kind: 'round-started',
  phase: 'specify',
  stage: 'domain',
  iteration: 2,
  most: 5,
  isFinalValidation: false,
  roles: [role],
  resting: [],
  ...differs,
});
const started = (differs: Partial<EventOf<'look-started'>> = {}): Event => ({
  kind: 'look-started',
  role,
  part: null,
  label: 'Review of spec.md',
  agent,
  model: null,
  dispatch: 'fresh',
  why: 'first-look',
  ...differs,
});
const ended = (differs: Partial<EventOf<'look-ended'>> = {}): Event => ({
  kind: 'look-ended',
  role,
  agent,
  status: 'pass',
  blockers: 0,
  warnings: 0,
  suggestions: 0,
  failure: null,
  usage: null,
  durationMs: 1249,
  ...differs,
});

describe('the line for an event of a phase', () => {
  test.each<[string, Event, string | null]>([
    ['a round', round(), 'Iteration 2 of 5 (specify): spec-reviewer'],
    [
      'a round with skipped reviewers',
      round({
        phase: 'implement',
        stage: 'implement',
        roles: ['code-quality-reviewer'],
        resting: [
          { role: 'implementation-reviewer', passedAt: 1 },
          { role: 'security-reviewer', passedAt: 1 },
        ],
      }),
      'Iteration 2 of 5 (implement): code-quality-reviewer; implementation-reviewer skipped (already passed in iteration 1); security-reviewer skipped (already passed in iteration 1)',
    ],
    [
      'a final validation, which has no number of its own',
      round({ phase: 'implement', iteration: 3, isFinalValidation: true, roles: ['security-reviewer'] }),
      'Final validation after iteration 3 (implement): security-reviewer',
    ],
    ['a first review', started(), 'spec-reviewer: calling codex (new session)'],
    [
      'a resumed session',
      started({ dispatch: 'resumed', why: 'delta' }),
      'spec-reviewer: calling codex (resumed session)',
    ],
    [
      'a new session with its reason',
      started({ why: 'delta-too-large' }),
      'spec-reviewer: calling codex (new session: too much has changed)',
    ],
    [
      'a lost session',
      started({ why: 'session-lost' }),
      "spec-reviewer: calling codex (fresh, RESUME-FALLBACK: the session's first prompt or its snapshot is gone)",
    ],
    [
      'one half of a preparation',
      started({ role: 'test-deepener', part: 'B' }),
      'test-deepener B: calling codex (new session)',
    ],
    ['activity, which only the live view shows', { kind: 'look-active', role, doing: 'reads', usage: null }, null],
    [
      'a resume failed',
      { kind: 'look-asked-again', role, agent, mode: 'fresh', because },
      'spec-reviewer: RESUME-FALLBACK: calling codex in a new session (did not finish within 7 seconds)',
    ],
    ['an approval', ended(), 'spec-reviewer: approved, 1.2 s'],
    [
      'an approval with suggestions',
      ended({ suggestions: 2, usage: usage() }),
      'spec-reviewer: approved with 2 suggestions, 1.2 s, 120 tokens',
    ],
    [
      'issues',
      ended({ status: 'fail', blockers: 1, warnings: 2, suggestions: 1 }),
      'spec-reviewer: NEEDS WORK, 1 blocker, 2 warnings, 1 suggestion, 1.2 s',
    ],
    [
      'a rejection without issues',
      ended({ status: 'fail' }),
      'spec-reviewer: NEEDS WORK, not approved, but no issue reported, 1.2 s',
    ],
    [
      'no verdict',
      ended({ status: 'error', failure: because }),
      'spec-reviewer: ERROR: codex did not finish within 7 seconds, 1.2 s',
    ],
    ['stopped', ended({ status: 'error' }), 'spec-reviewer: ERROR: no verdict, 1.2 s'],
    ['a finished preparation', ended({ role: 'code-simplifier', status: 'done' }), 'code-simplifier: done, 1.2 s'],
    [
      'a commit',
      { kind: 'committed', message: 'onceover: specify review iteration 1', files: 1, said: null },
      'Committed 1 file: onceover: specify review iteration 1',
    ],
    [
      'a commit that git refuses',
      { kind: 'committed', message: 'x', files: 2, said: 'hook says\nno' },
      'Not committed, git refused: hook says; no',
    ],
  ])('%s', (_title, event, expected) => {
    expect(describeEvent(event)).toBe(expected);
  });
});
