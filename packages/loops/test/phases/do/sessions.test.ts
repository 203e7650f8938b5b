import type { AgentFailure } from '@onceover/base/kernel/agent';
import type { ReviewerFacts } from '@onceover/base/kernel/ports';
import type { Commits } from '@onceover/base/kernel/repository';
import type { RoleName } from '@onceover/base/kernel/review-loops';
import { answers, fails } from '@onceover/testing/memory/reviewers.ts';
import {
  APPROVES,
  at,
  CODE,
  FEATURE,
  garbage,
  having,
  objects,
  openScene,
  type Scene,
  type Word,
  writes,
} from '@onceover/testing/phase/scene.ts';
import { describe, expect, test } from 'vitest';

const SPEC = at('spec.md');
const GONE: AgentFailure = { kind: 'session-lost', said: 'No conversation found with session ID: ann-1' };
const DOWN: AgentFailure = { kind: 'agent-error', said: 'down' };
const sessions = ({ puts }: Scene, role: RoleName) =>
  puts.filter((put) => put.role === role).map(({ question }) => question.sessionId);
const marks = (scene: Scene) =>
  scene
    .history()
    .split('\n')
    .filter((line) => /^[A-Z]+-[A-Z-]+:/.test(line));
const fixes = (n: number): Word => writes(SPEC, `# Spec\n\nText ${n}.\n`, { summary: `Fix ${n}.` });
const FIXES = Array.from({ length: 5 }, (_, n) => fixes(n + 1));

describe('a lost session in the middle', () => {
  test('one line, a new session with the previous issues, then resumed again [REUSE-R1.6/marker] [REUSE-NFR2] [REUSE-NFR2/simulated-failure] [REUSE-TEST/fallback-tracking] [REUSE-I3/marker]', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('no load'), objects('no unit'), fails(GONE), objects('no date')],
        implementer: FIXES,
      },
    });
    const { end, run } = await scene.play();
    expect(end?.why).toBe('approved');
    expect(scene.told().filter((call) => call.startsWith('spec'))).toEqual([
      'spec-reviewer I1-R4',
      'spec-reviewer I2',
      'spec-reviewer I2',
      'spec-reviewer I3',
      'spec-reviewer I2',
    ]);
    expect(marks(scene)).toEqual([
      'RESUME-FALLBACK: spec-reviewer iteration 3 — no longer has its session: No conversation found with session ID: ann-1',
    ]);
    // Within the entry of its iteration, which is still one entry.
    const entry = scene
      .history()
      .split('\n---\n')
      .find((text) => text.includes('Iteration 3'));
    expect(entry).toContain('RESUME-FALLBACK');
    expect(run.rounds.map(({ entry: { iteration } }) => iteration)).toEqual([1, 2, 3, 4, 1]);
    const [, , , fallback] = scene.puts.filter(({ role }) => role === 'spec-reviewer');
    expect(fallback?.question.dynamic).toMatch(
      /# Spec\n\nText 2\.[\s\S]*\(Fresh dispatch — prior review session unavailable\.\)/,
    );
    expect(fallback?.question.dynamic).toMatch(/Previous issues to re-evaluate:[\s\S]*no unit/);
    expect(fallback?.question.dynamic).not.toContain('no load');
    expect(sessions(scene, 'spec-reviewer')).toEqual([null, 'ann-1', 'ann-1', null, 'ann-4']);
  });

  test('of the implementer', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('one'), objects('two'), objects('three')],
        implementer: [fixes(1), fails(GONE), fixes(2), fixes(3)],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told().filter((call) => call.startsWith('implementer'))).toEqual([
      'implementer I7-fresh',
      'implementer I7-resumed',
      'implementer I7-fresh',
      'implementer I7-resumed',
    ]);
    expect(marks(scene)).toEqual([
      expect.stringMatching(/^RESUME-FALLBACK: implementer iteration 2 — no longer has its session/),
    ]);
    expect(scene.puts.filter(({ role }) => role === 'implementer')[2]?.question.dynamic).toContain(
      '(Fresh dispatch — prior fix session unavailable.)',
    );
    expect(sessions(scene, 'implementer')).toEqual([null, 'fay-1', null, 'fay-3']);
  });

  test('in final validation: a new session with everything that a first review has [REUSE-MATRIX/final-validation-resume-error/full]', async () => {
    const scene = openScene({
      phase: 'implement',
      says: {
        'code-quality-reviewer': [objects('messy')],
        'security-reviewer': [APPROVES, fails(GONE)],
        implementer: [writes(CODE, 'tidy\n')],
      },
    });
    const { end } = await scene.play();
    expect(end?.why).toBe('approved');
    const security = scene.puts.filter(({ role }) => role === 'security-reviewer');
    expect(security.map(({ template }) => template)).toEqual(['I1-R4', 'I2-FV', 'I3']);
    const [first, , last] = security.map(({ question }) => question);
    expect(last?.stable).toBe(first?.stable);
    expect(last?.dynamic).toContain('## Implementation Files\n\nOpen and read them yourself:\n\n- src/a.ts');
    expect(last?.dynamic).toContain('This is iteration 2 of 5.');
    expect(marks(scene)).toHaveLength(1);
    expect(scene.history()).toMatch(/\[FINAL VALIDATION\][\s\S]*RESUME-FALLBACK: security-reviewer iteration 2/);
  });
});

