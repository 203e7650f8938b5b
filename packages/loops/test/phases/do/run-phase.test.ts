import type { RepoPath } from '@onceover/base/kernel/ids';
import { fails } from '@onceover/testing/memory/reviewers.ts';
import { Crash, crashing } from '@onceover/testing/phase/crash.ts';
import {
  APPROVES,
  at,
  CODE,
  having,
  objects,
  openScene,
  type Scene,
  type SceneOptions,
  writes,
} from '@onceover/testing/phase/scene.ts';
import { describe, expect, test } from 'vitest';
import { previewPhase } from '../../../src/phases/do/run-phase.ts';
import { phasePlanSchema } from '../../../src/phases/json-schema.ts';
import type { PhaseOutcome, PhaseRequest } from '../../../src/phases/run-types.ts';

const SPEC = at('spec.md');
const headings = (scene: Scene) =>
  (scene.history().match(/^## .*$/gm) ?? []).map((line) =>
    line.replace(/^## (.*?)(?: - \d{4}-\S+)( \[FINAL VALIDATION\])?$/, '$1$2'),
  );

/** A call of `--step`, with the summary of the last fix. */
const step = (summary: string | null = null, keepSessions = false): Partial<PhaseRequest> => ({
  fixing: { by: 'caller', summary, keepSessions },
});

/** Writes to the document and reports it in the next call. */
function mend(scene: Scene, text: string, keepSessions = false): Promise<PhaseOutcome> {
  scene.git.write(SPEC, `# Spec\n\n${text}\n`);
  return scene.play(step(`Now: ${text}`, keepSessions));
}

const twice: SceneOptions = { says: { 'spec-reviewer': [objects('one'), objects('two')] } };

describe('one call per round', () => {
  test('waits with open issues, continues after the fix, and ends', async () => {
    const scene = openScene(twice);
    const first = await scene.play(step());
    expect([first.end, first.exitCode]).toEqual([null, 1]);
    expect(first.open).toMatchObject([{ role: 'spec-reviewer', issue: { description: 'one' } }]);
    const second = await mend(scene, 'better');
    expect(second.open).toMatchObject([{ issue: { description: 'two' } }]);
    const third = await mend(scene, 'good');
    expect([third.end?.why, third.exitCode]).toEqual(['approved', 0]);
    expect(headings(scene)).toEqual([
      'Stage 1: Spec-Reviewer Review - Iteration 1',
      'Stage 1: Spec-Reviewer Review - Iteration 2',
      'Stage 1: Spec-Reviewer Review - Iteration 3',
      'Stage 2: Phase Review - Iteration 1',
    ]);
    expect(scene.history()).toMatch(
      /Iteration 1 [\s\S]*?\*\*Changes Made:\*\*\nNow: better\n[\s\S]*Iteration 2 [\s\S]*?\nNow: good\n/,
    );
    expect(third.run.rounds.map(({ entry }) => entry.round)).toEqual([1, 2, 3, 4]);
    expect(new Set([first, second, third].map(({ run }) => run.id)).size).toBe(1);
    expect(scene.commits()).toEqual([[SPEC], [SPEC]]);
  });

  test('--no-keep-sessions starts new sessions in every call, with the previous issues and the summary of the fix', async () => {
    const scene = openScene(twice);
    await scene.play(step());
    await mend(scene, 'better');
    await mend(scene, 'good');
    expect(scene.told()).toEqual([...Array(3).fill('spec-reviewer I1-R4'), 'phase-reviewer I1-R4']);
    expect(scene.puts[1]?.question.dynamic).toMatch(
      /This is iteration 2 of 5\.\nPrevious issues to re-evaluate:[\s\S]*one[\s\S]*Fix summary:\n.*\n```\nNow: better\n```/,
    );
    expect(scene.history()).not.toContain('RESUME-FALLBACK');
  });

  test('resumes the sessions of the call before, with the delta and the same stable part', async () => {
    const scene = openScene(twice);
    await scene.play(step(null, true));
    await mend(scene, 'better', true);
    await mend(scene, 'good', true);
    expect(scene.told()).toEqual([
      'spec-reviewer I1-R4',
      'spec-reviewer I2',
      'spec-reviewer I2',
      'phase-reviewer I1-R4',
    ]);
    expect(scene.puts.map(({ question }) => question.sessionId)).toEqual([null, 'ann-1', 'ann-1', null]);
    expect(scene.puts[1]?.question.stable).toBe(scene.puts[0]?.question.stable);
    expect(scene.puts[2]?.question.dynamic).toMatch(/-better\n[\s\S]*\+good\n/);
    expect(scene.puts[2]?.question.dynamic).not.toContain('It is fast.');
  });

  test('a call with --no-keep-sessions uses kept sessions, and keeps none for the next call', async () => {
    const scene = openScene(twice);
    await scene.play(step(null, true));
    await mend(scene, 'better', false);
    await mend(scene, 'good', true);
    expect(scene.told().slice(0, 3)).toEqual(['spec-reviewer I1-R4', 'spec-reviewer I2', 'spec-reviewer I1-R4']);
  });

  test('sessions last within a call: edits of a person in between appear as a delta', async () => {
    const scene = openScene({
      says: { 'spec-reviewer': [having(({ git }) => git.write(SPEC, '# Other\n'), APPROVES)] },
    });
    expect((await scene.play(step())).end?.why).toBe('approved');
    expect(scene.told().slice(0, 2)).toEqual(['spec-reviewer I1-R4', 'spec-reviewer I2']);
  });

  test('reports the open issues again without a summary, without calls or writes', async () => {
    const scene = openScene(twice);
    const first = await scene.play(step());
    const before = scene.history();
    scene.git.write(SPEC, '# Fixed without a summary\n');
    expect(await scene.play(step())).toMatchObject({
      end: null,
      open: first.open,
      exitCode: 1,
      run: { id: first.run.id },
    });
    expect([scene.puts.length, scene.history()]).toEqual([1, before]);
    expect(scene.commits()).toEqual([]);
  });

  test('refuses a summary if no loop waits', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('one')] } });
    const refusal = { ok: false, failure: { kind: 'no-waiting-loop', phase: 'specify', feature: 'docs/f' } };
    expect(await scene.try(step('Done.'))).toEqual(refusal);
    await scene.play(step());
    expect(await scene.try({ ...step('Done.'), phase: 'design' })).toMatchObject({
      ok: false,
      failure: { kind: 'no-waiting-loop' },
    });
    expect((await mend(scene, 'good')).end?.why).toBe('approved');
    expect(await scene.try(step('Done.'))).toEqual(refusal);
    expect(await scene.try({ ...step('Done.'), rerun: true })).toEqual(refusal);
    expect(scene.puts).toHaveLength(3);
  });

  test('reviews again in a new session if nothing changed; the second time the loop stops', async () => {
    const scene = openScene({ usually: { 'spec-reviewer': objects('no') } });
    await scene.play(step(null, true));
    expect((await scene.play(step('It is right as it is.', true))).end).toBeNull();
    const { end } = await scene.play(step('It is.', true));
    expect([end?.why, scene.told()]).toEqual(['stalled', ['spec-reviewer I1-R4', 'spec-reviewer I1-R4']]);
  });

  test('ignores other changes of the caller', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('one')] } });
    await scene.play(step());
    scene.git.write('README.md' as RepoPath, '# Mine\n');
    scene.git.write('onceover.yml' as RepoPath, 'concurrency: 2\n');
    expect((await mend(scene, 'good')).end?.why).toBe('approved');
    expect(scene.commits()).toEqual([[SPEC]]);
    expect(scene.puts[1]?.question.dynamic).not.toContain('README');
  });

  test('skips passed code reviewers across calls, and validates all at the end', async () => {
    const scene = openScene({ phase: 'implement', says: { 'security-reviewer': [objects('leaks')] } });
    await scene.play(step(null, true));
    scene.git.write(CODE, 'fixed\n');
    const { end } = await scene.play(step('Closed it.', true));
    expect(end?.why).toBe('approved');
    expect(scene.told().slice(3)).toEqual([
      'security-reviewer I2',
      'implementation-reviewer I2-FV',
      'code-quality-reviewer I2-FV',
      'security-reviewer I2-FV',
    ]);
    expect(headings(scene)).toEqual(['Iteration 1', 'Iteration 2', 'Iteration 2 [FINAL VALIDATION]']);
    expect(scene.history()).toContain('**Quality Review:** Skipped (passed iter 1)');
    expect(scene.commits()).toEqual([[CODE]]);
  });

  test('refuses an unreadable loop, except with --rerun', async () => {
    const scene = openScene();
    const loops = { ...scene.ports.loops, read: async () => ({ ok: true, value: 'unreadable' }) as const };
    expect(await scene.try(step(), { loops })).toEqual({
      ok: false,
      failure: { kind: 'unreadable-loop', phase: 'specify', feature: 'docs/f' },
    });
    expect(scene.puts).toEqual([]);
    expect((await scene.play({ ...step(), rerun: true }, { loops })).end?.why).toBe('approved');
  });

  test('does not continue a loop after a fixer has finished the phase', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('one')] } });
    const waiting = await scene.play(step());
    expect((await scene.play()).end?.why).toBe('approved');
    const again = await scene.play(step());
    expect(again.end?.why).toBe('approved');
    expect(again.run.id).not.toBe(waiting.run.id);
  });
});

