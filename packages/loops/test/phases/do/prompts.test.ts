import type { RepoPath } from '@onceover/base/kernel/ids';
import type { DocumentPhase, Preparation, RoleName } from '@onceover/base/kernel/review-loops';
import type { Settings } from '@onceover/repo/config/settings';
import { answers } from '@onceover/testing/memory/reviewers.ts';
import { APPROVES, at, CODE, objects, openScene, type Put, type Scene, writes } from '@onceover/testing/phase/scene.ts';
import { describe, expect, test } from 'vitest';

const README = 'README.md' as RepoPath;
const SPEC = at('spec.md');

/** Returns the prompts of a role. */
const to = ({ puts }: Scene, role: RoleName): readonly Put[] => puts.filter((put) => put.role === role);
const dynamics = (scene: Scene, role: RoleName) => to(scene, role).map(({ question }) => question.dynamic);
const sessions = (scene: Scene, role: RoleName) => to(scene, role).map(({ question }) => question.sessionId);
const lengthOf = ({ question: { stable, dynamic } }: Put) => `${stable}\n\n${dynamic}`.length;

/** Returns the text below a heading, up to the next heading. */
function below(heading: string, text = ''): string {
  const from = text.indexOf(`${heading}\n`);
  const remainder = from === -1 ? '' : text.slice(from + heading.length + 1);
  return remainder.split(/^## /m)[0] ?? '';
}

describe('a document', () => {
  test.each<[DocumentPhase, RoleName]>([
    ['specify', 'spec-reviewer'],
    ['design', 'design-reviewer'],
    ['create-plan', 'plan-reviewer'],
    ['create-tasks', 'task-reviewer'],
  ])(
    '%s: one new session, then resumed with the delta, reviewers and fixer [REUSE-R1.8/resume-instead] [REUSE-BEHAVIOUR/reviewers-delta] [REUSE-BEHAVIOUR/implementer] [REUSE-FLOW/gate-passed] [REUSE-I7/fresh/role]',
    async (phase, domain) => {
      const path = at(
        `${{ specify: 'spec', design: 'design', 'create-plan': 'plan', 'create-tasks': 'tasks' }[phase]}.md`,
      );
      const scene = openScene({
        phase,
        says: {
          [domain]: [objects('one'), objects('two')],
          'phase-reviewer': [objects('three')],
          implementer: [writes(path, '# One\n'), writes(path, '# Two\n'), writes(path, '# Three\n')],
        },
      });
      const { end } = await scene.play();
      expect(end?.why).toBe('approved');
      expect(scene.told()).toEqual([
        `${domain} I1-R4`,
        'implementer I7-fresh',
        `${domain} I2`,
        'implementer I7-resumed',
        `${domain} I2`,
        'phase-reviewer I1-R4',
        'implementer I7-resumed',
        'phase-reviewer I2',
      ]);
      expect(sessions(scene, domain)).toEqual([null, 'ann-1', 'ann-1']);
      expect(sessions(scene, 'implementer')).toEqual([null, 'fay-1', 'fay-1']);
      expect(sessions(scene, 'phase-reviewer')).toEqual([null, 'ann-4']);
    },
  );

  test('a spec with a gap: two iterations, the first with the whole document and the second resumed with the diff, and no fallback [REUSE-TEST/end-to-end/two-iterations] [REUSE-TEST/end-to-end/iteration-1-fresh] [REUSE-TEST/end-to-end/iteration-2-resumed] [REUSE-TEST/end-to-end/same-outcome] [REUSE-TEST/end-to-end/no-fallback] [REUSE-R1.2a] [REUSE-TD2/phase/delta] [REUSE-I6/phase-diff]', async () => {
    const mend = { 'spec-reviewer': [objects('How fast?')], implementer: [writes(SPEC, '# Spec\n\nIt takes 5 ms.\n')] };
    const scene = openScene({ says: mend });
    const outcome = await scene.play();
    const [first, second] = dynamics(scene, 'spec-reviewer');
    expect(first).toContain('```markdown\n# Spec\n\nIt is fast.\n```');
    expect(to(scene, 'spec-reviewer')[0]?.question.stable).toContain('- PRD: /memory/docs/f/prd.md');
    const delta = below('## Delta', second);
    expect(delta).toContain('-It is fast.\n');
    expect(delta).toContain('+It takes 5 ms.\n');
    expect(delta.match(/diff --git/g)).toHaveLength(1);
    expect(second).not.toContain('Required Artifacts');
    expect(scene.history()).not.toContain('RESUME-FALLBACK');
    // With agents that cannot be resumed, the same answers lead to the same end.
    const fresh = openScene({ says: mend, agents: { ann: { canResume: async () => false } } });
    const again = await fresh.play();
    expect(fresh.told().filter((call) => call.endsWith('I2'))).toEqual([]);
    expect([again.end, again.run.rounds.length]).toEqual([outcome.end, outcome.run.rounds.length]);
  });

  test('changed upstream documents have their own heading', async () => {
    const scene = openScene({
      phase: 'design',
      says: {
        'design-reviewer': [
          (_, { git }) => {
            git.write(SPEC, '# Spec\n\nIt is faster.\n');
            return objects('which way?');
          },
        ],
        implementer: [writes(at('design.md'), '# Design\n\nThis way.\n')],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    const [, second] = dynamics(scene, 'design-reviewer');
    expect(below('## Delta', second)).toContain('+This way.');
    expect(below('## Delta', second)).not.toContain('spec.md');
    expect(below('## Changes to Upstream Artifacts', second)).toContain('+It is faster.');
  });

  test('a change of upstream documents alone counts as a change', async () => {
    const scene = openScene({
      phase: 'design',
      says: { 'design-reviewer': [objects('the spec is slow')], implementer: [writes(SPEC, '# Spec\n\nFast.\n')] },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told().slice(0, 3)).toEqual(['design-reviewer I1-R4', 'implementer I7-fresh', 'design-reviewer I2']);
    const [, second] = dynamics(scene, 'design-reviewer');
    expect(below('## Delta', second)).toContain('(Nothing changed.)');
    expect(below('## Changes to Upstream Artifacts', second)).toContain('+Fast.');
  });

  test.each([
    ['the reviewer opened', ['/memory/README.md'], '```diff\n'],
    ['the reviewer did not open', ['/memory/src/a.ts'], null],
    ['the reviewer may have opened', null, '```diff\n'],
  ])('another file that %s has its own heading', async (_, filesRead, expected) => {
    const scene = openScene({
      says: {
        'spec-reviewer': [
          (_put, { git }) => {
            git.write(README, '# Changed\n');
            return answers(objects('x'), { filesRead });
          },
          // A file stays known as opened when the session is resumed.
          (_put, { git }) => {
            git.write(README, '# Changed again\n');
            return answers(objects('y'), { filesRead: filesRead === null ? null : [] });
          },
        ],
        implementer: [writes(SPEC, '# Spec\n\nFixed.\n'), writes(SPEC, '# Spec\n\nFixed again.\n')],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    const [, second, third] = dynamics(scene, 'spec-reviewer');
    for (const [prompt, line] of [
      [second, '+# Changed\n'],
      [third, '+# Changed again\n'],
    ] as const) {
      const section = below('## Other changed files', prompt);
      if (expected === null) expect(section).toBe('');
      else expect(section).toContain(line);
      expect(section).not.toContain('.review-history.md');
      expect(below('## Delta', prompt)).not.toContain('README');
    }
  });

  test('the prompt asks the fixer to read other files again that it opened before', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [
          objects('x'),
          (_put, { git }) => {
            git.write(README, '# Changed\n');
            return objects('y');
          },
          objects('z'),
        ],
        implementer: [
          writes(SPEC, '# Spec\n\nFixed.\n', answers({ summary: 'Fixed.' }, { filesRead: ['README.md'] })),
          writes(SPEC, '# Spec\n\nFixed again.\n'),
          writes(SPEC, '# Spec\n\nFixed at last.\n'),
        ],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    const [, , third] = dynamics(scene, 'implementer');
    expect(below('## Changed Files to Re-read', third)).toContain('- README.md');
  });

  test('unrelated files are in no delta and no commit', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [
          (_, { git }) => {
            git.write('docs/new.md' as RepoPath, 'new\n');
            return objects('x');
          },
        ],
        implementer: [writes(SPEC, '# Spec\n\nFixed.\n')],
      },
    });
    scene.git.write(README, '# Changed before\n');
    expect((await scene.play()).end?.why).toBe('approved');
    expect(dynamics(scene, 'spec-reviewer')[1]).not.toMatch(/README|new\.md|src/);
    expect(scene.commits()).toEqual([[SPEC]]);
  });

  test.each([
    ['commits by itself', { commits: true }],
    ['commits, while onceover does not', { commits: false }],
  ])('a fixer that %s makes no difference', async (_title, request) => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('x')],
        implementer: [
          (_, { git }) => {
            git.write(SPEC, '# Spec\n\nFixed.\n');
            git.commit();
            return { summary: 'Fixed and committed.' };
          },
        ],
      },
    });
    expect((await scene.play(request)).end?.why).toBe('approved');
    expect(scene.told()[2]).toBe('spec-reviewer I2');
    expect(below('## Delta', dynamics(scene, 'spec-reviewer')[1])).toContain('+Fixed.');
  });

  test('without commits the delta is the same: it compares snapshots [REUSE-R1.2a/simplest-mechanism]', async () => {
    const play = async (commits: boolean) => {
      const scene = openScene({ says: { 'spec-reviewer': [objects('x')], implementer: [writes(SPEC, '# New\n')] } });
      const before = scene.git.now().commit;
      await scene.play({ commits });
      return { delta: dynamics(scene, 'spec-reviewer')[1], isCommitted: scene.git.now().commit !== before };
    };
    const [without, beside] = [await play(false), await play(true)];
    expect(without.delta).toBe(beside.delta);
    expect([without.isCommitted, beside.isCommitted]).toEqual([false, true]);
  });

  test('after every fix a commit of only that fix, named by the iteration [REUSE-TD2]', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('x'), objects('y')],
        implementer: [writes(SPEC, '# One\n'), writes(SPEC, '# Two\n')],
      },
    });
    await scene.play();
    const commits = scene.events.flatMap((event) => (event.kind === 'committed' ? [event] : []));
    expect(commits).toMatchObject([
      { message: 'onceover: specify review iteration 1 (spec-reviewer, loop-1)', files: 1, said: null },
      { message: 'onceover: specify review iteration 2 (spec-reviewer, loop-1)', files: 1, said: null },
    ]);
    expect(scene.commits()).toEqual([[SPEC], [SPEC]]);
  });
});

