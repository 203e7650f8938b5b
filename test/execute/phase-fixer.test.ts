import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { PhaseEndReason } from '../../src/domain/phase.ts';
import { failed } from '../../src/domain/result.ts';
import { answers, fails } from '../support/memory/reviewers.ts';
import {
  APPROVES,
  at,
  CODE,
  garbage,
  having,
  objects,
  openScene,
  type Scene,
  type Word,
  writes,
} from '../support/phase/scene.ts';

const SPEC = at('spec.md');
const FIRST = '# Spec\n\nIt is fast.\n';
const path = (text: string) => text as RepoPath;
const mends = (n: number): Word => writes(SPEC, `# Spec\n\nText ${n}.\n`, { summary: `Fix ${n}.` });
const refusing = { 'spec-reviewer': objects('no load') };

describe('a fixer that changes nothing', () => {
  test('is believed once: another look decides, fresh and in a new session; twice the loop stops', async () => {
    const scene = openScene({ usually: refusing });
    const { end, exitCode, run } = await scene.play();
    expect(scene.told()).toEqual([
      'spec-reviewer I1-R4',
      'implementer I7-fresh',
      'spec-reviewer I1-R4',
      'implementer I7-resumed',
    ]);
    expect(scene.puts[2]?.question).toMatchObject({ sessionId: null });
    expect(run.rounds[1]?.entry.looks[0]?.why).toBe('no-changes');
    expect([end?.status, end?.why, end?.open.length, exitCode]).toEqual(['stalled', 'stalled', 1, 1]);
    expect(scene.commits()).toEqual([]);
  });

  test('and the second look agrees with it: approved', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('no load')] } });
    expect((await scene.play()).end?.why).toBe('approved');
  });

  test('code: the same', async () => {
    const scene = openScene({ phase: 'implement', usually: { 'security-reviewer': objects('leaks') } });
    expect((await scene.play()).end?.why).toBe('stalled');
    expect(scene.told().filter((one) => one.startsWith('security'))).toEqual([
      'security-reviewer I1-R4',
      'security-reviewer I1-R4',
    ]);
  });

  test('a fix in between makes it two for nothing no more', async () => {
    const idle = { summary: 'Nothing to do.' };
    const scene = openScene({ usually: refusing, says: { implementer: [idle, mends(1), idle, mends(2)] } });
    const { end } = await scene.play();
    expect(end?.why).toBe('cap');
  });
});

describe('a fixer that reverts', () => {
  test('the reviewer is shown that it did, each time from what it saw', async () => {
    const scene = openScene({
      usually: refusing,
      says: { implementer: [mends(1), writes(SPEC, FIRST), mends(1), writes(SPEC, FIRST)] },
    });
    const { end, run } = await scene.play();
    expect([end?.status, run.rounds.length]).toEqual(['cap', 6]);
    const deltas = scene.puts.filter(({ template }) => template === 'I2').map(({ question }) => question.dynamic);
    expect(deltas.map((text) => [text.includes('+Text 1.'), text.includes('-Text 1.')])).toEqual([
      [true, false],
      [false, true],
      [true, false],
      [false, true],
    ]);
  });

  test('all of the code: there is nothing left to review, and no approval', async () => {
    const scene = openScene({
      phase: 'implement',
      says: { 'security-reviewer': [objects('leaks')], implementer: [writes(CODE, 'one\n')] },
    });
    expect((await scene.play()).end).toMatchObject({ status: 'error', why: 'artifact-empty' });
  });
});