describe('failed resumes', () => {
  test.each<[string, readonly Word[]]>([
    ['an unknown session', [fails(GONE)]],
    ['an error of the agent', [fails(DOWN)]],
    ['another session id', [fails({ kind: 'wrong-session', asked: 'ann-1', got: 'x' })]],
    ['no tokens spent', [fails({ kind: 'no-tokens' })]],
    ['silence', [fails({ kind: 'idle', seconds: 9 })]],
    ['a timeout', [fails({ kind: 'timeout', seconds: 9 })]],
    ['an empty answer', [garbage('')]],
    ['an unreadable answer, twice', [garbage(), garbage()]],
  ])('%s', async (_title, words) => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('one'), ...words], implementer: FIXES } });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(marks(scene)).toEqual([expect.stringMatching(/^RESUME-FALLBACK: spec-reviewer iteration 2 — ./)]);
    expect(scene.told().filter((call) => call === 'spec-reviewer I3')).toHaveLength(1);
    expect(await scene.ledger()).toMatchObject([
      {},
      {},
      { fellBack: true, asks: words.length + 1 },
      { fellBack: false },
    ]);
  });

  test.each<[string, readonly Word[], number]>([
    ['a refusal', [objects('two')], 0],
    ['an answer that needs a repair call', [garbage(), objects('two')], 0],
    ['an answer a day later, from a cold cache', [objects('two')], 24 * 3_600_000],
  ])('%s is not a failed resume [REUSE-R1.6/only-errors]', async (_title, words, wait) => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('one'), ...words],
        implementer: [having((scene) => scene.wait(wait), fixes(1)), fixes(2)],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(marks(scene)).toEqual([]);
    expect(scene.told()).not.toContain('spec-reviewer I3');
  });
});