describe('--rerun', () => {
  test('starts without sessions, statuses and counts, and appends to the history', async () => {
    const scene = openScene({
      phase: 'implement',
      says: { 'security-reviewer': [objects('leaks'), objects('leaks')] },
    });
    const first = await scene.play(step(null, true));
    scene.git.write(CODE, 'fixed by hand\n');
    const second = await scene.play({ ...step(null, true), rerun: true });
    expect(second.run.id).not.toBe(first.run.id);
    expect(scene.told().slice(3)).toEqual([
      'implementation-reviewer I1-R4',
      'code-quality-reviewer I1-R4',
      'security-reviewer I1-R4',
    ]);
    expect(scene.puts.every(({ question }) => question.sessionId === null)).toBe(true);
    expect(scene.puts.at(-1)?.question.dynamic).not.toMatch(/Previous issues|iteration 2/);
    expect(headings(scene)).toEqual(['Iteration 1', 'Iteration 1']);
    expect(second.run.rounds).toHaveLength(1);
    // The waiting loop is the new one.
    scene.git.write(CODE, 'fixed\n');
    expect((await scene.play(step('Closed it.', true))).run.id).toBe(second.run.id);
  });

  test('after an end: the same without --rerun', async () => {
    const scene = openScene();
    const [first, second] = [await scene.play(step()), await scene.play(step())];
    expect([first.end?.why, second.end?.why]).toEqual(['approved', 'approved']);
    expect(first.run.id).not.toBe(second.run.id);
    expect(headings(scene)).toHaveLength(4);
  });
});