describe('a fixer that edits what it must not', () => {
  type Act = (scene: Scene) => void;
  const edit =
    (name: string): Act =>
    (scene) =>
      scene.git.write(path(name), 'forged\n');
  test.each<[string, string, Act]>([
    ['the settings', 'onceover.yml', edit('onceover.yml')],
    ['a role', '.onceover/roles/spec-reviewer.md', edit('.onceover/roles/spec-reviewer.md')],
    ['the history', at('.review-history.md'), edit(at('.review-history.md'))],
    ['.meta.json', at('.meta.json'), edit(at('.meta.json'))],
    ['a document that does not belong to it', at('design.md'), edit(at('design.md'))],
    ['code', CODE, edit(CODE)],
    ['a file that was not there', 'docs/notes.md', edit('docs/notes.md')],
    ['a file that it deletes', 'README.md', (scene) => scene.git.remove(path('README.md'))],
    [
      'the program of an agent, also where git leaves it out',
      'tools/agent.sh',
      ({ agentFiles }) => agentFiles.set(path('tools/agent.sh'), 'new'),
    ],
  ])('%s: the phase ends, and says what it was', async (_title, name, act) => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('no load')], implementer: [having(act, mends(1))] } });
    scene.agentFiles.set(path('tools/agent.sh'), 'old');
    const { end, exitCode } = await scene.play();
    expect([end?.status, end?.why, end?.paths, exitCode]).toEqual(['error', 'forbidden-edit', [name], 1]);
    expect(scene.commits()).toEqual([]);
    expect(scene.told()).toHaveLength(2);
    expect(scene.history()).toContain('Fix 1.');
  });

  test.each([
    ['in code: the settings', 'onceover.yml'],
    ['in code: .meta.json', at('.meta.json')],
    ['in code: the program of an agent', 'tools/agent.sh'],
  ])('%s', async (_title, name) => {
    const scene = openScene({
      phase: 'implement',
      says: { 'security-reviewer': [objects('leaks')], implementer: [having(edit(name), writes(CODE, 'mended\n'))] },
    });
    expect((await scene.play()).end).toMatchObject({ why: 'forbidden-edit', paths: [name] });
    expect(scene.commits()).toEqual([]);
  });

  test('what it touched cannot be told, because what was there is gone: the phase ends with that, and nothing is committed', async () => {
    const gone = failed({ kind: 'git-failed', command: 'git diff', said: 'bad object' } as const);
    const scene: Scene = openScene({
      says: { 'spec-reviewer': [objects('no load')], implementer: [having(edit('onceover.yml'), mends(1))] },
    });
    const snapshots = { ...scene.ports.snapshots, sections: async () => gone };
    expect(await scene.try({}, { snapshots })).toEqual(gone);
    expect([scene.commits(), scene.told().length]).toEqual([[], 2]);
  });

  test('what it rests on may be mended too, and is committed with it', async () => {
    const scene = openScene({
      phase: 'design',
      says: {
        'design-reviewer': [objects('the spec is wrong')],
        implementer: [having(({ git }) => git.write(SPEC, '# Right\n'), writes(at('design.md'), '# Better\n'))],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.commits()).toEqual([[at('design.md'), SPEC]]);
  });

  test('in the turn that is repaired: what it did in either question counts', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('no load')],
        implementer: [having(edit('onceover.yml'), garbage()), mends(1)],
      },
    });
    expect((await scene.play()).end).toMatchObject({ why: 'forbidden-edit', paths: ['onceover.yml'] });
  });

  test('in a resume that failed: what it did before that counts', async () => {
    const scene = openScene({
      usually: refusing,
      says: { implementer: [mends(1), having(edit('onceover.yml'), fails({ kind: 'no-tokens' })), mends(2)] },
    });
    expect((await scene.play()).end).toMatchObject({ why: 'forbidden-edit', paths: ['onceover.yml'] });
  });
});

describe('a fixer that leaves no document', () => {
  test.each<[string, Word, PhaseEndReason]>([
    ['deletes it', having(({ git }) => git.remove(SPEC), { summary: 'Gone.' }), 'artifact-missing'],
    ['empties it', writes(SPEC, ''), 'artifact-empty'],
    ['leaves blanks', writes(SPEC, ' \n\t\n'), 'artifact-empty'],
    ['makes it binary', writes(SPEC, 'a\0b'), 'artifact-unreadable'],
    [
      'renames it',
      having(
        ({ git }) => {
          git.remove(SPEC);
          git.write(at('tasks.md'), FIRST);
        },
        { summary: 'Moved.' },
      ),
      'forbidden-edit',
    ],
  ])('%s: nobody is asked about nothing', async (_title, fix, why) => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('no load')], implementer: [fix] } });
    const { end, exitCode } = await scene.play();
    expect([end?.status, end?.why, exitCode]).toEqual(['error', why, 1]);
    expect(scene.told()).toEqual(['spec-reviewer I1-R4', 'implementer I7-fresh']);
    // What is gone can be had back from git; that it is gone is not committed.
    if (why === 'artifact-missing') expect(scene.commits()).toEqual([]);
  });
});

