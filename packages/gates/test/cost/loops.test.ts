import type { LoopDispatch } from '@onceover/agents/ledger/entries';
import type { Usage } from '@onceover/base/kernel/agent';
import { dispatchesOf } from '@onceover/loops/src/phases/decide/outcome.ts';
import { fail, gone, Player, phaseSetup } from '@onceover/testing/phase/player.ts';
import { describe, expect, test } from 'vitest';
import { loopCost } from '../../src/cost/loops.ts';

const SPEC = 'spec-reviewer';
const used = (inputTokens: number, cacheWriteTokens = 0, cachedInputTokens = 0): Usage => {
  return { inputTokens, cacheWriteTokens, cachedInputTokens, outputTokens: 7, costUsd: null };
};

function dispatch(more: Partial<LoopDispatch> = {}, chars = 1000, usage: Usage | null = null): LoopDispatch {
  return {
    ...{ feature: 'f', phase: 'specify', stage: 'domain', run: 'r', role: SPEC, iteration: 1 },
    ...{ isFinalValidation: false, template: 'I1-R4', why: 'first-look' },
    ...{ fellBack: false, guarded: false, warned: false },
    ...{ asks: 1, promptChars: chars, freshChars: 1000, usage },
    ...more,
  };
}

const resumed = (iteration: number, chars: number, more: Partial<LoopDispatch> = {}, usage: Usage | null = null) =>
  dispatch({ iteration, template: 'I2', why: 'delta', ...more }, chars, usage);

const loop = (chars: number, run = 'r') => [dispatch({ run }), ...[2, 3, 4, 5].map((n) => resumed(n, chars, { run }))];

describe('loopCost', () => {
  test('compares characters with new sessions', () => {
    expect(loopCost(loop(100)).compared.characters).toEqual({ sent: 1400, fresh: 5000, ratio: 0.28 });
    expect(loopCost([]).compared.characters).toEqual({ sent: 0, fresh: 0, ratio: null });
  });

  test.each<[number, number]>([
    [374, 0],
    [375, 1],
    [900, 1],
  ])('names loops of five iterations that send half or more: %i characters per round', (chars, named) => {
    const { of, not_so } = loopCost(loop(chars)).five_iterations_under_half;
    expect([of, not_so.length]).toEqual([1, named]);
  });

  test('ignores shorter loops, other runs and fixers for the five iterations', () => {
    expect(loopCost([...loop(100).slice(0, 4), ...loop(100, 'again').slice(0, 4)]).five_iterations_under_half.of).toBe(
      0,
    );
    const fixes = [2, 3, 4, 5].map((n) => resumed(n, 5000, { role: 'implementer', template: 'I7-resumed' }));
    expect(loopCost([...loop(100), ...fixes]).five_iterations_under_half.not_so).toEqual([]);
  });

  test('names resumed prompts that are not shorter than the first prompt', () => {
    const longer = resumed(3, 1000);
    const named = (...dispatches: LoopDispatch[]) => loopCost(dispatches).resumed_prompts_shorter.not_so;
    expect(named(dispatch(), resumed(2, 999), longer)).toEqual([
      {
        ...{ feature: 'f', phase: 'specify', stage: 'domain', run: 'r', role: SPEC, iteration: 3 },
        ...{ final_validation: false, prompt_chars: 1000 },
      },
    ]);
    expect(named(dispatch(), dispatch({ iteration: 2, why: 'delta-too-large' }, 2000), longer)).toEqual([]);
  });

  test('compares reported tokens, also weighted by cache prices', () => {
    const { compared } = loopCost([
      dispatch({}, 1000, used(100, 400)),
      resumed(2, 100, {}, used(10, 40, 500)),
      resumed(3, 100),
    ]);
    expect(compared.input_tokens).toEqual({ sent: 1050, fresh_estimate: 1000, ratio: 1.05 });
    expect(compared.weighted_input_tokens).toMatchObject({ sent: 600 + 10 + 50 + 50, fresh_estimate: 1200 });
    expect(compared.dispatches_without_usage).toBe(1);
  });

  test.each<[number, number]>([
    [1400, 300],
    [600, 100],
  ])('estimates a new session whose prompt has %i characters by now', (freshChars, expected) => {
    const later = resumed(2, 100, {}, used(1));
    const { compared } = loopCost([dispatch({}, 1000, used(100)), { ...later, freshChars }]);
    expect(compared.input_tokens.fresh_estimate).toBe(expected);
  });
});

