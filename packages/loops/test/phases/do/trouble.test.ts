import type { Failure } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Snapshots } from '@onceover/base/kernel/repository';
import { err } from '@onceover/base/kernel/result';
import { answers, fails } from '@onceover/testing/memory/reviewers.ts';
import {
  APPROVES,
  at,
  CODE,
  having,
  objects,
  openScene,
  type PlayPorts,
  type Scene,
  type Word,
  writes,
} from '@onceover/testing/phase/scene.ts';
import { describe, expect, test } from 'vitest';

const SPEC = at('spec.md');
const fixes = (n: number): Word => writes(SPEC, `# Spec\n\nText ${n}.\n`, { summary: `Fix ${n}.` });
const writing = (path: RepoPath, text: string) => (scene: Scene) => scene.git.write(path, text);
const headings = (scene: Scene) => scene.history().match(/^## .*$/gm) ?? [];

describe('a person who edits while a loop runs', () => {
  test('during a review that passes: the pass does not count, and the reviewer runs again with the difference', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [having(writing(SPEC, '# Other\n'), APPROVES)] } });
    const { end, run } = await scene.play();
    expect(end?.why).toBe('approved');
    expect(scene.told()).toEqual(['spec-reviewer I1-R4', 'spec-reviewer I2', 'phase-reviewer I1-R4']);
    expect(scene.puts[1]?.question.dynamic).toContain('+# Other');
    expect(run.rounds.map(({ entry }) => entry.iteration)).toEqual([1, 2, 1]);
  });

  test('during the last review: unseen content is not approved', async () => {
    const scene = openScene({
      says: { 'phase-reviewer': [having(writing(SPEC, '# Other\n'), APPROVES), objects('this is not it')] },
    });
    const { end } = await scene.play({ fixing: { by: 'nobody' } });
    expect(end?.why).toBe('not-fixed');
    expect(scene.told().slice(1)).toEqual(['phase-reviewer I1-R4', 'phase-reviewer I2']);
  });

  test('during every review: the phase ends and says that it was disturbed', async () => {
    let n = 0;
    const scene = openScene({
      usually: { 'spec-reviewer': having((scene) => scene.git.write(SPEC, `# ${++n}\n`), APPROVES) },
    });
    const { end, exitCode } = await scene.play();
    expect([end?.status, end?.why, exitCode]).toEqual(['error', 'disturbed', 3]);
    expect(scene.told()).toHaveLength(4);
  });

  test('during the fix: the changes of fixer and person are reviewed together', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('x')],
        implementer: [having(writing(at('prd.md'), '# Wanted\n'), fixes(1))],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.puts[2]?.question.dynamic).toMatch(/Changes to Upstream Artifacts[\s\S]*\+# Wanted/);
  });

  test('elsewhere, during the fix of a document: reported, because the author is unknown', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('x')],
        implementer: [having(writing('README.md' as RepoPath, '# Mine\n'), fixes(1))],
      },
    });
    expect((await scene.play()).end).toMatchObject({ why: 'forbidden-edit', paths: ['README.md'] });
  });

  test('elsewhere, during a review: it makes no difference', async () => {
    const scene = openScene({
      usually: { 'spec-reviewer': having(writing('README.md' as RepoPath, '# Mine\n'), APPROVES) },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told()).toEqual(['spec-reviewer I1-R4', 'phase-reviewer I1-R4']);
  });

  test('of code, in final validation: all reviewers run again', async () => {
    const scene = openScene({
      phase: 'implement',
      says: { 'security-reviewer': [having(writing(CODE, 'three\n'), APPROVES)] },
    });
    const { end, run } = await scene.play();
    expect(end?.why).toBe('approved');
    expect(scene.told().slice(3)).toEqual([
      'implementation-reviewer I2-FV',
      'code-quality-reviewer I2-FV',
      'security-reviewer I2-FV',
    ]);
    expect(run.rounds.at(-1)?.entry.looks.every(({ enginePass }) => enginePass)).toBe(true);
  });

  test('and deletes the document during the review', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [having(({ git }) => git.remove(SPEC), APPROVES)] } });
    expect((await scene.play()).end).toMatchObject({ status: 'error', why: 'artifact-missing' });
  });
});