describe('the cap', () => {
  const never: SceneOptions = { usually: { 'spec-reviewer': objects('never') } };
  const play = async (scene: Scene, fields: Partial<PhaseRequest> = {}) => {
    let outcome = await scene.play({ ...step(), ...fields });
    for (let n = 1; outcome.end === null && n < 9; n++) {
      scene.git.write(SPEC, `# Spec ${n}\n`);
      outcome = await scene.play({ ...step(`Fix ${n}.`), ...fields, mostIterations: null });
    }
    return outcome;
  };

  test('five reviews of a loop, then the phase-reviewer, and exit code 1', async () => {
    const scene = openScene(never);
    const { end, exitCode, open } = await play(scene);
    expect([end?.status, end?.why, exitCode, open.length]).toEqual(['cap', 'cap', 1, 1]);
    expect(scene.told()).toEqual([...Array(5).fill('spec-reviewer I1-R4'), 'phase-reviewer I1-R4']);
    expect(scene.puts.at(-1)?.question.dynamic).toMatch(/FAILED at iteration cap \(5\/5\)[\s\S]*never/);
    expect(scene.meta()).toMatchObject({
      phases: { specify: { completed: null, reviewerNotes: ['[blocker] spec-reviewer: never'] } },
    });
    expect(scene.meta()).not.toHaveProperty('lastCompletedPhase');
    expect(scene.commits()).toHaveLength(4);
  });

  test('--max-iterations is given once and applies to later calls', async () => {
    const scene = openScene(never);
    expect((await play(scene, { mostIterations: 2 })).end?.status).toBe('cap');
    expect(scene.told()).toEqual(['spec-reviewer I1-R4', 'spec-reviewer I1-R4', 'phase-reviewer I1-R4']);
  });

  test('--accept-with-notes accepts the open issues', async () => {
    const scene = openScene(never);
    const { end, exitCode, open } = await play(scene, { acceptWithNotes: true });
    expect([end?.status, end?.why, exitCode, open.length]).toEqual(['approved', 'accepted-with-notes', 0, 1]);
    expect(scene.meta()).toMatchObject({
      lastCompletedPhase: 'specify',
      phases: {
        specify: { reviewerNotes: ['[blocker] spec-reviewer: never'], stages: { specReview: { approved: false } } },
      },
    });
  });

  test('--accept-with-notes after the cap calls no agent, unless the content changed', async () => {
    const scene = openScene(never);
    await play(scene, { mostIterations: 1 });
    const callCount = scene.puts.length;
    const otherScene = openScene(never);
    await play(otherScene, { mostIterations: 1 });
    otherScene.git.write(SPEC, '# Another\n');
    expect((await scene.play({ ...step(), acceptWithNotes: true })).end?.why).toBe('accepted-with-notes');
    expect(scene.puts).toHaveLength(callCount);
    expect((await otherScene.play({ ...step(), acceptWithNotes: true, mostIterations: 1 })).end?.why).toBe(
      'accepted-with-notes',
    );
    expect(otherScene.puts.length).toBeGreaterThan(callCount);
  });
});