describe('the resumed session', () => {
  test('is the one that the last answer named', async () => {
    const answerWithId = (sessionId: string, answer: object) => answers(answer, { sessionId });
    const scene = openScene({
      says: {
        'spec-reviewer': [
          answerWithId('a', objects('1')),
          answerWithId('b', objects('2')),
          answerWithId('b', objects('3')),
        ],
        implementer: FIXES,
      },
    });
    await scene.play();
    expect(sessions(scene, 'spec-reviewer')).toEqual([null, 'a', 'b', 'b']);
  });

  test.each<[string, number, readonly (string | null)[]]>([
    ['of a resumed session: the session is resumed again', 2, [null, 'ann-1', 'ann-1']],
    ['of a new session: the next review is in a new one', 1, [null, null, 'ann-2']],
  ])('an answer without a session id, %s', async (_title, silent, expected) => {
    const scene = openScene({
      says: { 'spec-reviewer': [objects('1'), objects('2')], implementer: [fixes(1), fixes(2)] },
    });
    const { reviewers } = scene.ports;
    let reviews = 0;
    const ask: typeof reviewers.ask = async (name, ...options) => {
      const end = await reviewers.ask(name, ...options);
      if (name === 'ann') reviews += 1;
      const isSilent = end.ok && name === 'ann' && reviews === silent;
      return isSilent ? { ...end, reply: { ...end.reply, sessionId: null } } : end;
    };
    await scene.play({}, { reviewers: { ...reviewers, ask } });
    expect(sessions(scene, 'spec-reviewer')).toEqual(expected);
  });

  test.each<[string, Partial<ReviewerFacts>]>([
    ['version', { version: '1.0.1' }],
    ['tools', { toolsDigest: 'others' }],
  ])('is not one of another %s: that is a first review again, and not a failure', async (_title, differs) => {
    let facts: Partial<ReviewerFacts> = {};
    const change = () => {
      facts = differs;
    };
    const scene = openScene({
      says: { 'spec-reviewer': [objects('1'), objects('2')], implementer: [having(change, fixes(1)), fixes(2)] },
    });
    const { reviewers } = scene.ports;
    const describe = async (name: string) => ({ ...(await reviewers.describe(name)), ...facts });
    const { run } = await scene.play({}, { reviewers: { ...reviewers, describe } });
    expect(sessions(scene, 'spec-reviewer')).toEqual([null, null, 'ann-2']);
    expect(run.rounds[1]?.entry.looks[0]).toMatchObject({ template: 'I1-R4', why: 'session-differs' });
    expect(marks(scene)).toEqual([]);
  });

  test('the snapshot of its last review is missing: a new session with the previous issues', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('1'), objects('2')],
        implementer: [fixes(1), fixes(2)],
      },
    });
    let commits = 0;
    const commit: Commits['commit'] = (...args) => {
      if (commits++ === 0) scene.snapshots.collect();
      return scene.ports.commits.commit(...args);
    };
    expect((await scene.play({}, { commits: { commit } })).end?.why).toBe('approved');
    expect(scene.told().filter((call) => call.startsWith('spec'))).toEqual([
      'spec-reviewer I1-R4',
      'spec-reviewer I3',
      'spec-reviewer I2',
    ]);
    expect(marks(scene)).toEqual([
      'RESUME-FALLBACK: spec-reviewer iteration 2 — the snapshot of its last review is gone',
      'RESUME-FALLBACK: implementer iteration 2 — the snapshot of its last review is gone',
    ]);
  });

  test('resume_when_cold: false starts a new session if the cache is cold and a new session is cheaper', async () => {
    const play = async (resumeWhenCold: boolean) => {
      const slow = having((scene) => scene.wait(3_600_000), fixes(1));
      const scene = openScene({
        settings: { resumeWhenCold },
        says: { 'spec-reviewer': [objects('1'), objects('2')], implementer: [slow, fixes(2)] },
      });
      const { run } = await scene.play();
      return run.rounds.flatMap(({ entry }) => entry.looks.map(({ why }) => why));
    };
    expect(await play(true)).toEqual(['first-look', 'delta', 'delta', 'first-look']);
    expect(await play(false)).toEqual(['first-look', 'resume-dearer', 'delta', 'first-look']);
  });

  test('a longer cache lifetime is requested if rounds are far apart', async () => {
    const slow = (n: number) => having((scene) => scene.wait(6 * 60_000), fixes(n));
    const scene = openScene({
      says: { 'spec-reviewer': [objects('1'), objects('2')], implementer: [slow(1), slow(2)] },
    });
    await scene.play();
    const ttl = () =>
      scene.puts.filter(({ role }) => role === 'spec-reviewer').map(({ question }) => question.cacheTtl);
    expect(ttl()).toEqual(['5m', '1h', '1h']);
    // The next loop starts with the timing of the last one.
    await scene.play();
    expect(ttl()[3]).toBe('1h');
  });
});

