import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Visibility } from '@onceover/base/kernel/repository';
import { err, ok } from '@onceover/base/kernel/result';
import type { PhaseName } from '@onceover/base/kernel/review-loops';
import { answers, fails } from '@onceover/testing/memory/reviewers.ts';
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
} from '@onceover/testing/phase/scene.ts';
import { describe, expect, test } from 'vitest';
import { describePhaseNotice } from '../../../src/phases/describe/result.ts';
import type { PhaseEndReason } from '../../../src/phases/types.ts';

const SPEC = at('spec.md');
const FIRST = '# Spec\n\nIt is fast.\n';
const path = (text: string) => text as RepoPath;
const fixes = (n: number): Word => writes(SPEC, `# Spec\n\nText ${n}.\n`, { summary: `Fix ${n}.` });
const refusing = { 'spec-reviewer': objects('no load') };

describe('a fixer that changes nothing', () => {
  test('gets one review in a new session; the second time the loop stops', async () => {
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

  test('is approved if the second review agrees', async () => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('no load')] } });
    expect((await scene.play()).end?.why).toBe('approved');
  });

  test('code: the same', async () => {
    const scene = openScene({ phase: 'implement', usually: { 'security-reviewer': objects('leaks') } });
    expect((await scene.play()).end?.why).toBe('stalled');
    expect(scene.told().filter((call) => call.startsWith('security'))).toEqual([
      'security-reviewer I1-R4',
      'security-reviewer I1-R4',
    ]);
  });

  test('is counted again after a real fix', async () => {
    const idle = { summary: 'Nothing to do.' };
    const scene = openScene({ usually: refusing, says: { implementer: [idle, fixes(1), idle, fixes(2)] } });
    const { end } = await scene.play();
    expect(end?.why).toBe('cap');
  });
});