describe('git that fails in the middle', () => {
  const DOWN: Failure = { kind: 'git-failed', command: 'git write-tree', said: 'No space left on device' };

  type Looks = 'compare' | 'take' | 'filesIn';

  /** Snapshots whose method works for this many calls. */
  function lasting(snapshots: Snapshots, method: Looks, good: number) {
    let calls = 0;
    const work = snapshots[method] as (...args: never[]) => Promise<unknown>;
    const countCalls = (...args: never[]) => (++calls > good ? Promise.resolve(err(DOWN)) : work(...args));
    return { snapshots: { ...snapshots, [method]: countCalls }, calls: () => calls };
  }

  test.each<Looks>(['compare', 'take', 'filesIn'])(
    '%s: an error at every point, and never an approval',
    async (method) => {
      const says = { 'spec-reviewer': [objects('x')], implementer: [fixes(1)] };
      const whole = openScene({ says });
      const ports = lasting(whole.ports.snapshots, method, 1000);
      expect((await whole.play({}, ports)).end?.why).toBe('approved');
      const looks = ports.calls();
      expect(looks).toBeGreaterThan(5);
      for (let good = 0; good < looks; good++) {
        const scene = openScene({ says });
        const outcome = await scene.try({}, lasting(scene.ports.snapshots, method, good));
        expect(outcome, `after ${good}`).toEqual({ ok: false, failure: DOWN });
        // The history has every reviewed round.
        const lookCount = scene.puts.filter(({ role }) => role.endsWith('-reviewer')).length;
        expect(headings(scene)).toHaveLength(lookCount);
        expect(scene.meta()).not.toHaveProperty('lastCompletedPhase');
      }
    },
  );

  test('a diff that cannot be made: a new session with the previous issues', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('x')], implementer: [fixes(1)] } });
    const sections: Snapshots['sections'] = async (from, to, lines) =>
      lines === 3 ? err(DOWN) : scene.ports.snapshots.sections(from, to, lines);
    const snapshots = { ...scene.ports.snapshots, sections };
    expect((await scene.play({}, { snapshots })).end?.why).toBe('approved');
    expect(scene.told()[2]).toBe('spec-reviewer I3');
    expect(scene.history()).toContain(
      'RESUME-FALLBACK: spec-reviewer iteration 2 — the snapshot of its last review is gone',
    );
  });

  test('a failed commit causes a notice; the next review gets a new session, and the loop continues', async () => {
    const gitError = 'fatal: cannot do a partial commit during a merge.';
    const scene = openScene({
      says: { 'spec-reviewer': [objects('x'), objects('y')], implementer: [fixes(1), fixes(2)] },
    });
    let commits = 0;
    const commit: PlayPorts['commits']['commit'] = async (paths, message) =>
      commits++ === 0 ? { kind: 'failed', said: gitError } : scene.ports.commits.commit(paths, message);
    const { end, notices } = await scene.play({}, { commits: { commit } });
    expect(end?.why).toBe('approved');
    expect(notices).toEqual([
      {
        kind: 'commit-failed',
        message: 'onceover: specify review iteration 1 (spec-reviewer, loop-1)',
        said: gitError,
      },
    ]);
    expect(scene.events).toContainEqual(expect.objectContaining({ kind: 'committed', said: gitError }));
    expect(scene.told().filter((call) => call.startsWith('spec'))).toEqual([
      'spec-reviewer I1-R4',
      'spec-reviewer I3',
      'spec-reviewer I2',
    ]);
    expect(scene.history()).toContain('RESUME-FALLBACK: spec-reviewer iteration 2 — the fixes could not be committed');
  });
});

describe('files that cannot be read or written', () => {
  const FULL: Failure = { kind: 'disk', action: 'write', path: '/x', code: 'ENOSPC' };
  const full = async () => err(FULL);

  test.each<[string, (ports: PlayPorts) => Partial<PlayPorts>]>([
    ['the history', ({ feature }) => ({ feature: { ...feature, writeHistory: full } })],
    ['reading the history', ({ feature }) => ({ feature: { ...feature, history: full } })],
    ['.meta.json', ({ feature }) => ({ feature: { ...feature, writeMeta: full } })],
    ['reading .meta.json', ({ feature }) => ({ feature: { ...feature, meta: full } })],
    ['the outcome', ({ loops }) => ({ loops: { ...loops, write: full } })],
  ])('%s: an error, and no approval', async (_title, break_) => {
    const scene = openScene();
    expect(await scene.try({}, break_(scene.ports))).toEqual({ ok: false, failure: FULL });
    expect(scene.asking()).toBe(0);
  });

  test('an unreadable loop cannot be accepted, and stays', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('x')] } });
    expect((await scene.play({ fixing: { by: 'nobody' }, mostIterations: 1 })).end?.why).toBe('cap');
    const callCount = scene.puts.length;
    const accepting = { fixing: { by: 'nobody' }, acceptWithNotes: true } as const;
    const ports = { loops: { ...scene.ports.loops, read: full } };
    expect(await scene.try(accepting, ports)).toEqual({ ok: false, failure: FULL });
    expect((await scene.play(accepting)).end?.why).toBe('accepted-with-notes');
    expect(scene.puts).toHaveLength(callCount);
  });

  test('the ledger: the phase continues with a notice', async () => {
    const scene = openScene();
    const { end, notices } = await scene.play({}, { ledger: { ...scene.ports.ledger, add: full } });
    expect(end?.why).toBe('approved');
    expect(notices).toEqual([
      { kind: 'not-in-ledger', failure: FULL },
      { kind: 'not-in-ledger', failure: FULL },
    ]);
  });

  test('logs and cooldowns: no notice, and nothing is lost', async () => {
    const scene = openScene({
      says: { 'spec-reviewer': [fails({ kind: 'limit', said: '', resetAt: null })] },
      agents: { ann: {}, ben: {} },
    });
    const cooldowns = { ...scene.ports.cooldowns, add: full };
    const { end, notices } = await scene.play({}, { logs: { write: full }, cooldowns });
    expect([end?.why, notices]).toEqual(['approved', []]);
  });

  test('an unreadable ledger gives no time between rounds', async () => {
    const scene = openScene();
    const { end } = await scene.play({}, { ledger: { ...scene.ports.ledger, all: full } });
    expect([end?.why, scene.puts[0]?.question.cacheTtl]).toEqual(['approved', '5m']);
  });
});