describe('an agent that cannot be resumed', () => {
  const WHY = 'V2: session-lost: no such session';
  const loop = (ann: Partial<ReviewerFacts>) =>
    openScene({ agents: { ann }, says: { 'spec-reviewer': [objects('1'), objects('2')], implementer: FIXES } });

  test('gets a new session every time; .meta.json has the failed test [REUSE-R1.0/record-of-failure] [REUSE-I10/record] [REUSE-FILE-CHANGES/meta-json]', async () => {
    const scene = loop({ canResume: async () => false, deferredReason: async () => WHY });
    const { end, notices } = await scene.play();
    expect(end?.why).toBe('approved');
    expect(scene.told().filter((call) => call.startsWith('spec'))).toEqual(Array(3).fill('spec-reviewer I1-R4'));
    expect(scene.meta()['r1_deferred_reason']).toBe(WHY);
    expect(notices).toEqual([{ kind: 'not-resumed', agent: 'ann', why: WHY }]);
    expect(marks(scene)).toEqual([]);
    // The prompt has the previous issues all the same.
    expect(scene.puts[2]?.question.dynamic).toMatch(/Previous issues to re-evaluate:[\s\S]*1/);
  });

  test.each<[string, Partial<ReviewerFacts>]>([
    ['no failed test is known', { canResume: async () => false }],
    ['it can be resumed', { canResume: async () => true, deferredReason: async () => WHY }],
  ])('%s: .meta.json has no such field [REUSE-FILE-CHANGES/meta-json]', async (_title, ann) => {
    const scene = loop(ann);
    await scene.play();
    expect(scene.meta()).not.toHaveProperty('r1_deferred_reason');
  });

  test('the failed test of an earlier version is removed once sessions are resumed, and not before', async () => {
    let fails = true;
    const scene = openScene({
      agents: { ann: { canResume: async () => !fails, deferredReason: async () => (fails ? WHY : null) } },
      says: { 'spec-reviewer': [objects('1'), APPROVES, APPROVES, objects('2')], implementer: FIXES },
    });
    await scene.play();
    expect(scene.meta()['r1_deferred_reason']).toBe(WHY);
    fails = false;
    await scene.play();
    expect(scene.meta()['r1_deferred_reason']).toBe(WHY);
    await scene.play();
    expect(scene.told().filter((call) => call === 'spec-reviewer I2')).toHaveLength(1);
    expect(scene.meta()).not.toHaveProperty('r1_deferred_reason');
  });

  test('an agent that names no session fails V1: .meta.json says so [REUSE-R1.0/V1/blocked]', async () => {
    const scene = loop({ canResume: async () => true });
    const { ask } = scene.ports.reviewers;
    const reviewers: typeof scene.ports.reviewers = {
      ...scene.ports.reviewers,
      async ask(...args) {
        const end = await ask(...args);
        return end.ok ? { ...end, reply: { ...end.reply, sessionId: null } } : end;
      },
    };
    const { run } = await scene.play({}, { ...scene.ports, reviewers });
    expect(scene.meta()['r1_deferred_reason']).toBe('V1: it named no session');
    const whys = run.rounds.flatMap(({ entry }) => entry.looks.map(({ why }) => why));
    expect(whys).toEqual(['first-look', 'cannot-resume', 'cannot-resume', 'first-look']);
  });

  test('a phase without a resume does not mention it', async () => {
    const scene = openScene({ agents: { ann: { canResume: async () => false, deferredReason: async () => WHY } } });
    await scene.play();
    expect(scene.meta()).not.toHaveProperty('r1_deferred_reason');
  });
});