describe('a fixer whose answer cannot be read', () => {
  const refuses = { 'spec-reviewer': [objects('no load')] };
  const mumbles = (n: number, text = 'I did it.') =>
    having((scene) => scene.git.write(SPEC, `# Text ${n}\n`), garbage(text));

  test('is asked to repeat it where it can go on', async () => {
    const scene = openScene({ says: { ...refuses, implementer: [mumbles(1), { summary: 'Said again.' }] } });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told().slice(1, 3)).toEqual(['implementer I7-fresh', 'implementer repair']);
    expect(scene.puts[2]?.question.sessionId).toBe('fay-1');
    expect(scene.history()).toContain('Said again.');
  });

  test.each<[string, readonly Word[]]>([
    ['twice', [garbage('Still not.')]],
    ['and then it fails', [fails({ kind: 'agent-error', said: 'down' })]],
  ])('%s: it counts by its work, with what it said first', async (_title, words) => {
    const scene = openScene({ says: { ...refuses, implementer: [mumbles(1), ...words] } });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told()[3]).toBe('spec-reviewer I2');
    expect(scene.history()).toContain('**Changes Made:**\nI did it.\n');
    expect(scene.commits()).toEqual([[SPEC]]);
  });

  test('is never asked to begin again', async () => {
    const scene = openScene({
      agents: { ann: {}, fay: { canResume: async () => false } },
      says: { ...refuses, implementer: [mumbles(1)] },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told().filter((one) => one.startsWith('implementer'))).toEqual(['implementer I7-fresh']);
  });

  test('and nothing is left to ask again: it counts by its work', async () => {
    const scene = openScene({
      settings: { budget: { usd: null, dispatches: 2 } },
      says: { ...refuses, implementer: [mumbles(1)] },
    });
    const { end } = await scene.play();
    expect(end).toMatchObject({ status: 'needs_work', why: 'budget' });
    expect((await scene.ledger()).map(({ asks }) => asks)).toEqual([1, 1]);
    expect(scene.history()).toContain('I did it.');
    expect(scene.commits()).toEqual([[SPEC]]);
  });

  test('what it sent and used is the sum of its questions, each once', async () => {
    const used = (inputTokens: number) => ({
      inputTokens,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      costUsd: null,
    });
    const spending = (tokens: number, text: string) =>
      answers({}, { text, structured: undefined, usage: used(tokens) });
    const play = async (second: Word) => {
      const first = having((scene) => scene.git.write(SPEC, '# Text\n'), spending(1000, 'I did it.'));
      const scene = openScene({ says: { ...refuses, implementer: [first, second] } });
      const { usage } = await scene.play();
      const [fix] = (await scene.ledger()).filter(({ role }) => role === 'implementer');
      const sent = scene.puts
        .slice(1, 3)
        .map(
          ({ question: { stable, dynamic, sessionId } }) =>
            (sessionId === null ? `${stable}\n\n${dynamic}` : dynamic).length,
        );
      expect([fix?.asks, fix?.promptChars]).toEqual([2, sent.reduce((sum, one) => sum + one, 0)]);
      return { fix: fix?.usage?.inputTokens, all: usage?.inputTokens };
    };
    // Three reviews of 100 tokens beside it.
    expect(await play(spending(10, 'Still not.'))).toEqual({ fix: 1010, all: 1310 });
    expect(await play({ ...fails({ kind: 'agent-error', said: '' }), usage: used(10) })).toEqual({
      fix: 1010,
      all: 1310,
    });
    expect(await play(answers({ summary: 'Now.' }, { usage: used(10) }))).toEqual({ fix: 1010, all: 1310 });
    expect(await play(fails({ kind: 'agent-error', said: '' }))).toEqual({ fix: 1000, all: 1300 });
  });

  test('a long one is cut', async () => {
    const scene = openScene({ says: { ...refuses, implementer: [mumbles(1, 'x'.repeat(5000)), garbage('')] } });
    await scene.play();
    expect(
      scene
        .history()
        .match(/x+/g)
        ?.map((one) => one.length),
    ).toContain(1000);
  });
});

describe('a fixer that fails', () => {
  test.each([
    ['an error', { kind: 'agent-error', said: 'down' }],
    ['too long', { kind: 'timeout', seconds: 60 }],
    ['a limit', { kind: 'limit', said: 'enough', resetAt: null }],
  ] as const)('%s: the phase ends with what is open, and no other agent writes', async (_title, failure) => {
    const scene = openScene({
      agents: { ann: {}, ben: {}, fay: {} },
      usually: { ...refusing, implementer: fails(failure) },
    });
    const { end, exitCode, run } = await scene.play();
    expect([end?.status, end?.why, end?.failure, end?.open.length, exitCode]).toEqual([
      'needs_work',
      'fixer-failed',
      failure,
      1,
      1,
    ]);
    expect(scene.puts.map(({ agent }) => agent)).toEqual(['ann', 'fay']);
    expect(run.rounds[0]?.fix).toMatchObject({ summary: null, turn: { agent: 'fay' } });
    expect(await scene.ledger()).toMatchObject([{ status: 'fail' }, { role: 'implementer', status: 'error' }]);
  });

  test('resumed, and then fresh as well', async () => {
    const down = fails({ kind: 'agent-error', said: 'down' });
    const scene = openScene({ usually: refusing, says: { implementer: [mends(1), down, down] } });
    const { end, run } = await scene.play();
    expect(end?.why).toBe('fixer-failed');
    expect(run.rounds[1]?.fix?.turn?.spent.asks).toBe(2);
    expect(scene.history()).toContain('RESUME-FALLBACK: implementer iteration 2');
  });

  test('after it has run out of time it is not asked again, also where it was resumed', async () => {
    const scene = openScene({
      usually: refusing,
      says: { implementer: [mends(1), fails({ kind: 'timeout', seconds: 9 })] },
    });
    expect((await scene.play()).end?.why).toBe('fixer-failed');
    expect(scene.told().filter((one) => one.startsWith('implementer'))).toHaveLength(2);
  });
});