describe('a call that is cut off', () => {
  test('by a failing agent: the round runs again under its number, with one entry', async () => {
    const scene = openScene({
      says: { 'spec-reviewer': [objects('one'), fails({ kind: 'agent-error', said: 'down' })] },
    });
    await scene.play(step());
    expect((await mend(scene, 'better')).end?.why).toBe('reviewer-failed');
    expect(headings(scene)).toHaveLength(2);
    const third = await scene.play(step());
    expect(third.end?.why).toBe('approved');
    expect(headings(scene)).toEqual([
      'Stage 1: Spec-Reviewer Review - Iteration 1',
      'Stage 1: Spec-Reviewer Review - Iteration 2',
      'Stage 2: Phase Review - Iteration 1',
    ]);
    expect(scene.history()).toContain('Now: better');
    expect(third.run.rounds.map(({ entry }) => entry.round)).toEqual([1, 2, 3]);
    // The ledger still has the paid calls.
    expect((await scene.ledger()).map(({ status }) => status)).toEqual(['fail', 'error', 'pass', 'pass']);
  });

  test('the same summary runs the round again; another one is refused until then', async () => {
    const down = fails({ kind: 'agent-error', said: 'down' });
    const scene = openScene({ says: { 'spec-reviewer': [objects('one'), down, down, APPROVES] } });
    await scene.play(step());
    expect((await mend(scene, 'better')).end?.why).toBe('reviewer-failed');
    expect((await mend(scene, 'better')).end?.why).toBe('reviewer-failed');
    expect(await scene.try(step('And more.'))).toEqual({
      ok: false,
      failure: { kind: 'unjudged-round', phase: 'specify', feature: 'docs/f' },
    });
    const last = await mend(scene, 'better');
    expect([last.end?.why, last.run.rounds.length]).toEqual(['approved', 3]);
    expect(scene.history().match(/^Now: better$/gm)).toHaveLength(1);
  });

  test('by an interrupt', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [having(({ stop }) => stop.abort(), APPROVES)] } });
    expect((await scene.play(step())).end?.why).toBe('interrupted');
    expect((await scene.play({ ...step(), stop: null })).end?.why).toBe('approved');
    expect(headings(scene)).toEqual([
      'Stage 1: Spec-Reviewer Review - Iteration 1',
      'Stage 2: Phase Review - Iteration 1',
    ]);
  });

  /** Reviewers that judge by the current content, so that the number of calls does not matter. */
  const judging = (): SceneOptions => ({
    usually: {
      'spec-reviewer': (_, scene) => (scene.read(SPEC).includes('tested') ? APPROVES : objects('not testable')),
      'phase-reviewer': (_, scene) => (scene.read(SPEC).includes('handed over') ? APPROVES : objects('not complete')),
    },
  });

  /** Plays a caller that fixes open issues until the phase ends, and repeats a call that crashed. */
  async function untilEnd(scene: Scene, keepSessions: boolean, crashAt: number | null) {
    let [effects, crashes] = [0, 0];
    let effectsLeft = crashAt;
    const call = async (summary: string | null): Promise<PhaseOutcome | 'crashed'> => {
      const process = crashing(scene.ports, effectsLeft ?? Number.MAX_SAFE_INTEGER);
      try {
        const outcome = await scene.play(step(summary, keepSessions), process.ports);
        if (effectsLeft !== null) effectsLeft -= process.effects();
        effects += process.effects();
        return outcome;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        effectsLeft = null;
        crashes++;
        return 'crashed';
      }
    };
    for (let calls = 0; calls < 12; calls++) {
      const result = await call(null);
      if (result === 'crashed') continue;
      if (result.end !== null) return { outcome: result, effects, crashes };
      const text = result.open[0]?.issue.description === 'not testable' ? 'tested' : 'tested, handed over';
      scene.git.write(SPEC, `# Spec\n\n${text}\n`);
      const next = await call(`Now: ${text}`);
      if (next !== 'crashed' && next.end !== null) return { outcome: next, effects, crashes };
    }
    throw new Error('it does not end');
  }

  test.each([
    ['sessions are not kept', false],
    ['sessions are kept', true],
  ])('at every point, %s: one entry per round, and no false approval', async (_title, keep) => {
    const whole = openScene(judging());
    const { outcome, effects } = await untilEnd(whole, keep, null);
    const expected = [
      'Stage 1: Spec-Reviewer Review - Iteration 1',
      'Stage 1: Spec-Reviewer Review - Iteration 2',
      'Stage 2: Phase Review - Iteration 1',
      'Stage 2: Phase Review - Iteration 2',
    ];
    expect([outcome.end?.why, headings(whole)]).toEqual(['approved', expected]);
    expect(effects).toBeGreaterThan(40);
    for (let at = 0; at < effects; at++) {
      const scene = openScene(judging());
      const end = await untilEnd(scene, keep, at);
      expect([end.crashes, end.outcome.end?.why], `${at}`).toEqual([1, 'approved']);
      expect(headings(scene), `${at}`).toEqual(expected);
      expect(end.outcome.run.rounds.map(({ entry }) => entry.round)).toEqual([1, 2, 3, 4]);
      expect(scene.history().match(/^Now: tested$/gm), `${at}`).toHaveLength(1);
      expect(scene.history().match(/^Now: tested, handed over$/gm), `${at}`).toHaveLength(1);
      expect(scene.meta()).toMatchObject({ lastCompletedPhase: 'specify', phases: { specify: { iterations: 4 } } });
      // At most the interrupted review runs twice.
      expect(scene.puts.length, `${at}`).toBeLessThanOrEqual(whole.puts.length + 1);
      expect(scene.commits()).toEqual([[SPEC], [SPEC]]);
    }
  });
});