describe('another agent', () => {
  const TWO = { ann: {}, ben: {} };

  test('takes over from one that fails, and keeps the role', async () => {
    const scene = openScene({
      agents: TWO,
      says: { 'spec-reviewer': [fails(DOWN), objects('x')], implementer: FIXES },
    });
    const { end, run } = await scene.play();
    expect(end?.why).toBe('approved');
    const spec = scene.puts.filter(({ role }) => role === 'spec-reviewer');
    expect(spec.map(({ agent, template }) => `${agent} ${template}`)).toEqual(['ann I1-R4', 'ben I1-R4', 'ben I2']);
    expect(run.rounds[0]?.entry.looks[0]).toMatchObject({ agent: 'ben', why: 'other-agent', spent: { asks: 2 } });
    expect(scene.events).toContainEqual(
      expect.objectContaining({ kind: 'look-asked-again', role: 'spec-reviewer', agent: 'ben', mode: 'other-agent' }),
    );
  });

  test('is called once; then there is no verdict, and no approval', async () => {
    const scene = openScene({ agents: { ...TWO, cat: {} }, usually: { 'spec-reviewer': fails(DOWN) } });
    const { end, exitCode, run } = await scene.play();
    expect([end?.status, end?.why, end?.failure, exitCode]).toEqual(['error', 'reviewer-failed', DOWN, 3]);
    expect(scene.puts.map(({ agent }) => agent)).toEqual(['ann', 'ben']);
    expect(run.rounds[0]?.entry.errors).toMatchObject([{ role: 'spec-reviewer', agent: 'ben', failure: DOWN }]);
    expect(scene.history()).toMatch(/\*\*Decision:\*\* None\n\*\*No verdict:\*\* spec-reviewer/);
    expect(await scene.ledger()).toMatchObject([{ status: 'error', agent: 'ben', asks: 2 }]);
  });

  test('whose limit is shorter than the prompt is not sent the prompt', async () => {
    const scene = openScene({ agents: { ann: {}, ben: { diffLimit: 10 } }, usually: { 'spec-reviewer': fails(DOWN) } });
    const { end } = await scene.play();
    expect(end?.failure).toMatchObject({ kind: 'agent-error', said: expect.stringContaining('more than the 10') });
    expect(scene.puts.map(({ agent }) => agent)).toEqual(['ann']);
    expect(await scene.ledger()).toMatchObject([{ status: 'error', agent: 'ben', asks: 1 }]);
  });

  test('a limit starts a cooldown: the agent is not called again, in this loop or the next', async () => {
    const resetAt = new Date('2026-03-01T15:00:00.000Z');
    const scene = openScene({
      agents: TWO,
      says: { 'spec-reviewer': [fails({ kind: 'limit', said: 'enough', resetAt }), objects('x')], implementer: FIXES },
    });
    await scene.play();
    expect(await scene.ports.cooldowns.all(scene.ports.clock.now())).toEqual([
      { agent: 'ann', until: resetAt, said: 'enough' },
    ]);
    const callCount = scene.puts.length;
    await scene.play();
    expect(new Set(scene.puts.slice(callCount).map(({ agent }) => agent))).toEqual(new Set(['ben']));
  });

  test('a limit without an end lasts an hour; without another agent none is called', async () => {
    const scene = openScene({ usually: { 'spec-reviewer': fails({ kind: 'limit', said: 'enough', resetAt: null }) } });
    expect((await scene.play()).end?.why).toBe('reviewer-failed');
    expect(await scene.try()).toMatchObject({
      ok: false,
      failure: { kind: 'no-reviewer', cooling: [{ agent: 'ann' }] },
    });
    expect(scene.puts).toHaveLength(1);
    scene.wait(3_600_000);
    expect((await scene.play()).end?.why).toBe('reviewer-failed');
  });

  test('an agent that may not review here is not called', async () => {
    const scene = openScene({ agents: TWO });
    const refusing = (...names: readonly string[]) => ({
      reviewers: { ...scene.ports.reviewers, refused: new Map(names.map((name) => [name, 'tools/agent'])) },
    });
    await scene.play({}, refusing('ann'));
    expect(new Set(scene.puts.map(({ agent }) => agent))).toEqual(new Set(['ben']));
    expect(await scene.try({}, refusing('ann', 'ben'))).toMatchObject({ ok: false });
  });
});

