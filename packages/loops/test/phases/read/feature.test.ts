import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { PHASES, type PhaseName } from '@onceover/base/kernel/review-loops';
import { type RealScene, realScene } from '@onceover/testing/phase/real-ports.ts';
import { at, openScene } from '@onceover/testing/phase/scene.ts';
import { describe, expect, test } from 'vitest';
import type { PhaseNotice } from '../../../src/phases/run-types.ts';

const SPEC = at('spec.md');

describe('the inputs of a phase', () => {
  const NEEDS: Readonly<Record<PhaseName, readonly string[]>> = {
    specify: ['spec.md'],
    design: ['spec.md', 'design.md'],
    'create-plan': ['spec.md', 'design.md', 'plan.md'],
    'create-tasks': ['spec.md', 'design.md', 'plan.md', 'tasks.md'],
    implement: ['spec.md', 'design.md', 'plan.md', 'tasks.md'],
  };
  const MAKES: Readonly<Record<string, PhaseName>> = {
    'spec.md': 'specify',
    'design.md': 'design',
    'plan.md': 'create-plan',
    'tasks.md': 'create-tasks',
  };

  test.each(PHASES)('%s: has every document, or names the missing one and the phase that makes it', async (phase) => {
    for (const name of NEEDS[phase]) {
      for (const [text, why] of [
        [null, 'missing'],
        ['', 'empty'],
        [' \n\t\n', 'empty'],
        ['a\0b', 'not-text'],
      ] as const) {
        const scene = openScene({ phase, files: { [at(name)]: text } });
        const failure = { kind: 'unusable-artifact', path: at(name), why, phase: MAKES[name], needs: phase };
        expect(await scene.try(), `${name} ${why}`).toEqual({ ok: false, failure });
        expect([scene.puts, scene.history()]).toEqual([[], '']);
      }
    }
    for (const name of Object.keys(MAKES).filter((document) => !NEEDS[phase].includes(document))) {
      expect(await openScene({ phase, files: { [at(name)]: null } }).try(), name).toMatchObject({ ok: true });
    }
  });

  type Spot = { readonly file: string; readonly scene: RealScene };
  test.each<[Extract<Failure, { kind: 'unusable-artifact' }>['why'], string, (spot: Spot) => void]>([
    [
      'ignored',
      'git ignores it',
      ({ file, scene }) => [scene.repo.write('.gitignore', 'spec.md\n'), writeFileSync(file, '# Spec\n')],
    ],
    ['withheld', 'it is too large to be sent', ({ file }) => writeFileSync(file, 'x'.repeat(5 * 1024 * 1024 + 1))],
    ['symlink', 'it is a symlink', ({ file }) => symlinkSync('prd.md', file)],
    ['symlink', 'it leads out', ({ file }) => symlinkSync('/etc/hostname', file)],
    ['missing', 'it is a folder', ({ scene }) => scene.repo.write(`${SPEC}/part.md`, 'x')],
    ['not-text', 'it is no UTF-8', ({ file }) => writeFileSync(file, Buffer.from([0x23, 0xff, 0xfe, 0x41]))],
    ['not-text', 'it is very long', ({ file }) => writeFileSync(file, 'x\n'.repeat(2.2 * 1024 * 1024))],
  ])('%s: %s', async (why, _title, arrange) => {
    const scene = await realScene({ phase: 'design', files: { [SPEC]: null } });
    arrange({ scene, file: join(scene.repo.root, SPEC) });
    const failure = { kind: 'unusable-artifact', path: SPEC, why, phase: 'specify', needs: 'design' };
    expect(await scene.try()).toEqual({ ok: false, failure });
    expect(scene.puts).toEqual([]);
  });

  test('accepts a document that is not committed, or that is ignored but tracked', async () => {
    const scene = await realScene({ phase: 'design', files: { '.gitignore': 'spec.md\n', [at('design.md')]: null } });
    scene.repo.git('add', '-f', SPEC);
    scene.repo.write(at('design.md'), '# Design\n\nNew.\n');
    expect((await scene.play()).end?.why).toBe('approved');
    expect(scene.puts[0]?.question.dynamic).toContain('New.');
  });

  test('fails if the document is too long for the reviewer', async () => {
    const scene = openScene({ agents: { ann: { diffLimit: 50_000 } }, files: { [SPEC]: 'x'.repeat(30_001) } });
    expect(await scene.try()).toEqual({
      ok: false,
      failure: { kind: 'artifact-too-long', path: SPEC, characters: 30_001, limit: 30_000, agent: 'ann' },
    });
    const fits = openScene({ agents: { ann: { diffLimit: 50_000 } }, files: { [SPEC]: 'x'.repeat(30_000) } });
    expect((await fits.play()).end?.why).toBe('approved');
  });

  test('a document that grows too long: no verdict and no call', async () => {
    const scene = openScene({
      agents: { ann: { diffLimit: 50_000, canResume: async () => false }, fay: {} },
      says: {
        'spec-reviewer': [{ approved: false, issues: [], summary: 'Too short.' }],
        implementer: [
          (_, { git }) => {
            git.write(SPEC, 'x'.repeat(60_000));
            return { summary: 'Longer.' };
          },
        ],
      },
    });
    const { end } = await scene.play();
    expect(end).toMatchObject({
      why: 'reviewer-failed',
      failure: { kind: 'agent-error', said: expect.stringContaining('50000') },
    });
    expect(scene.told()).toEqual(['spec-reviewer I1-R4', 'implementer I7-fresh']);
    expect(await scene.ledger()).toHaveLength(2);
  });

  test('refuses documents in log_dir, where the committed version would be reviewed', async () => {
    const feature = '.deepwork/tmp/f' as RepoPath;
    const scene = await realScene({ files: { [`${feature}/spec.md`]: '# Old\n' } });
    const failure = { kind: 'unusable-artifact', path: `${feature}/spec.md`, why: 'generated' };
    expect(await scene.try({ feature })).toMatchObject({ ok: false, failure });
    expect(scene.puts).toEqual([]);
  });

  test.each<PhaseName>(['specify', 'implement'])('%s: a log_dir that hides nothing', async (phase) => {
    const scene = await realScene({ phase });
    scene.repo.write('src/new.ts', 'new\n');
    const settings = { ...scene.request.settings, logDir: 'docs' as RepoPath };
    expect(await scene.try({ settings })).toMatchObject({
      ok: false,
      failure: { kind: 'log-dir-hides', logDir: 'docs' },
    });
    expect(scene.puts).toEqual([]);
  });

  test('checks the history before calling an agent', async () => {
    const scene = await realScene({});
    const history = join(scene.repo.root, at('.review-history.md'));
    symlinkSync(join(scene.repo.root, 'README.md'), history);
    expect(await scene.try()).toMatchObject({ ok: false, failure: { kind: 'disk', path: history } });
    rmSync(history);
    writeFileSync(history, Buffer.from([0xff]));
    expect(await scene.try()).toMatchObject({ ok: false, failure: { kind: 'disk', code: 'not-utf8' } });
    expect(scene.puts).toEqual([]);
  });

  test('implement: code that differs from its base', async () => {
    const scene = await realScene({ phase: 'implement' });
    expect(await scene.try()).toEqual({ ok: false, failure: { kind: 'nothing-to-implement', base: 'main' } });
    scene.repo.write(at('spec.md'), '# Spec\n\nOnly a document.\n');
    scene.repo.write(at('.meta.json.unreadable-20260301T120000000Z'), 'oh');
    expect(await scene.try()).toMatchObject({ ok: false, failure: { kind: 'nothing-to-implement' } });
    scene.repo.write('src/new.ts', 'new\n');
    expect((await scene.play({ fixing: { by: 'nobody' } })).end?.why).toBe('approved');
    expect(scene.puts[0]?.question.dynamic).toContain('- src/new.ts');
  });

  test.skipIf(process.platform === 'darwin')('implement: refuses file names that cannot be shown', async () => {
    const scene = await realScene({ phase: 'implement' });
    scene.repo.write('src/new.ts', 'new\n');
    writeFileSync(Buffer.from(`${scene.repo.root}/src/\xff.ts`, 'latin1'), 'odd\n');
    const refusal = { ok: false, failure: { kind: 'unnameable-code', names: ['src/\xff.ts'] } };
    expect(await scene.try()).toEqual(refusal);
    const only = (file: string) => ({ selection: { kind: 'files', files: [file as RepoPath], base: null } }) as const;
    expect(await scene.try(only('src'))).toEqual(refusal);
    expect(scene.puts).toEqual([]);
    expect(await scene.try(only('src/new.ts'))).toMatchObject({ ok: true });
  });
});