describe('a corrupt .meta.json', () => {
  test('is renamed and reported; the phase is written to a new file', async () => {
    const scene = openScene();
    scene.git.write(at('.meta.json'), '{"id": "7",');
    const { end, notices } = await scene.play();
    expect(end?.why).toBe('approved');
    const aside = at('.meta.json.unreadable-20260301T120000000Z');
    expect(notices).toEqual([{ kind: 'meta-put-aside', path: at('.meta.json'), aside }]);
    expect(scene.read(aside)).toBe('{"id": "7",');
    expect(scene.meta()).toMatchObject({ lastCompletedPhase: 'specify' });
  });

  test('broken during the phase: the same', async () => {
    const scene = openScene({ says: { 'phase-reviewer': [having(writing(at('.meta.json'), 'oh'), APPROVES)] } });
    const { end, notices } = await scene.play();
    expect(end?.why).toBe('approved');
    expect(notices).toMatchObject([{ kind: 'meta-put-aside' }]);
  });
});

describe('a budget', () => {
  const budgetOf = (dispatches: number) => ({ budget: { usd: null, dispatches } });

  test('that is used up before any answer: an error, and the round is recorded', async () => {
    const scene = openScene({ settings: budgetOf(0) });
    const { end, exitCode } = await scene.play();
    expect([end?.status, end?.why, exitCode]).toEqual(['error', 'budget', 3]);
    expect(scene.puts).toEqual([]);
    expect(scene.history()).toContain('**No verdict:** spec-reviewer was stopped');
  });

  test('that is used up among three: the earlier answers count, and their issues are open', async () => {
    const late: Word = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return objects('slow');
    };
    const scene = openScene({ phase: 'implement', settings: budgetOf(2), says: { 'code-quality-reviewer': [late] } });
    const { end, run } = await scene.play();
    expect([end?.status, end?.why]).toEqual(['needs_work', 'budget']);
    expect(end?.open).toMatchObject([{ role: 'code-quality-reviewer' }]);
    expect(run.rounds[0]?.entry.looks.map(({ role }) => role)).toEqual([
      'implementation-reviewer',
      'code-quality-reviewer',
    ]);
    expect(run.rounds[0]?.entry.errors).toMatchObject([
      { role: 'security-reviewer', failure: { kind: 'stopped', by: 'budget' } },
    ]);
    expect(await scene.ledger()).toHaveLength(2);
  });

  test('that is enough for two of the three: two approvals are not an approval', async () => {
    const scene = openScene({ phase: 'implement', settings: budgetOf(2) });
    expect((await scene.play()).end).toMatchObject({ status: 'error', why: 'budget' });
  });

  test('that is used up at the fix', async () => {
    const scene = openScene({ settings: budgetOf(1), says: { 'spec-reviewer': [objects('x')] } });
    const { end, run } = await scene.play();
    expect([end?.status, end?.why]).toEqual(['needs_work', 'budget']);
    expect(run.rounds[0]?.fix).toEqual({ summary: null, marks: [], turn: null });
  });

  test('of money, which repair calls use too', async () => {
    const dear = (answer: object) =>
      answers(answer, {
        usage: { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1, costUsd: 3 },
      });
    const scene = openScene({
      settings: { budget: { usd: 5, dispatches: null } },
      usually: { 'spec-reviewer': dear(objects('x')), implementer: dear({ summary: '' }) },
    });
    const { end } = await scene.play();
    expect([end?.why, scene.puts.length]).toEqual(['budget', 2]);
  });

  test('of money, and an agent that reports no price: a notice', async () => {
    const { notices } = await openScene({ settings: { budget: { usd: 5, dispatches: null } } }).play();
    expect(notices).toEqual([{ kind: 'no-price', agents: ['ann'] }]);
  });

  test('a repair counts; if it does not fit, there is no verdict', async () => {
    const scene = openScene({
      settings: budgetOf(1),
      says: { 'spec-reviewer': [answers({}, { text: 'hm', structured: undefined })] },
    });
    expect((await scene.play()).end).toMatchObject({ status: 'error', why: 'budget' });
    expect(scene.puts).toHaveLength(1);
  });
});