describe('who may mend', () => {
  test('nobody of that name', async () => {
    const scene = openScene();
    expect(await scene.try({ fixing: { by: 'fixer', agent: 'bob' } })).toEqual({
      ok: false,
      failure: { kind: 'unknown-agent', name: 'bob', known: ['ann', 'fay'] },
    });
  });

  test('one that cannot be given leave to write', async () => {
    const scene = openScene({ agents: { ann: { canFix: false } } });
    expect(await scene.try({ fixing: { by: 'fixer', agent: 'ann' } })).toEqual({
      ok: false,
      failure: { kind: 'cannot-fix', name: 'ann', able: ['fay'] },
    });
    expect(scene.puts).toEqual([]);
  });

  test('nobody: one review, and its word', async () => {
    const scene = openScene({ usually: refusing });
    const { end, exitCode } = await scene.play({ fixing: { by: 'nobody' } });
    expect([end?.status, end?.why, exitCode]).toEqual(['needs_work', 'not-fixed', 1]);
    expect(scene.told()).toEqual(['spec-reviewer I1-R4']);
  });

  test('nobody is needed for a document that is good', async () => {
    expect((await openScene().play({ fixing: { by: 'nobody' } })).end?.why).toBe('approved');
  });

  test('what goes before the reviews writes too: whoever does it must be able to', async () => {
    const scene = openScene({ phase: 'implement', agents: { ann: { canFix: false } } });
    const simplify = [{ role: 'code-simplifier', part: null }] as const;
    expect(await scene.try({ fixing: { by: 'nobody' }, preparations: simplify })).toMatchObject({
      ok: false,
      failure: { kind: 'cannot-fix', name: 'ann', able: ['fay'] },
    });
    expect(scene.puts).toEqual([]);
  });
});

describe('what goes before the reviews', () => {
  const OUTLINE = [{ role: 'test-deepener', part: 'A' }] as const;

  test('an outline that cannot be read is asked for once more; without one the phase ends', async () => {
    const scene = openScene({ phase: 'implement', says: { 'test-deepener-a': [garbage()] } });
    expect((await scene.play({ preparations: OUTLINE })).end?.why).toBe('approved');
    expect(scene.told().slice(0, 2)).toEqual(['test-deepener-a prepare', 'test-deepener-a repair']);
    for (const second of [garbage(), fails({ kind: 'agent-error', said: 'down' })]) {
      const none = openScene({ phase: 'implement', says: { 'test-deepener-a': [garbage(), second] } });
      expect((await none.play({ preparations: OUTLINE })).end).toMatchObject({
        status: 'error',
        why: 'preparation-failed',
      });
    }
  });

  test('what it used is the sum of its questions', async () => {
    const scene = openScene({ phase: 'implement', says: { 'test-deepener-a': [garbage()] } });
    const { run } = await scene.play({ preparations: OUTLINE });
    expect(run.preparations[0]?.usage?.inputTokens).toBe(200);
    expect((await scene.ledger())[0]).toMatchObject({ role: 'test-deepener', asks: 2, usage: { inputTokens: 200 } });
  });

  test('one that fails ends the phase, and is in the ledger', async () => {
    const failing = { ...fails({ kind: 'agent-error', said: 'down' }), usage: answersUsage };
    const scene = openScene({ phase: 'implement', usually: { 'test-deepener-a': failing } });
    expect((await scene.play({ preparations: OUTLINE })).end).toMatchObject({ why: 'preparation-failed' });
    expect(await scene.ledger()).toMatchObject([{ role: 'test-deepener', template: null, status: 'error', asks: 1 }]);
  });
});

const answersUsage = { inputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, costUsd: null };

test('suggestions are no duty: whoever approves with them ends the loop', async () => {
  const scene = openScene({
    says: { 'spec-reviewer': [{ ...APPROVES, issues: [{ severity: 'suggestion', description: 'x' }] }] },
  });
  expect((await scene.play()).end?.why).toBe('approved');
  expect(scene.told()).toEqual(['spec-reviewer I1-R4', 'phase-reviewer I1-R4']);
});