describe('the PRD', () => {
  const line = ({ puts }: { readonly puts: RealScene['puts'] }) =>
    /^- PRD: (.*)$/m.exec(puts[0]?.question.stable ?? '')?.[1];
  const meta = (source: unknown) => JSON.stringify({ brainstorm_source: source });
  const NONE = 'No PRD — feature created without brainstorm';

  test.each<[string, Readonly<Record<string, string | null>>, string, readonly PhaseNotice[]]>([
    ['its own', { [at('.meta.json')]: meta('docs/b.md') }, '/memory/docs/f/prd.md', []],
    [
      'the source of the feature',
      { [at('prd.md')]: null, [at('.meta.json')]: meta('docs/b.md') },
      '/memory/docs/b.md',
      [],
    ],
    [
      'the same by its absolute path',
      { [at('prd.md')]: null, [at('.meta.json')]: meta('/memory/docs/b.md') },
      '/memory/docs/b.md',
      [],
    ],
    ['none', { [at('prd.md')]: null }, NONE, []],
    ['none, because the source is empty', { [at('prd.md')]: null, [at('.meta.json')]: meta(' ') }, NONE, []],
    [
      'none, because the source is missing',
      { [at('prd.md')]: null, [at('.meta.json')]: meta('docs/gone.md') },
      NONE,
      [{ kind: 'prd-left-out', path: 'docs/gone.md', why: 'missing' }],
    ],
    ...['../secret.md', '/etc/passwd', 'docs/../../x.md', '.git/config', 'docs/.git/x'].map(
      (path): [string, Readonly<Record<string, string | null>>, string, readonly PhaseNotice[]] => [
        `none from ${path}`,
        { [at('prd.md')]: null, [at('.meta.json')]: meta(path) },
        NONE,
        [{ kind: 'prd-left-out', path, why: 'outside' }],
      ],
    ),
  ])('%s [REUSE-I8]', async (_title, files, expected, notices) => {
    const scene = openScene({ files: { 'docs/b.md': '# Brainstorm\n', ...files } });
    const outcome = await scene.play();
    expect([line(scene), outcome.notices]).toEqual([expected, notices]);
  });

  test('without a PRD there is no warning about reading it', async () => {
    const scene = openScene({ files: { [at('prd.md')]: null } });
    await scene.play();
    expect(scene.history()).not.toContain('LAZY-LOAD-WARNING: spec-reviewer');
  });

  test('refuses a source that is ignored or a symlink', async () => {
    const scene = await realScene({
      files: { [at('prd.md')]: null, [at('.meta.json')]: meta('docs/b.md'), '.gitignore': 'b.md\n' },
    });
    scene.repo.write('docs/b.md', '# Brainstorm\n');
    const failure = { kind: 'unusable-artifact', path: 'docs/b.md', phase: null, needs: 'specify' };
    expect(await scene.try()).toEqual({ ok: false, failure: { ...failure, why: 'ignored' } });
    rmSync(join(scene.repo.root, 'docs/b.md'));
    scene.repo.write('.gitignore', '');
    symlinkSync('/etc/passwd', join(scene.repo.root, 'docs/b.md'));
    expect(await scene.try()).toEqual({ ok: false, failure: { ...failure, why: 'symlink' } });
    expect(scene.puts).toEqual([]);
  });
});

test('the feature may be the repository root', async () => {
  const names = ['prd', 'spec'].map((name) => [`${name}.md`, `# ${name}\n`]);
  const scene = openScene({ files: Object.fromEntries(names) });
  const plan = await scene.try({ feature: '' as RepoPath, fixing: { by: 'nobody' } });
  expect(plan).toMatchObject({ ok: true, value: { end: { why: 'approved' } } });
  expect(scene.puts[0]?.question.stable).toContain('- PRD: /memory/prd.md');
});