describe('an unreadable answer', () => {
  test('is repaired in the same session; both calls count', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [garbage(), objects('x')], implementer: FIXES } });
    const { end, run } = await scene.play();
    expect(end?.why).toBe('approved');
    expect(scene.told().slice(0, 2)).toEqual(['spec-reviewer I1-R4', 'spec-reviewer repair']);
    expect(sessions(scene, 'spec-reviewer')).toEqual([null, 'ann-1', 'ann-1']);
    const [first, repair] = scene.puts.map(({ question }) => question);
    const length = `${first?.stable}\n\n${first?.dynamic}${repair?.dynamic}`.length;
    expect(run.rounds[0]?.entry.looks[0]?.spent).toMatchObject({ asks: 2, promptChars: length });
    expect(run.rounds[0]?.entry.looks[0]?.spent.usage?.inputTokens).toBe(200);
    expect([...scene.logs.written.values()][0]).toContain('I did it.');
  });

  test('in a resumed session: repaired, then requested in a new session, then no verdict', async () => {
    const words = [objects('x'), garbage(), garbage(), garbage(), garbage()];
    const scene = openScene({ says: { 'spec-reviewer': words, implementer: FIXES } });
    const { end, run } = await scene.play();
    expect(scene.told().slice(2)).toEqual([
      'spec-reviewer I2',
      'spec-reviewer repair',
      'spec-reviewer I3',
      'spec-reviewer repair',
    ]);
    expect(end).toMatchObject({ status: 'needs_work', why: 'reviewer-failed', failure: { kind: 'unreadable-answer' } });
    expect(run.rounds[1]?.entry.errors).toMatchObject([{ role: 'spec-reviewer', template: 'I3', spent: { asks: 4 } }]);
  });

  test('a repair prompt does not change the length that deltas are compared with', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [garbage(), objects('x')] } });
    await scene.play({ fixing: { by: 'caller', summary: null, keepSessions: true } });
    const loop = await scene.ports.loops.read('specify', FEATURE);
    const { stable, dynamic } = scene.puts[0]?.question ?? {};
    expect(loop).toMatchObject({
      value: {
        state: { resume: { 'spec-reviewer': { session: { firstPromptLength: `${stable}\n\n${dynamic}`.length } } } },
      },
    });
  });

  test('of a preparation is repaired too', async () => {
    const scene = openScene({ phase: 'implement', says: { 'code-simplifier': [garbage(), { summary: 'Simpler.' }] } });
    const { run } = await scene.play({ preparations: [{ role: 'code-simplifier', part: null }] });
    expect(scene.told().slice(0, 2)).toEqual(['code-simplifier prepare', 'code-simplifier repair']);
    expect(run.preparations).toMatchObject([{ role: 'code-simplifier', summary: 'Simpler.' }]);
  });

  test('is requested again with the whole prompt if there is no session', async () => {
    const scene = openScene({
      agents: { ann: { canResume: async () => false } },
      says: { 'spec-reviewer': [garbage()] },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.puts[1]?.question).toMatchObject({ sessionId: null, dynamic: expect.stringContaining('It is fast.') });
    expect(scene.told()[1]).toBe('spec-reviewer repair');
  });

  test('twice: there is no verdict', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [garbage(), garbage()] } });
    const { end } = await scene.play();
    expect(end).toMatchObject({ status: 'error', why: 'reviewer-failed', failure: { kind: 'unreadable-answer' } });
  });

  test.each([
    ['it rejected', '{"approved": false, "issues": [{"severity": "block'],
    ['it named blockers', '{"approved": true, "issues": [{"severity": "blocker", "description": "no load'],
  ])('%s, and approves when it repeats its answer: that is not an approval', async (_title, text) => {
    const scene = openScene({ says: { 'spec-reviewer': [garbage(text), APPROVES], implementer: [fixes(1)] } });
    const { run } = await scene.play();
    expect(run.rounds[0]?.entry.looks[0]).toMatchObject({ enginePass: false, answer: { approved: false } });
    expect(scene.told()[2]).toBe('implementer I7-fresh');
    expect(scene.puts[2]?.question.dynamic).toContain('a later answer approved');
  });
});

test('unconfirmed reads cause a warning in new sessions only, and no failure', async () => {
  const unreadAnswer = (answer: object) => answers(answer, { filesRead: [] });
  const scene = openScene({
    says: {
      'spec-reviewer': [unreadAnswer(objects('x')), unreadAnswer(APPROVES)],
      implementer: FIXES,
      'phase-reviewer': [unreadAnswer(APPROVES)],
    },
  });
  expect((await scene.play()).end?.why).toBe('approved');
  expect(marks(scene)).toEqual([
    'LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads',
    'LAZY-LOAD-WARNING: phase-reviewer did not confirm artifact reads',
  ]);
});
