import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type PhaseWish, playWish, previewWish } from '../../src/app/phase.ts';
import type { Failure } from '../../src/domain/failure.ts';
import { findPlace } from '../../src/io/place.ts';
import { type GateRepo, gateRepo } from '../support/gates.ts';
import { value } from '../support/snapshots.ts';

const AGENT = resolve(import.meta.dirname, '../support/agent.mjs');
const WISH: PhaseWish = {
  phase: 'specify',
  feature: 'docs/f',
  fixer: 'own',
  step: false,
  summary: null,
  rerun: false,
  acceptWithNotes: false,
  mostIterations: null,
  commits: true,
  keepSessions: false,
  files: null,
  base: null,
  simplify: false,
  deepenTests: false,
  startedBy: 'person',
  reporter: { tell: () => {} },
  stop: null,
};

/** A feature whose reviewer is `two` and whose fixer is a program in the repository that git is told to ignore. */
function featureRepo(): GateRepo {
  const repo = gateRepo({
    agents: ['two'],
    files: {
      '.gitignore': '/tools/\n',
      '.deepreview':
        'docs:\n  description: x\n  match: { include: ["**/*.md"] }\n  review: { strategy: individual, instructions: x }\n',
      'docs/f/spec.md': '# Spec\n\nIt is fast.\n',
      'docs/f/design.md': '# Design\n',
      'docs/f/plan.md': '# Plan\n',
      'docs/f/tasks.md': '# Tasks\n',
    },
  });
  mkdirSync(join(repo.root, 'tools'));
  copyFileSync(AGENT, join(repo.root, 'tools/agent.mjs'));
  const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  const folder = join(repo.root, '../agents');
  repo.write(
    'onceover.yml',
    settings.replace('gates:', `  own: { command: [node, tools/agent.mjs, own, ${folder}] }\ngates:`),
  );
  repo.commit('own agent');
  // Commits are made as whoever runs the tests, who may have no name.
  repo.git('config', 'user.name', 'Test');
  repo.git('config', 'user.email', 'test@example.invalid');
  return repo;
}

const placeOf = async ({ root }: GateRepo) => value(await findPlace(root));
const REFUSES = { approved: false, issues: [{ severity: 'blocker', description: 'How fast?' }], summary: 'No.' };

describe('a phase as it is wished', () => {
  test('code that is shown to nobody is named, also what the fixer made, and not what is left out by --files', async () => {
    const repo = featureRepo();
    repo.write('src/a.ts', 'export const a = 2;\n');
    repo.write('.env', 'KEY=1\n');
    const approves = { approved: true, issues: [], summary: '' };
    repo.answers('two', REFUSES as object, approves, approves, ...Array(4).fill(approves));
    repo.answers('own', { summary: 'Mended.', $run: 'echo 1 >> src/a.ts; echo KEY=2 > src/tokens.json' });
    const wish = { ...WISH, phase: 'implement' } as const;
    const { end, notices } = value(await playWish(await placeOf(repo), wish));
    expect([end?.why, notices]).toEqual([
      'approved',
      [{ kind: 'withheld', why: 'secret', paths: ['.env', 'src/tokens.json'] }],
    ]);
    const only = value(
      await previewWish(await placeOf(repo), { ...wish, files: { names: ['src'], source: 'arguments' } }),
    );
    expect(only.notices).toEqual([{ kind: 'withheld', why: 'secret', paths: ['src/tokens.json'] }]);
  });

  test('everything that whoever mends is judged by, or told of, is kept from it, also what git is told to ignore', async () => {
    const repo = featureRepo();
    const FORBIDDEN = [
      '.deepreview',
      '.onceover/reviews/code-quality.md',
      '.onceover/roles/spec-reviewer.md',
      'docs/f/.meta.json',
      'docs/f/.review-history.md',
      'onceover.yml',
      'tools/agent.mjs',
    ];
    repo.write('src/a.ts', 'export const a = 2;\n');
    const $run = `mkdir -p .onceover/roles; for f in ${FORBIDDEN.join(' ')} src/a.ts; do echo '# forged' >> $f; done`;
    repo.answers('two', REFUSES as object, REFUSES as object, REFUSES as object);
    repo.answers('own', { summary: 'Mended.', $run });
    const { end, exitCode } = value(await playWish(await placeOf(repo), { ...WISH, phase: 'implement' }));
    expect([end?.why, exitCode]).toEqual(['forbidden-edit', 1]);
    expect([...(end?.paths ?? [])].sort()).toEqual(FORBIDDEN);
    expect(repo.git('log', '--format=%s', 'main..').trim()).toBe('own agent');
  });

  test('a fixer mends, is committed, and both reviewers approve', async () => {
    const repo = featureRepo();
    const approves = { approved: true, issues: [], summary: 'Good.' };
    repo.answers('two', REFUSES as object, approves as object, approves as object);
    repo.answers('own', { summary: 'Mended.', $run: 'echo "Within 5 ms." >> docs/f/spec.md' });
    const place = await placeOf(repo);
    expect(value(await previewWish(place, WISH)).dispatches).toMatchObject([{ role: 'spec-reviewer', agent: 'two' }]);
    expect(repo.calls()).toEqual([]);
    expect(value(await playWish(place, WISH)).end?.why).toBe('approved');
    expect(repo.git('log', '-1', '--format=%s')).toBe('onceover: specify review iteration 1\n');
    expect(repo.calls().map(({ name }) => name)).toEqual(['two', 'own', 'two', 'two']);
  });

  test('what cannot be meant is refused, and nobody is asked', async () => {
    const repo = featureRepo();
    const place = await placeOf(repo);
    const WRONG: readonly (readonly [Partial<PhaseWish>, Failure['kind']])[] = [
      [{ phase: 'ship' }, 'unknown-phase'],
      [{ feature: 'docs/g' }, 'no-feature'],
      [{ feature: 'docs/f/spec.md' }, 'no-feature'],
      [{ feature: '../agents' }, 'path-outside'],
      [{ feature: '' }, 'path-outside'],
      [{ phase: 'implement', files: { names: ['/etc/passwd'], source: 'arguments' } }, 'path-outside'],
      [{ fixer: 'bob' }, 'unknown-agent'],
    ];
    for (const [wish, kind] of WRONG) {
      const ended = await playWish(place, { ...WISH, ...wish });
      expect(ended, JSON.stringify(wish)).toMatchObject({ ok: false, failure: { kind } });
    }
    expect(repo.calls()).toEqual([]);
  });
});