describe('the size guard', () => {
  const PRD = 'ä😀 '.repeat(15_000);
  const sentences = Array.from({ length: 400 }, (_, n) => `Satz ${n} ist neu geschrieben, mit Ümläuten und 😀.`);
  const rewritten = `# Spec\n\n${sentences.join('\n')}\n`;
  const play = async (deltaGuard: 'prompt' | 'effective', prd = '# PRD\n') => {
    const scene = openScene({
      files: { [at('prd.md')]: prd },
      settings: { deltaGuard },
      says: { 'spec-reviewer': [objects('x')], implementer: [writes(SPEC, rewritten, { summary: 'All new.' })] },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    return scene;
  };
  const lines = (scene: Scene) =>
    scene
      .history()
      .split('\n')
      .filter((line) => line.startsWith('DELTA-GUARD'));

  test('starts a new session if the delta is too long, and records both lengths in characters [REUSE-R1.4/characters]', async () => {
    const [promptScene, effectiveScene] = [await play('prompt'), await play('effective', PRD)];
    expect(promptScene.told()[2]).toBe('spec-reviewer I1-R4');
    const [first, second] = to(promptScene, 'spec-reviewer');
    if (first === undefined) throw new Error('no agent was called');
    // If the guard allows the same prompt, the log has its length.
    const delta = to(effectiveScene, 'spec-reviewer')[1]?.question.dynamic.length;
    expect(lines(promptScene)).toEqual([`DELTA-GUARD: spec-reviewer iteration 2 — ${delta}/${lengthOf(first) / 2}`]);
    expect(second?.question).toMatchObject({ sessionId: null, dynamic: expect.stringContaining(rewritten.trim()) });
    expect(promptScene.history()).not.toContain('RESUME-FALLBACK');
  });

  test('the next comparison uses the session and the prompt length of the new session', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('x'), objects('y')],
        implementer: [
          writes(SPEC, rewritten, { summary: 'All new.' }),
          writes(SPEC, `${rewritten}\nOne line more.\n`, { summary: 'One line.' }),
        ],
      },
    });
    await scene.play();
    expect(scene.told()).toEqual([
      'spec-reviewer I1-R4',
      'implementer I7-fresh',
      'spec-reviewer I1-R4',
      'implementer I7-resumed',
      'spec-reviewer I2',
      'phase-reviewer I1-R4',
    ]);
    expect(sessions(scene, 'spec-reviewer')).toEqual([null, null, 'ann-2']);
  });

  test('effective: the files that a new session must read count too, so the limit differs [REUSE-R1.4/adjustable] [REUSE-TD5/revisable]', async () => {
    const scene = await play('effective', PRD);
    expect([scene.told()[2], lines(scene)]).toEqual(['spec-reviewer I2', []]);
    const small = await play('effective', '# PRD\n');
    const [first] = to(small, 'spec-reviewer');
    if (first === undefined) throw new Error('no agent was called');
    const limit = (lengthOf(first) + '# PRD\n'.length) / 2;
    expect(lines(small)).toEqual([expect.stringMatching(new RegExp(`— \\d+/${limit}$`))]);
    // The data for monitoring is recorded.
    const entries = await small.ledger();
    expect(entries.filter(({ guarded }) => guarded)).toMatchObject([{ role: 'spec-reviewer', iteration: 2 }]);
  });
});