describe('--dry-run', () => {
  const preview = async (scene: Scene, request: Partial<PhaseRequest> = {}) => {
    const plan = await previewPhase(scene.ports, { ...scene.request, ...request });
    if (!plan.ok) throw new Error(plan.failure.kind);
    expect(phasePlanSchema.strict().parse(plan.value)).toEqual(plan.value);
    return plan.value;
  };
  const lengthOf = ({ question: { stable, dynamic, sessionId } }: Scene['puts'][number]) =>
    (sessionId === null ? `${stable}\n\n${dynamic}` : dynamic).length;

  test('lists the next calls without making them or writing anything', async () => {
    const scene = openScene();
    const before = scene.git.now();
    const plan = await preview(scene);
    expect([scene.puts, scene.events, scene.git.now()]).toEqual([[], [], before]);
    expect(plan).toMatchObject({
      artifact: SPEC,
      required: [at('prd.md'), SPEC],
      fixing: { by: 'fixer', agent: 'fay' },
      max_iterations: 5,
      goes_on: null,
      dispatches: [{ role: 'spec-reviewer', agent: 'ann', dispatch: 'fresh', why: 'first-look' }],
    });
    await scene.play();
    expect(scene.puts[0] && lengthOf(scene.puts[0])).toBe(plan.dispatches[0]?.prompt_chars);
  });

  test.each([
    [false, 'fresh'],
    [true, 'resumed'],
  ] as const)('a waiting loop (sessions kept: %s): the calls after the fix', async (keep, dispatch) => {
    const scene = openScene(twice);
    await scene.play(step(null, keep));
    scene.git.write(SPEC, '# Spec\n\nBetter.\n');
    const plan = await preview(scene, step(null, keep));
    expect(plan).toMatchObject({
      fixing: { by: 'caller', agent: null },
      goes_on: { round: 1, waiting: [{ role: 'spec-reviewer', severity: 'blocker' }] },
      dispatches: [{ role: 'spec-reviewer', dispatch }],
    });
    expect(scene.puts).toHaveLength(1);
    await scene.play(step('', keep));
    expect(scene.puts[1] && lengthOf(scene.puts[1])).toBe(plan.dispatches[0]?.prompt_chars);
  });

  test('code, with its preparations', async () => {
    const scene = openScene({ phase: 'implement' });
    const preparations = [{ role: 'code-simplifier', part: null }] as const;
    expect((await preview(scene, { preparations })).dispatches).toMatchObject([
      { role: 'code-simplifier', agent: 'fay' },
    ]);
    expect((await preview(scene)).dispatches.map(({ role }) => role)).toEqual([
      'implementation-reviewer',
      'code-quality-reviewer',
      'security-reviewer',
    ]);
  });

  test('a corrupt .meta.json stays where it is', async () => {
    const scene = openScene();
    scene.git.write(at('.meta.json'), 'oh');
    expect((await preview(scene)).warnings).toEqual([expect.stringContaining('docs/f/.meta.json is unreadable')]);
    expect(scene.read(at('.meta.json'))).toBe('oh');
  });
});

test('a loop with a fixer replaces a waiting loop, even if it is cut off', async () => {
  const scene = openScene({
    says: { 'spec-reviewer': [objects('no load'), fails({ kind: 'agent-error', said: 'down' })] },
    usually: { 'spec-reviewer': fails({ kind: 'agent-error', said: 'down' }) },
  });
  await scene.play(step());
  expect((await scene.play()).end?.why).toBe('reviewer-failed');
  expect(await scene.try(step('Fixed.'))).toMatchObject({ ok: false, failure: { kind: 'no-waiting-loop' } });
});

test("a caller's summary cannot end its history entry", async () => {
  const scene = openScene({ says: { 'spec-reviewer': [objects('one')], implementer: [writes(SPEC, 'x')] } });
  await scene.play(step());
  scene.git.write(SPEC, '# Better\n');
  await scene.play(step('Better.\n---\n## Iteration 9\nRESUME-FALLBACK: x iteration 1 — y'));
  expect(headings(scene)).toHaveLength(3);
  expect(scene.history()).not.toContain('RESUME-FALLBACK');
});