describe('rates of loopCost', () => {
  const many = (n: number, one: LoopDispatch) => Array.from({ length: n }, () => one);

  test('the guard per role, with code and fixers, without first reviews and final validations [REUSE-MON/delta-guard-rate]', () => {
    const guarded = { why: 'delta-too-large', guarded: true } as const;
    const { rates } = loopCost([
      dispatch(),
      dispatch(guarded),
      ...many(3, resumed(2, 1)),
      dispatch({ role: 'phase-reviewer', ...guarded }),
      resumed(2, 1, { phase: 'implement', role: 'security-reviewer' }),
      resumed(2, 1, { phase: 'implement', role: 'security-reviewer', isFinalValidation: true }),
      resumed(2, 1, { role: 'implementer' }),
    ]);
    expect(rates.delta_guard_by_role).toEqual([
      { role: 'implementer', count: 0, of: 1, rate: 0 },
      { role: 'phase-reviewer', count: 1, of: 1, rate: 1 },
      { role: 'security-reviewer', count: 0, of: 1, rate: 0 },
      { role: 'spec-reviewer', count: 1, of: 4, rate: 0.25 },
    ]);
  });

  test.each<
    [string, 'resume_fallback' | 'delta_guard' | 'lazy_load_warning', readonly LoopDispatch[], number, boolean]
  >([
    [
      'a fifth of the resumes fell back [REUSE-MON/resume-fallback-rate]',
      'resume_fallback',
      [...many(4, resumed(2, 1)), dispatch({ template: 'I3', why: 'resume-failed', fellBack: true })],
      0.2,
      false,
    ],
    [
      'more than a fifth [REUSE-MON/resume-fallback-rate]',
      'resume_fallback',
      [...many(3, resumed(2, 1)), dispatch({ template: 'I3', why: 'resume-failed', fellBack: true })],
      0.25,
      true,
    ],
    [
      'the guard trips in half of the iterations that it could [REUSE-MON/delta-guard-rate]',
      'delta_guard',
      [dispatch(), resumed(2, 1), dispatch({ why: 'delta-too-large', guarded: true })],
      0.5,
      false,
    ],
    [
      'the guard trips more often; that of code is another matter [REUSE-MON/delta-guard-rate]',
      'delta_guard',
      [resumed(2, 1, { phase: 'implement' }), dispatch({ why: 'delta-too-large', guarded: true })],
      1,
      true,
    ],
    [
      'a fifth of those that must read did not confirm it [REUSE-MON/lazy-load-warning-rate]',
      'lazy_load_warning',
      [...many(4, dispatch()), dispatch({ warned: true }), resumed(2, 1)],
      0.2,
      false,
    ],
    [
      'more than a fifth [REUSE-MON/lazy-load-warning-rate]',
      'lazy_load_warning',
      [...many(3, dispatch()), dispatch({ warned: true })],
      0.25,
      true,
    ],
  ])('%s', (_title, which, dispatches, rate, exceeded) => {
    const features = ['a', 'b', 'c'].flatMap((feature) => dispatches.map((one) => ({ ...one, feature })));
    expect(loopCost(features).rates[which]).toMatchObject({ rate, exceeded });
    expect(loopCost(dispatches).rates[which]).toMatchObject({ rate, exceeded: null, action: null });
  });

  test('are null if nothing could happen', () => {
    expect(loopCost([]).rates.resume_fallback).toMatchObject({ of: 0, rate: null });
    const nothingResumed = ['a', 'b', 'c'].map((feature) => dispatch({ feature }));
    expect(loopCost(nothingResumed).rates.resume_fallback).toMatchObject({ rate: null, exceeded: false });
  });

  test('are judged from three features on [REUSE-MON/after-three-features]', () => {
    const of = (...features: string[]) => loopCost(features.map((feature) => dispatch({ feature }))).rates.judged;
    expect([of('a', 'b'), of('a', 'b', 'b'), of('a', 'b', 'c')]).toEqual([false, false, true]);
  });
});

test('returns the recorded calls of a loop: reviews, and the fix after them', () => {
  const play = new Player(phaseSetup('specify')).snapshot().answer(SPEC, fail, { readsConfirmed: false });
  play.fix().commit().snapshot().measure(SPEC);
  play.answer(SPEC, fail, play.fellBack(SPEC, gone)).measure('implementer');
  play.fix();
  const fixes = play.all.flatMap((action) => (action.kind === 'record-fix' ? [action] : []));
  const all = play.entries.flatMap((entry, n) => dispatchesOf(entry, fixes[n] ?? null, { feature: 'f', run: 'r' }));
  expect(all.map(({ role, template, fellBack, warned }) => [role, template, fellBack, warned])).toEqual([
    [SPEC, 'I1-R4', false, true],
    ['implementer', 'I7-fresh', false, false],
    [SPEC, 'I3', true, false],
    ['implementer', 'I7-resumed', false, false],
  ]);
  const [entry] = play.entries;
  expect(entry && dispatchesOf(entry, null, { feature: 'f', run: 'r' })).toHaveLength(1);
});
