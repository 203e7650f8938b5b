import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { type RealScene, realScene } from '@onceover/testing/phase/real-ports.ts';
import { at, objects } from '@onceover/testing/phase/scene.ts';
import type { TestRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

const SPEC = at('spec.md');
const LINES = Array.from({ length: 60 }, (_, n) => `- R${n}: it does thing ${n} and says so to each caller that asks.`);
const spec = (lines: readonly string[]) => `# Spec\n\n${lines.join('\n')}\n`;
const replaced = (at_: number, text: string) => LINES.map((line, n) => (n === at_ ? text : line));
const delta = (scene: RealScene) => scene.puts.find(({ template }) => template === 'I2')?.question.dynamic ?? '';
const left = ({ repo }: RealScene) => repo.git('status', '--porcelain=v1', '-uall').split('\n').filter(Boolean);

describe('a loop in a repository', () => {
  test('has lines of context around changes; staged and changed files of others are in neither delta nor commit', async () => {
    const scene: RealScene = await realScene({
      files: { [SPEC]: spec(LINES), 'README.md': 'r\n', 'src/b.ts': 'b\n' },
      says: {
        'spec-reviewer': [objects('R30 has no number')],
        implementer: [
          () => {
            scene.repo.write(SPEC, spec(replaced(30, '- R30: within 5 ms.')));
            return { summary: 'R30 has a number.' };
          },
        ],
      },
    });
    scene.repo.write('src/b.ts', 'staged\n');
    scene.repo.git('add', 'src/b.ts');
    scene.repo.write('README.md', 'changed\n');
    scene.repo.write('new.txt', 'new\n');
    const before = left(scene);
    expect((await scene.play()).end?.why).toBe('approved');
    expect(delta(scene)).toMatch(
      /@@ -30,7 \+30,7 @@.*\n - R27.*\n - R28.*\n - R29.*\n-- R30: it.*\n\+- R30: within 5 ms\.\n - R31/,
    );
    expect(delta(scene)).not.toMatch(/README|b\.ts|new\.txt/);
    expect(scene.repo.git('log', '--format=%s', 'main..')).toMatch(
      /^onceover: specify review iteration 1 \(spec-reviewer, loop-.*\)\n$/,
    );
    expect(scene.repo.git('show', '--format=', '--name-only', 'HEAD')).toBe(`${SPEC}\n`);
    expect(left(scene).filter((line) => !line.includes('docs/f/.'))).toEqual(before);
  });

  test('with long lines: the delta is by sentence', async () => {
    const sentences = Array.from(
      { length: 80 },
      (_, n) => `Requirement ${n} says that it does thing ${n} for any caller.`,
    );
    const scene: RealScene = await realScene({
      files: { [SPEC]: `# Spec\n\n${sentences.join(' ')}\n` },
      says: {
        'spec-reviewer': [objects('x')],
        implementer: [
          () => {
            const nextSentences = sentences.map((sentence, n) => (n === 40 ? 'Requirement 40 takes 5 ms.' : sentence));
            scene.repo.write(SPEC, `# Spec\n\n${nextSentences.join(' ')}\n`);
            return { summary: 'Fixed.' };
          },
        ],
      },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.told()[2]).toBe('spec-reviewer I2');
    expect(delta(scene)).toMatch(/By sentence:[\s\S]*Requirement 40/);
    expect(delta(scene)).not.toContain('Requirement 39');
    expect(delta(scene).length).toBeLessThan(2000);
  });

  test('of 1 MB, whose fixer commits by itself together with all other changes', async () => {
    const lines = Array.from(
      { length: 17_000 },
      (_, n) => `- R${n}: it does thing ${n} and says so to each caller that asks.`,
    );
    const scene: RealScene = await realScene({
      agents: { ann: { diffLimit: 4_000_000 }, fay: { diffLimit: 4_000_000 } },
      files: { [SPEC]: spec(lines) },
      says: {
        'spec-reviewer': [objects('x')],
        implementer: [
          () => {
            scene.repo.write(SPEC, spec(lines.map((line, n) => (n === 9000 ? '- R9000: within 5 ms.' : line))));
            scene.repo.commit('by the fixer');
            return { summary: 'Fixed and committed.' };
          },
        ],
      },
    });
    expect(spec(lines).length).toBeGreaterThan(1_000_000);
    expect((await scene.play()).end?.why).toBe('approved');
    expect(delta(scene)).toContain('+- R9000: within 5 ms.');
    expect(scene.puts[0]?.question.dynamic.length).toBeGreaterThan(1_000_000);
    expect(scene.repo.git('log', '--format=%s', 'main..')).toBe('by the fixer\n');
  });

  test('of code: renamed, deleted and binary files, and new ones', async () => {
    const scene: RealScene = await realScene({
      phase: 'implement',
      files: { 'src/old.ts': `${LINES.join('\n')}\n`, 'src/gone.ts': 'gone\n', 'logo.png': '\x89PNG\0\x01\x02' },
      says: {
        'security-reviewer': [objects('x')],
        implementer: [
          () => {
            scene.repo.git('mv', 'src/old.ts', 'src/new.ts');
            rmSync(join(scene.repo.root, 'src/gone.ts'));
            scene.repo.write('logo.png', '\x89PNG\0\x01\x03');
            scene.repo.write('src/more.ts', 'more\n');
            chmodSync(join(scene.repo.root, 'src/a.ts'), 0o755);
            return { summary: 'Tidied.' };
          },
        ],
      },
    });
    scene.repo.write('src/a.ts', 'two\n');
    expect((await scene.play()).end?.why).toBe('approved');
    expect(delta(scene)).toMatch(/ src\/old\.ts => src\/new\.ts \| \+0 -0\n/);
    expect(delta(scene)).toMatch(/\+.*PNG\\x00\\x01\\x03/);
    expect(delta(scene)).toMatch(/rename from src\/old\.ts\nrename to src\/new\.ts/);
    expect(delta(scene)).toMatch(/new mode 100755/);
    const lines = scene.repo.git('show', '--format=', '--name-status', 'HEAD').trim().split('\n');
    expect(lines).toEqual([
      'M\tlogo.png',
      'M\tsrc/a.ts',
      'D\tsrc/gone.ts',
      'A\tsrc/more.ts',
      'R100\tsrc/old.ts\tsrc/new.ts',
    ]);
    expect(left(scene).filter((line) => !line.includes('docs/f/.'))).toEqual([]);
  });

  test('in the middle of a merge: the commit fails with a notice, nothing is lost, and the loop continues', async () => {
    const scene: RealScene = await realScene({
      says: {
        'spec-reviewer': [objects('x')],
        implementer: [
          () => {
            scene.repo.write(SPEC, '# Spec\n\nFixed.\n');
            return { summary: 'Fixed.' };
          },
        ],
      },
    });
    scene.repo.git('checkout', '-q', 'main');
    scene.repo.write('src/a.ts', 'theirs\n');
    scene.repo.commit('theirs');
    scene.repo.git('checkout', '-q', 'work');
    scene.repo.write('src/a.ts', 'ours\n');
    scene.repo.commit('ours');
    expect(() => scene.repo.git('merge', '-q', 'main')).toThrow();
    const { end, notices } = await scene.play();
    expect(end?.why).toBe('approved');
    expect(notices).toMatchObject([{ kind: 'commit-failed', said: expect.stringContaining('merge') }]);
    expect(scene.told()[2]).toBe('spec-reviewer I3');
    expect(left(scene)).toEqual(expect.arrayContaining([` M ${SPEC}`, 'UU src/a.ts']));
  });

  const step = (summary: string | null) => ({ fixing: { by: 'caller', summary, keepSessions: true } as const });

  /** Code that differs from main, on main itself, so that our commit includes it. */
  async function onMain(options: Parameters<typeof realScene>[0] = {}): Promise<RealScene> {
    const scene: RealScene = await realScene({ phase: 'implement', files: { 'src/b.ts': 'b\n' }, ...options });
    scene.repo.git('checkout', '-q', '-B', 'main');
    for (const name of ['a', 'b']) scene.repo.write(`src/${name}.ts`, 'new\n');
    return scene;
  }
  const toSecurity = (scene: RealScene) =>
    scene.puts.filter(({ role }) => role === 'security-reviewer').map(({ question }) => question.dynamic);

  test('on the branch that code is compared with, committed fixes stay part of the change', async () => {
    const fix = (n: number) => () => {
      scene.repo.write('src/a.ts', `fixed ${n}\n`);
      return { summary: `Fixed ${n}.` };
    };
    const scene: RealScene = await onMain({
      says: { 'security-reviewer': [objects('x'), objects('y')], implementer: [fix(1), fix(2)] },
    });
    expect((await scene.play()).end?.why).toBe('approved');
    const [, second, third] = toSecurity(scene);
    expect([second, third]).toEqual([expect.stringContaining('+fixed 1'), expect.stringContaining('+fixed 2')]);
    const last = scene.puts.filter(({ template }) => template === 'I2-FV').map(({ question }) => question.dynamic);
    expect(last.filter((text) => text.includes('+fixed 2'))).toHaveLength(2);
    expect(scene.repo.git('log', '--format=%s', '-2')).toMatch(/iteration 2 fixes \(.*\n.*iteration 1 fixes \(.*\n/);
  });

  test('open issues at the cap can be accepted there, although nothing differs from the branch any more', async () => {
    const scene: RealScene = await onMain({
      says: {
        'security-reviewer': [objects('x'), objects('y')],
        implementer: [
          () => {
            for (const name of ['a', 'b']) scene.repo.write(`src/${name}.ts`, 'fixed\n');
            return { summary: 'Fixed.' };
          },
        ],
      },
    });
    expect((await scene.play({ mostIterations: 2 })).end?.why).toBe('cap');
    expect(left(scene).filter((line) => !line.includes('docs/f/.'))).toEqual([]);
    expect((await scene.play({ acceptWithNotes: true })).end?.why).toBe('accepted-with-notes');
  });

  test('the same if one call makes the fix and the next commits it', async () => {
    const scene = await onMain({ says: { 'security-reviewer': [objects('x'), objects('y')] } });
    await scene.play(step(null));
    for (const n of [1, 2]) {
      scene.repo.write('src/a.ts', `fixed ${n}\n`);
      await scene.play(step(`Fixed ${n}.`));
      expect(toSecurity(scene)[n]).toContain(`+fixed ${n}`);
    }
  });
  const heldRefs = ({ repo }: RealScene) => repo.git('for-each-ref', '--format=%(refname)', 'refs/onceover');
  const collect = ({ repo }: RealScene) => repo.git('gc', '-q', '--prune=now');
  const lose = (scene: RealScene) => {
    for (const ref of scene.repo.git('for-each-ref', '--format=%(refname)').split('\n')) {
      if (ref.includes('onceover')) scene.repo.git('update-ref', '-d', ref);
    }
    collect(scene);
  };

  test.each([
    ['sessions, snapshots and the position in the loop', () => {}, 'spec-reviewer I2'],
    ['garbage collection by git loses nothing', collect, 'spec-reviewer I2'],
    ['a lost snapshot loses only the delta', lose, 'spec-reviewer I3'],
  ])('one call per round, with state on disk: %s', async (_title, meanwhile, second) => {
    const scene = await realScene({ says: { 'spec-reviewer': [objects('x')] }, files: { [SPEC]: spec(LINES) } });
    scene.repo.write(SPEC, spec(replaced(1, '- R1: not committed.')));
    expect((await scene.play(step(null))).end).toBeNull();
    // A run that ends in between releases the snapshots that its own records do not need.
    expect((await scene.ports.snapshots.prune(new Set())).ok).toBe(true);
    scene.repo.write(SPEC, spec(replaced(3, '- R3: within 5 ms.')));
    meanwhile(scene);
    const { end } = await scene.play(step('R3 has a number.'));
    expect(end?.why).toBe('approved');
    expect(scene.told()).toEqual(['spec-reviewer I1-R4', second, 'phase-reviewer I1-R4']);
    expect(delta(scene).includes('+- R3: within 5 ms.')).toBe(second.endsWith('I2'));
    expect(existsSync(join(scene.repo.root, '.deepwork/logs/phases'))).toBe(true);
    expect(left(scene).every((line) => line.includes('docs/f/.'))).toBe(true);
    expect(heldRefs(scene)).toBe('');
  });

  test.each([
    ['another call per round', { ...step(null), rerun: true }, 1],
    ['a new loop', { fixing: { by: 'nobody' } as const }, 0],
  ])('replacing a waiting loop releases its snapshots: %s', async (_title, request, after) => {
    const scene = await realScene({ says: { 'spec-reviewer': [objects('x'), objects('y')] } });
    await scene.play(step(null));
    const before = heldRefs(scene);
    scene.repo.write(SPEC, '# Spec\n\nOther.\n');
    await scene.play(request);
    expect(before.trim().split('\n')).toHaveLength(1);
    expect(heldRefs(scene)).not.toContain(before.trim());
    expect(heldRefs(scene).split('\n').filter(Boolean)).toHaveLength(after);
  });
});

test('the first document of a repository without a commit can be reviewed', async () => {
  const scene = await realScene();
  scene.repo.git('update-ref', '-d', 'refs/heads/work');
  scene.repo.git('update-ref', '-d', 'refs/heads/main');
  scene.repo.git('rm', '-rq', '--cached', '.');
  expect((await scene.play({ fixing: { by: 'nobody' }, feature: 'docs/f' as RepoPath })).end?.why).toBe('approved');
});

describe('a fixer that hides code from the reviewers', () => {
  const hiding = (act: (repo: TestRepo) => void): Promise<RealScene> => {
    const promise: Promise<RealScene> = realScene({
      phase: 'implement',
      agents: { ann: { canResume: async () => false } },
      says: {
        'security-reviewer': [objects('leaks')],
        implementer: [
          async () => {
            act((await promise).repo);
            return { summary: 'Fixed.' };
          },
        ],
      },
    });
    return promise;
  };

  test.each<[string, string, (repo: TestRepo) => void]>([
    ['in an ignored folder', 'build/new.ts', ({ write }) => write('build/new.ts', 'new\n')],
    ['with a .gitignore file', 'src/.gitignore', ({ write }) => write('src/.gitignore', 'new.ts\n')],
    ['with an attribute', '.gitattributes', ({ write }) => write('.gitattributes', '*.ts -diff\n')],
    ['with an exclude rule', '.git', ({ write }) => write('.git/info/exclude', 'build\nnew.ts\n')],
    ['with a setting of git', '.git', ({ git }) => git('config', 'core.fileMode', 'false')],
    [
      'in a repository inside',
      'inner',
      ({ git, write }) => {
        write('inner/new.ts', 'new\n');
        git('init', '-q', 'inner');
      },
    ],
  ])('%s: the phase ends with an error', async (_title, path, act) => {
    const scene = await hiding(act);
    scene.repo.write('.git/info/exclude', 'build\n');
    scene.repo.write('src/new.ts', 'new\n');
    const { end, notices } = await scene.play();
    expect([end?.status, end?.why]).toEqual(['error', 'forbidden-edit']);
    expect(end?.paths.some((name) => name.startsWith(path))).toBe(true);
    expect(notices.map(({ kind }) => kind)).toContain('hidden-by-fixer');
  });

  test('behind a moved base branch: the reviewers still get all files', async () => {
    const scene = await hiding(({ git, write }) => {
      git('branch', '-f', 'main', 'HEAD^');
      write('src/b.ts', 'fixed\n');
    });
    for (const name of ['src/c.ts', 'src/d.ts']) {
      scene.repo.write(name, 'new\n');
      scene.repo.commit(name);
    }
    expect((await scene.play()).end?.why).toBe('approved');
    const last = scene.puts.at(-1)?.question.dynamic;
    expect(last).toMatch(/src\/c\.ts[\s\S]*src\/d\.ts/);
  });
});