describe('a fixer that reverts its changes', () => {
  test('the reviewer sees the revert as a delta', async () => {
    const scene = openScene({
      usually: refusing,
      says: { implementer: [fixes(1), writes(SPEC, FIRST), fixes(1), writes(SPEC, FIRST)] },
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

  test('reverting all code leaves nothing to review and no approval', async () => {
    const scene = openScene({
      phase: 'implement',
      says: { 'security-reviewer': [objects('leaks')], implementer: [writes(CODE, 'one\n')] },
    });
    expect((await scene.play()).end).toMatchObject({ status: 'error', why: 'artifact-empty' });
  });
});

describe('a fixer that edits protected files', () => {
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
    ['another document', at('design.md'), edit(at('design.md'))],
    ['code', CODE, edit(CODE)],
    ['a new file', 'docs/notes.md', edit('docs/notes.md')],
    ['a deleted file', 'README.md', (scene) => scene.git.remove(path('README.md'))],
    [
      'the program of an agent, even if git ignores it',
      'tools/agent.sh',
      ({ agentFiles }) => agentFiles.set(path('tools/agent.sh'), 'new'),
    ],
  ])('%s: ends the phase and names the file', async (_title, name, act) => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('no load')], implementer: [having(act, fixes(1))] } });
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
      says: { 'security-reviewer': [objects('leaks')], implementer: [having(edit(name), writes(CODE, 'fixed\n'))] },
    });
    expect((await scene.play()).end).toMatchObject({ why: 'forbidden-edit', paths: [name] });
    expect(scene.commits()).toEqual([]);
  });

  test.each<[string, PhaseName, Visibility, readonly string[]]>([
    ['hides a file', 'specify', { settings: 's', unseen: new Map([['dist/a.js', '1']]) }, ['dist/a.js']],
    ['changes a hidden file', 'implement', { settings: 's', unseen: new Map([['dist/b.js', '2']]) }, ['dist/b.js']],
    ['changes the settings of git', 'implement', { settings: 't', unseen: new Map() }, ['.git']],
  ])('%s: ends the phase, although the next review would pass', async (_title, phase, now, paths) => {
    let visible: Visibility = { settings: 's', unseen: new Map([['dist/b.js', '1']]) };
    const hides = () => {
      visible = now;
    };
    const reviewer = phase === 'specify' ? 'spec-reviewer' : 'security-reviewer';
    const scene = openScene({
      phase,
      says: {
        [reviewer]: [objects('no')],
        implementer: [having(hides, phase === 'specify' ? fixes(1) : writes(CODE, 'new\n'))],
      },
    });
    const { end, exitCode, notices } = await scene.play({}, { visibility: async () => ok(visible) });
    expect([end?.status, end?.why, end?.paths, exitCode]).toEqual(['error', 'forbidden-edit', paths, 1]);
    expect(notices.map(describePhaseNotice)).toEqual([
      expect.stringMatching(/^the fixer changed what reviewers see: /),
    ]);
    expect(scene.commits()).toEqual([]);
  });

  test('is reported if it hides a file and then fails', async () => {
    const down = fails({ kind: 'agent-error', said: 'down' });
    const views = [new Map(), new Map([['dist/a.js', '1']])];
    const scene = openScene({ says: { 'spec-reviewer': [objects('no')] }, usually: { implementer: down } });
    const visibility = async () => ok({ settings: 's', unseen: views.shift() ?? new Map() });
    const { end, notices } = await scene.play({}, { visibility });
    expect([end?.why, notices.map(({ kind }) => kind)]).toEqual(['fixer-failed', ['hidden-by-fixer']]);
  });

  test('ends with an error if the hidden files cannot be read', async () => {
    const failure = err({ kind: 'git-failed', command: 'git config', said: 'broken' } as const);
    const scene = openScene({ says: { 'spec-reviewer': [objects('no')], implementer: [fixes(1)] } });
    expect(await scene.try({}, { visibility: async () => failure })).toEqual(failure);
    expect(scene.commits()).toEqual([]);
  });

  test('ends without a commit if its changes cannot be determined', async () => {
    const failure = err({ kind: 'git-failed', command: 'git diff', said: 'bad object' } as const);
    const scene: Scene = openScene({
      says: { 'spec-reviewer': [objects('no load')], implementer: [having(edit('onceover.yml'), fixes(1))] },
    });
    const snapshots = { ...scene.ports.snapshots, sections: async () => failure };
    expect(await scene.try({}, { snapshots })).toEqual(failure);
    expect([scene.commits(), scene.told().length]).toEqual([[], 2]);
  });

  test('upstream documents may be fixed, and are committed too', async () => {
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

  test('counts edits made before a repair question', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('no load')],
        implementer: [having(edit('onceover.yml'), garbage()), fixes(1)],
      },
    });
    expect((await scene.play()).end).toMatchObject({ why: 'forbidden-edit', paths: ['onceover.yml'] });
  });

  test('counts edits made before a failed resume', async () => {
    const scene = openScene({
      usually: refusing,
      says: { implementer: [fixes(1), having(edit('onceover.yml'), fails({ kind: 'no-tokens' })), fixes(2)] },
    });
    expect((await scene.play()).end).toMatchObject({ why: 'forbidden-edit', paths: ['onceover.yml'] });
  });
});

describe('a fixer that leaves no document', () => {
  test.each<[string, Word, PhaseEndReason]>([
    ['deletes it', having(({ git }) => git.remove(SPEC), { summary: 'Gone.' }), 'artifact-missing'],
    ['empties it', writes(SPEC, ''), 'artifact-empty'],
    ['leaves only blanks', writes(SPEC, ' \n\t\n'), 'artifact-empty'],
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
  ])('%s: no agent is called without a document', async (_title, fix, why) => {
    const scene = openScene({ says: { 'spec-reviewer': [objects('no load')], implementer: [fix] } });
    const { end, exitCode } = await scene.play();
    expect([end?.status, end?.why, exitCode]).toEqual(['error', why, 1]);
    expect(scene.told()).toEqual(['spec-reviewer I1-R4', 'implementer I7-fresh']);
    // git still has the deleted file, because the deletion is not committed.
    if (why === 'artifact-missing') expect(scene.commits()).toEqual([]);
  });
});