describe('an interrupt', () => {
  const CANCELLED = { kind: 'cancelled' } as const;
  const interrupt = (scene: Scene) => scene.stop.abort();

  test('during three reviews: records the answers and stops the rest', async () => {
    const endless: Word = () => new Promise(() => {});
    const scene = openScene({
      phase: 'implement',
      says: {
        'implementation-reviewer': [objects('known')],
        'code-quality-reviewer': [endless],
        'security-reviewer': [having((scene) => setTimeout(() => interrupt(scene), 10), endless)],
      },
    });
    const { end, run, exitCode } = await scene.play();
    expect([end?.status, end?.why, exitCode]).toEqual(['error', 'interrupted', 3]);
    expect(run.rounds[0]?.entry.looks.map(({ role }) => role)).toEqual(['implementation-reviewer']);
    expect(scene.history()).toContain('[blocker] implementation: known');
    expect(scene.history().match(/\*\*No verdict:\*\*/g)).toHaveLength(2);
    expect(headings(scene)).toHaveLength(1);
    expect((await scene.ledger()).map(({ role, status, asks }) => [role, status, asks])).toEqual([
      ['implementation-reviewer', 'fail', 1],
      ['code-quality-reviewer', 'error', 1],
      ['security-reviewer', 'error', 1],
    ]);
  });

  test('during code simplification: its usage is in the ledger', async () => {
    const scene = openScene({ phase: 'implement', says: { 'code-simplifier': [having(interrupt, fails(CANCELLED))] } });
    await scene.play({ preparations: [{ role: 'code-simplifier', part: null }] });
    expect(await scene.ledger()).toMatchObject([{ role: 'code-simplifier', status: 'error', asks: 1 }]);
  });

  test('during a fix: the entry exists, nothing is committed or reviewed', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('x')], implementer: [having(interrupt, fixes(1))] } });
    const { end, open } = await scene.play();
    expect([end?.why, open.length]).toEqual(['interrupted', 1]);
    expect([headings(scene).length, scene.commits(), scene.told().length]).toEqual([1, [], 2]);
    const [, fix] = await scene.ledger();
    expect(fix).toMatchObject({ role: 'implementer', status: 'error', asks: 1, usage: { outputTokens: 3 } });
  });

  test('after the last approval and before its confirmation: that is not an approval', async () => {
    const scene = openScene({ says: { 'phase-reviewer': [having(interrupt, APPROVES)] } });
    expect((await scene.play()).end).toMatchObject({ status: 'error', why: 'interrupted' });
    expect(scene.meta()).not.toHaveProperty('lastCompletedPhase');
  });

  test('before the start: no agent is called', async () => {
    const scene = openScene();
    interrupt(scene);
    expect((await scene.play()).end?.why).toBe('interrupted');
    expect([scene.puts, scene.history()]).toEqual([[], '']);
  });

  test('during a commit', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('x')], implementer: [fixes(1)] } });
    const commit: PlayPorts['commits']['commit'] = async (...args) => {
      interrupt(scene);
      return scene.ports.commits.commit(...args);
    };
    expect((await scene.play({}, { commits: { commit } })).end?.why).toBe('interrupted');
    expect(scene.told()).toHaveLength(2);
  });
});

test('a crash leaves no running agent behind', async () => {
  let endCount = 0;
  const slow: Word = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    endCount++;
    return APPROVES;
  };
  const scene = openScene({
    phase: 'implement',
    usually: { 'code-quality-reviewer': slow, 'security-reviewer': slow },
    says: {
      'implementation-reviewer': [
        () => {
          throw new Error('a bug');
        },
      ],
    },
  });
  await expect(scene.try()).rejects.toThrow('a bug');
  expect([endCount, scene.asking()]).toEqual([2, 0]);
});