describe('code', () => {
  const B = 'src/b.ts' as RepoPath;
  const loop = () =>
    openScene({
      phase: 'implement',
      says: {
        'implementation-reviewer': [objects('one'), objects('two')],
        implementer: [writes(CODE, 'first\n', { summary: 'First.' }), writes(B, 'second\n', { summary: 'Second.' })],
      },
    });

  test('re-runs failed reviewers, then all, each with the changes it has not seen [REUSE-R1.2b] [REUSE-TD2/implement/delta] [REUSE-TD2/unified]', async () => {
    const scene = loop();
    const { end, run } = await scene.play();
    expect(end?.why).toBe('approved');
    expect(scene.told()).toEqual([
      'implementation-reviewer I1-R4',
      'code-quality-reviewer I1-R4',
      'security-reviewer I1-R4',
      'implementer I7-fresh',
      'implementation-reviewer I2',
      'implementer I7-resumed',
      'implementation-reviewer I2',
      'implementation-reviewer I2-FV',
      'code-quality-reviewer I2-FV',
      'security-reviewer I2-FV',
    ]);
    expect(run.rounds.map(({ entry }) => entry.isFinalValidation)).toEqual([false, false, false, true]);
    const [, second, third, last] = dynamics(scene, 'implementation-reviewer');
    expect(below('## Delta', second)).toMatch(
      /^```\n src\/a\.ts \| .*\n 1 file changed.*\n```\n```diff\ndiff --git a\/src\/a\.ts/,
    );
    expect(below('## Delta', second)).toContain('+first');
    expect(below('## Delta', third)).not.toContain('src/a.ts');
    expect(below('## Delta', third)).toContain('+second');
    expect(below('## Fix Summary', third)).not.toContain('First.');
    expect(below('## Changes Since Your Last Review', last)).toContain('(Nothing changed.)');
    const [, security] = dynamics(scene, 'security-reviewer');
    expect(below('## Changes Since Your Last Review', security)).toContain(' 2 files changed');
    expect(below('## Changes Since Your Last Review', security)).toMatch(/\+first[\s\S]*\+second/);
    expect(below('## Fix Summary', security)).toMatch(/Iteration 1: First\.[\s\S]*Iteration 2: Second\./);
    expect(security).toContain('(iteration 3 of 5)');
    expect(sessions(scene, 'security-reviewer')).toEqual([null, 'ann-3']);
  });

  test('sends only the reviewer with a regression back, in its session', async () => {
    const scene = openScene({
      phase: 'implement',
      says: {
        'implementation-reviewer': [objects('one')],
        'security-reviewer': [APPROVES, objects('leaks now')],
        implementer: [writes(CODE, 'first\n'), writes(CODE, 'second\n')],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told().slice(5)).toEqual([
      'implementation-reviewer I2-FV',
      'code-quality-reviewer I2-FV',
      'security-reviewer I2-FV',
      'implementer I7-resumed',
      'security-reviewer I2',
      'implementation-reviewer I2-FV',
      'code-quality-reviewer I2-FV',
      'security-reviewer I2-FV',
    ]);
    expect(new Set(sessions(scene, 'security-reviewer').slice(1))).toEqual(new Set(['ann-3']));
    expect(below('## New Issues to Fix', dynamics(scene, 'implementer')[1])).not.toContain('implementation-reviewer');
  });

  test('the implementer gets the changes since its last fix, and all files', async () => {
    const scene = loop();
    await scene.play();
    const [first, second] = dynamics(scene, 'implementer');
    expect(below('## All Implementation Files', first)).toBe('- src/a.ts\n\n');
    expect(below('## Issues to Fix', first)).toContain('implementation-reviewer: one');
    expect(below('## Changed Files to Re-read', second)).toBe('- src/a.ts\n\n');
    expect(below('## New Issues to Fix', second)).toContain('implementation-reviewer: two');
    expect(below('## New Issues to Fix', second)).not.toContain('reviewer: one');
  });

  test('documents of the feature, its history and .meta.json are not code', async () => {
    const scene = loop();
    scene.git.write(at('spec.md'), '# Changed\n');
    scene.git.write(at('.meta.json'), '{}');
    await scene.play();
    expect(below('## Implementation Files', dynamics(scene, 'security-reviewer')[0])).toMatch(
      /^\nOpen[\s\S]*:\n\n- src\/a\.ts\s*$/,
    );
    expect(dynamics(scene, 'security-reviewer')[1]).not.toMatch(/\.meta|review-history/);
    expect(scene.commits()).toEqual([[CODE], [B]]);
  });

  test('--files: only those files are reviewed', async () => {
    const scene = loop();
    scene.git.write(B, 'not asked for\n');
    await scene.play({ selection: { kind: 'files', files: [CODE], base: null } });
    expect(dynamics(scene, 'code-quality-reviewer').join()).not.toContain('src/b.ts');
  });

  test('--files: edits elsewhere are not committed, and a notice names them', async () => {
    const scene = openScene({
      phase: 'implement',
      says: {
        'security-reviewer': [objects('x')],
        implementer: [
          (_, { git }) => {
            git.write(CODE, 'fixed\n');
            git.write(B, 'new\n');
            return { summary: 'Fixed.' };
          },
        ],
      },
    });
    const { end, notices } = await scene.play({ selection: { kind: 'files', files: [CODE], base: null } });
    expect([end?.why, scene.commits(), scene.read(B)]).toEqual(['approved', [[CODE]], 'new\n']);
    expect(notices).toContainEqual({ kind: 'unseen-edits', paths: [B] });
  });

  test('a new session lists deleted files, even if there are no others', async () => {
    const scene = openScene({ phase: 'implement' });
    for (const file of ['README.md' as RepoPath, CODE]) scene.git.remove(file);
    await scene.play();
    expect(below('## Implementation Files', dynamics(scene, 'security-reviewer')[0])).toBe(
      '\nOpen and read them yourself:\n\n(none)\n\nThe change deletes:\n\n- README.md\n- src/a.ts',
    );
  });

  test('deleted and renamed files are in the delta, and no longer in the list', async () => {
    const scene = openScene({
      phase: 'implement',
      files: { 'src/old.ts': 'old\n' },
      says: {
        'security-reviewer': [objects('x'), objects('y')],
        implementer: [
          (_, { git }) => {
            git.remove(CODE);
            git.remove('src/old.ts' as RepoPath);
            git.write('src/new.ts' as RepoPath, 'old\n');
            return { summary: 'Moved.' };
          },
          writes('src/new.ts' as RepoPath, 'new\n'),
        ],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    const [, second] = dynamics(scene, 'security-reviewer');
    expect(below('## Delta', second)).toMatch(/src\/a\.ts[\s\S]*src\/new\.ts[\s\S]*src\/old\.ts/);
    const section = below('## All Implementation Files (for reference)', dynamics(scene, 'implementer')[1]);
    expect(section).toMatch(/^- src\/new\.ts\n\n[^-]/);
    expect(scene.commits()[0]).toEqual([CODE, 'src/new.ts', 'src/old.ts']);
  });
});

describe('preparations of implement', () => {
  const PREPARATIONS: readonly Preparation[] = [
    { role: 'code-simplifier', part: null },
    { role: 'test-deepener', part: 'A' },
    { role: 'test-deepener', part: 'B' },
  ];
  const outline = { title: 'empty input', given: 'nothing', action: 'run', expected: 'an error', source: 'spec.md' };

  test('make three calls in new sessions; part B gets the outlines of part A', async () => {
    const scene = openScene({
      phase: 'implement',
      says: {
        'code-simplifier': [writes(CODE, 'simple\n', { summary: 'Simpler.' })],
        'test-deepener-a': [{ outlines: [outline], summary: 'One gap.' }],
        'test-deepener-b': [writes('test/a.ts' as RepoPath, 'test\n', { summary: 'Tested.' })],
      },
    });
    const { end, run } = await scene.play({ preparations: PREPARATIONS });
    expect(end?.why).toBe('approved');
    expect(scene.told().slice(0, 4)).toEqual([
      'code-simplifier prepare',
      'test-deepener-a prepare',
      'test-deepener-b prepare',
      'implementation-reviewer I1-R4',
    ]);
    expect(scene.puts.slice(0, 4).map(({ question }) => question.writes)).toEqual([true, false, true, undefined]);
    expect(scene.puts.slice(0, 3).map(({ question }) => question.sessionId)).toEqual([null, null, null]);
    expect(scene.puts[2]?.question.dynamic).toMatch(/1\. empty input[\s\S]*One gap\./);
    expect(scene.puts[3]?.question.dynamic).toContain('- src/a.ts\n- test/a.ts');
    expect(run.preparations.map(({ summary }) => summary)).toEqual(['Simpler.', 'One gap.', 'Tested.']);
    expect(scene.commits()).toEqual([[CODE], ['test/a.ts']]);
    expect(scene.events.flatMap((event) => (event.kind === 'committed' ? [event.message] : []))).toEqual([
      'onceover: implement code-simplifier (loop-1)',
      'onceover: implement test-deepener B (loop-1)',
    ]);
    expect((await scene.ledger()).slice(0, 3)).toMatchObject([
      { role: 'code-simplifier', template: null, status: 'done', asks: 1 },
      { role: 'test-deepener', template: null, status: 'done' },
      { role: 'test-deepener', template: null, status: 'done' },
    ]);
    expect([...scene.logs.written.keys()].filter((name) => name.includes('/00_'))).toHaveLength(3);
  });

  test('end the phase before any review if one edits a protected file', async () => {
    const scene = openScene({
      phase: 'implement',
      says: { 'code-simplifier': [writes('onceover.yml' as RepoPath, 'agents: []\n')] },
    });
    const { end } = await scene.play({ preparations: PREPARATIONS });
    expect(end).toMatchObject({ status: 'error', why: 'forbidden-edit', paths: ['onceover.yml'] });
    expect([scene.told(), scene.commits()]).toEqual([['code-simplifier prepare'], []]);
  });
});

describe('a call', () => {
  test('has a description, the role and the model [REUSE-I1-R4/description] [REUSE-I1-R4/agent-type] [REUSE-I1-R4/model]', async () => {
    const agent = {
      model: 'sonnet',
      command: null,
      path: null,
      resume: true,
      env: {},
      sandbox: false,
      timeoutSeconds: null,
    };
    const scene = openScene({ settings: { agent: { ann: agent } } });
    await scene.play();
    const looks = scene.events.flatMap((event) => (event.kind === 'look-started' ? [event] : []));
    expect(looks).toMatchObject([
      { role: 'spec-reviewer', label: 'Review spec.md as spec-reviewer, iteration 1', model: 'sonnet', agent: 'ann' },
      { role: 'phase-reviewer', label: 'Review spec.md as phase-reviewer, iteration 1', model: 'sonnet' },
    ]);
    expect(scene.puts.map(({ question }) => question.model)).toEqual(['sonnet', 'sonnet']);
    expect(await scene.ledger()).toMatchObject([{ model: 'sonnet' }, { model: 'sonnet' }]);
  });

  test('to the implementer uses the model of its role; the settings can name another', async () => {
    const modelsFor = async (settings: Partial<Settings>) => {
      const says = { 'spec-reviewer': [objects('x')], implementer: [writes(SPEC, '# New\n')] };
      const scene = openScene({ agents: { ann: {}, claude: {} }, says, settings });
      await scene.play({ fixing: { by: 'fixer', agent: 'claude' } });
      return to(scene, 'implementer').map(({ question }) => question.model);
    };
    const agent = { command: null, path: null, resume: true, env: {}, sandbox: false, timeoutSeconds: null };
    expect(await modelsFor({})).toEqual(['opus']);
    expect(await modelsFor({ agent: { claude: { ...agent, model: 'sonnet' } } })).toEqual(['sonnet']);
  });

  test('that is resumed differs only in prompt and session: same stable part, schema and write permission [REUSE-C/same-tools]', async () => {
    const scene = openScene({
      says: {
        'spec-reviewer': [objects('x'), objects('y')],
        implementer: [writes(SPEC, '# One\n'), writes(SPEC, '# Two\n')],
      },
    });
    await scene.play();
    for (const role of ['spec-reviewer', 'implementer'] as const) {
      const [first, second] = to(scene, role).map(({ question }) => question);
      expect(second?.sessionId).not.toBeNull();
      expect({ ...second, dynamic: '', sessionId: null }).toEqual({ ...first, dynamic: '' });
    }
  });

  test('claims shorter prompts, with or without a cache behind them [REUSE-C/A1]', async () => {
    const scene = openScene({
      says: { 'spec-reviewer': [objects('x')], implementer: [writes(SPEC, '# Spec\n\nFast: 5 ms.\n')] },
    });
    const { saved } = await scene.play();
    const [, , second] = await scene.ledger();
    expect(second).toMatchObject({ role: 'spec-reviewer', dispatch: 'resumed', usage: { cachedInputTokens: 0 } });
    expect(second?.promptChars).toBeLessThan(second?.freshChars ?? 0);
    expect(second?.promptChars).toBe(to(scene, 'spec-reviewer')[1]?.question.dynamic.length);
    expect(saved.prefix).toBe(0);
  });
});