describe('a fixer whose answer cannot be read', () => {
  const refuses = { 'spec-reviewer': [objects('no load')] };
  const mumbles = (n: number, text = 'I did it.') =>
    having((scene) => scene.git.write(SPEC, `# Text ${n}\n`), garbage(text));

  test('has to repeat its answer if its session can be resumed', async () => {
    const scene = openScene({ says: { ...refuses, implementer: [mumbles(1), { summary: 'Said again.' }] } });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told().slice(1, 3)).toEqual(['implementer I7-fresh', 'implementer repair']);
    expect(scene.puts[2]?.question.sessionId).toBe('fay-1');
    expect(scene.history()).toContain('Said again.');
  });

  test.each<[string, readonly Word[]]>([
    ['twice', [garbage('Still not.')]],
    ['and then it fails', [fails({ kind: 'agent-error', said: 'down' })]],
  ])('%s: its edits count, with its first answer as the summary', async (_title, words) => {
    const scene = openScene({ says: { ...refuses, implementer: [mumbles(1), ...words] } });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told()[3]).toBe('spec-reviewer I2');
    expect(scene.history()).toContain('**Changes Made:**\nI did it.\n');
    expect(scene.commits()).toEqual([[SPEC]]);
  });

  test('is never restarted', async () => {
    const scene = openScene({
      agents: { ann: {}, fay: { canResume: async () => false } },
      says: { ...refuses, implementer: [mumbles(1)] },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told().filter((call) => call.startsWith('implementer'))).toEqual(['implementer I7-fresh']);
  });

  test('its edits count if the budget does not allow a repair', async () => {
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

  test('sums the usage of its calls', async () => {
    const usageOf = (inputTokens: number) => ({
      inputTokens,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      costUsd: null,
    });
    const spending = (tokens: number, text: string) =>
      answers({}, { text, structured: undefined, usage: usageOf(tokens) });
    const play = async (second: Word) => {
      const first = having((scene) => scene.git.write(SPEC, '# Text\n'), spending(1000, 'I did it.'));
      const scene = openScene({ says: { ...refuses, implementer: [first, second] } });
      const { usage } = await scene.play();
      const [fix] = (await scene.ledger()).filter(({ role }) => role === 'implementer');
      const lengths = scene.puts
        .slice(1, 3)
        .map(
          ({ question: { stable, dynamic, sessionId } }) =>
            (sessionId === null ? `${stable}\n\n${dynamic}` : dynamic).length,
        );
      expect([fix?.asks, fix?.promptChars]).toEqual([2, lengths.reduce((sum, length) => sum + length, 0)]);
      return { fix: fix?.usage?.inputTokens, all: usage?.inputTokens };
    };
    // Plus three reviews of 100 tokens.
    expect(await play(spending(10, 'Still not.'))).toEqual({ fix: 1010, all: 1310 });
    expect(await play({ ...fails({ kind: 'agent-error', said: '' }), usage: usageOf(10) })).toEqual({
      fix: 1010,
      all: 1310,
    });
    expect(await play(answers({ summary: 'Now.' }, { usage: usageOf(10) }))).toEqual({ fix: 1010, all: 1310 });
    expect(await play(fails({ kind: 'agent-error', said: '' }))).toEqual({ fix: 1000, all: 1300 });
  });

  test('a long summary is cut', async () => {
    const scene = openScene({ says: { ...refuses, implementer: [mumbles(1, 'x'.repeat(5000)), garbage('')] } });
    await scene.play();
    expect(
      scene
        .history()
        .match(/x+/g)
        ?.map((run) => run.length),
    ).toContain(1000);
  });
});

describe('a fixer that fails', () => {
  test.each([
    ['an error', { kind: 'agent-error', said: 'down' }],
    ['a timeout', { kind: 'timeout', seconds: 60 }],
    ['a limit', { kind: 'limit', said: 'enough', resetAt: null }],
  ] as const)('%s: ends with the open issues, and no other agent takes over', async (_title, failure) => {
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

  test('in the resumed session and in the new one', async () => {
    const down = fails({ kind: 'agent-error', said: 'down' });
    const scene = openScene({ usually: refusing, says: { implementer: [fixes(1), down, down] } });
    const { end, run } = await scene.play();
    expect(end?.why).toBe('fixer-failed');
    expect(run.rounds[1]?.fix?.turn?.spent.asks).toBe(2);
    expect(scene.history()).toContain('RESUME-FALLBACK: implementer iteration 2');
  });

  test('is not retried after a timeout, even in a resumed session', async () => {
    const scene = openScene({
      usually: refusing,
      says: { implementer: [fixes(1), fails({ kind: 'timeout', seconds: 9 })] },
    });
    expect((await scene.play()).end?.why).toBe('fixer-failed');
    expect(scene.told().filter((call) => call.startsWith('implementer'))).toHaveLength(2);
  });
});

describe('the choice of the fixer', () => {
  test('rejects an unknown name', async () => {
    const scene = openScene();
    expect(await scene.try({ fixing: { by: 'fixer', agent: 'bob' } })).toEqual({
      ok: false,
      failure: { kind: 'unknown-agent', name: 'bob', known: ['ann', 'fay'] },
    });
  });

  test('rejects an agent that cannot edit files', async () => {
    const scene = openScene({ agents: { ann: { canFix: false } } });
    expect(await scene.try({ fixing: { by: 'fixer', agent: 'ann' } })).toEqual({
      ok: false,
      failure: { kind: 'cannot-fix', name: 'ann', able: ['fay'] },
    });
    expect(scene.puts).toEqual([]);
  });

  test('without a fixer, one review decides', async () => {
    const scene = openScene({ usually: refusing });
    const { end, exitCode } = await scene.play({ fixing: { by: 'nobody' } });
    expect([end?.status, end?.why, exitCode]).toEqual(['needs_work', 'not-fixed', 1]);
    expect(scene.told()).toEqual(['spec-reviewer I1-R4']);
  });

  test('a good document needs no fixer', async () => {
    expect((await openScene().play({ fixing: { by: 'nobody' } })).end?.why).toBe('approved');
  });

  test('preparations need an agent that can edit files', async () => {
    const scene = openScene({ phase: 'implement', agents: { ann: { canFix: false } } });
    const simplify = [{ role: 'code-simplifier', part: null }] as const;
    expect(await scene.try({ fixing: { by: 'nobody' }, preparations: simplify })).toMatchObject({
      ok: false,
      failure: { kind: 'cannot-fix', name: 'ann', able: ['fay'] },
    });
    expect(scene.puts).toEqual([]);
  });
});

describe('preparations', () => {
  const OUTLINE = [{ role: 'test-deepener', part: 'A' }] as const;

  test('repair an unreadable outline; without one the phase ends', async () => {
    const scene = openScene({ phase: 'implement', says: { 'test-deepener-a': [garbage()] } });
    expect((await scene.play({ preparations: OUTLINE })).end?.why).toBe('approved');
    expect(scene.told().slice(0, 2)).toEqual(['test-deepener-a prepare', 'test-deepener-a repair']);
    for (const second of [garbage(), fails({ kind: 'agent-error', said: 'down' })]) {
      const scene = openScene({ phase: 'implement', says: { 'test-deepener-a': [garbage(), second] } });
      expect((await scene.play({ preparations: OUTLINE })).end).toMatchObject({
        status: 'error',
        why: 'preparation-failed',
      });
    }
  });

  test('sum the usage of their calls', async () => {
    const scene = openScene({ phase: 'implement', says: { 'test-deepener-a': [garbage()] } });
    const { run } = await scene.play({ preparations: OUTLINE });
    expect(run.preparations[0]?.usage?.inputTokens).toBe(200);
    expect((await scene.ledger())[0]).toMatchObject({ role: 'test-deepener', asks: 2, usage: { inputTokens: 200 } });
  });

  test('end the phase on a failure, and add it to the ledger', async () => {
    const failing = { ...fails({ kind: 'agent-error', said: 'down' }), usage: answersUsage };
    const scene = openScene({ phase: 'implement', usually: { 'test-deepener-a': failing } });
    expect((await scene.play({ preparations: OUTLINE })).end).toMatchObject({ why: 'preparation-failed' });
    expect(await scene.ledger()).toMatchObject([{ role: 'test-deepener', template: null, status: 'error', asks: 1 }]);
  });
});

const answersUsage = { inputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, costUsd: null };

test('an approval with suggestions ends the loop', async () => {
  const scene = openScene({
    says: { 'spec-reviewer': [{ ...APPROVES, issues: [{ severity: 'suggestion', description: 'x' }] }] },
  });
  expect((await scene.play()).end?.why).toBe('approved');
  expect(scene.told()).toEqual(['spec-reviewer I1-R4', 'phase-reviewer I1-R4']);
});
