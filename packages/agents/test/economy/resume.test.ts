import type { DispatchFacts, Session } from '@onceover/base/kernel/agent';
import type { SnapshotId } from '@onceover/base/kernel/ids';
import { describe, expect, test } from 'vitest';
import { decideDispatch, deltaLimit } from '../../src/economy/resume.ts';

const now = { agent: 'claude', model: 'm', version: '1.0.0', toolsDigest: 't' };
const session: Session = { ...now, id: 's', firstPromptLength: 20_404, saw: 'tree' as SnapshotId };
const usual: DispatchFacts = {
  who: 'reviewer',
  wanted: 'any',
  session,
  now,
  canResume: true,
  lost: null,
  isFinalValidation: false,
  changed: true,
  cost: null,
  deltaLength: 1000,
};
const cold = { cacheExpired: true, freshIsCheaper: true };

describe('fresh or resumed', () => {
  test.each<[string, Partial<DispatchFacts>, string]>([
    ['as usual', {}, 'resumed: delta'],
    ['the first look', { session: null }, 'fresh: first-look'],
    ['fresh was asked for', { wanted: 'fresh' }, 'fresh: asked-for'],
    ['sessions are not kept', { wanted: 'no-sessions' }, 'fresh: asked-for'],
    ['another agent', { now: { ...now, agent: 'codex' } }, 'fresh: session-differs'],
    ['another model', { now: { ...now, model: null } }, 'fresh: session-differs'],
    ['another version', { now: { ...now, version: '1.0.1' } }, 'fresh: session-differs'],
    ['other tools or another schema', { now: { ...now, toolsDigest: 'u' } }, 'fresh: session-differs'],
    ['an agent that failed V1 to V4', { canResume: false }, 'fresh: cannot-resume'],
    ['the session is lost', { lost: 'session' }, 'fresh: session-lost'],
    ['the snapshot is lost', { lost: 'snapshot' }, 'fresh: session-lost'],
    ['the diff could not be made', { lost: 'diff' }, 'fresh: session-lost'],
    ['final validation', { isFinalValidation: true }, 'resumed: final-validation'],
    ['final validation has no size guard', { isFinalValidation: true, deltaLength: 1e6 }, 'resumed: final-validation'],
    ['final validation, nothing changed', { isFinalValidation: true, changed: false }, 'resumed: final-validation'],
    ['final validation with a lost session', { isFinalValidation: true, lost: 'session' }, 'fresh: session-lost'],
    ['nothing changed', { changed: false }, 'fresh: no-changes'],
    ['nothing changed, for the implementer', { who: 'implementer', changed: false }, 'resumed: delta'],
    ['a cold cache, and fresh is cheaper', { cost: cold }, 'fresh: resume-dearer'],
    ['a cold cache, and fresh is dearer', { cost: { ...cold, freshIsCheaper: false } }, 'resumed: delta'],
    ['a warm cache', { cost: { ...cold, cacheExpired: false } }, 'resumed: delta'],
    ['half of the first prompt', { deltaLength: 10_202 }, 'resumed: delta'],
    ['one character more', { deltaLength: 10_203 }, 'fresh: delta-too-large'],
    ['what a fresh one would read counts', { deltaLength: 10_203, mustReadLength: 2 }, 'resumed: delta'],
    ['half of both', { deltaLength: 20_202, mustReadLength: 20_000 }, 'resumed: delta'],
    ['one more than half of both', { deltaLength: 20_203, mustReadLength: 20_000 }, 'fresh: delta-too-large'],
    ['there is nothing to read', { deltaLength: 10_203, mustReadLength: 0 }, 'fresh: delta-too-large'],
    ['the implementer has the guard too', { who: 'implementer', deltaLength: 10_203 }, 'fresh: delta-too-large'],
  ])('%s', (_title, facts, expected) => {
    const plan = decideDispatch({ ...usual, ...facts });
    expect(`${plan.kind}: ${plan.why}`).toBe(expected);
  });

  test('a resumed plan names the session', () => {
    expect(decideDispatch(usual)).toEqual({ kind: 'resumed', why: 'delta', session });
  });

  test('allows exactly half of an odd length', () => {
    expect(deltaLimit({ firstPromptLength: 915 })).toBe(457.5);
  });

  test('allows half of the prompt and of the documents to read', () => {
    expect(deltaLimit({ firstPromptLength: 914 }, 16_000)).toBe(8457);
  });
});
