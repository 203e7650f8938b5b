import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Failure } from '@onceover/base/kernel/failure';
import { findRepository } from '@onceover/repo/git/locate';
import { type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { memoryProof } from '@onceover/testing/memory/proof.ts';
import { value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';
import { openAndPreviewPhase, openAndRunPhase } from '../../src/phases/open-phase.ts';
import type { PhaseOptions } from '../../src/phases/run-types.ts';

const NO_GUARD = () => memoryProof();
const AGENT = resolve(import.meta.dirname, '../../../../test/support/agent.mjs');
const WISH: PhaseOptions = {
  phase: 'specify',
  feature: 'docs/f',
  fixer: 'own',
  files: null,
  startedBy: 'person',
  reporter: { tell: () => {} },
  stop: null,
};

/** A feature whose reviewer is `two` and whose fixer is an ignored program in the repository. */
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
  // Commits are made as the user who runs the tests, who may have no name in git.
  repo.git('config', 'user.name', 'Test');
  repo.git('config', 'user.email', 'test@example.invalid');
  return repo;
}

const placeOf = async ({ root }: GateRepo) => value(await findRepository(root));
const REFUSES = { approved: false, issues: [{ severity: 'blocker', description: 'How fast?' }], summary: 'No.' };

describe('options of a phase', () => {
  test('names withheld code, but not files outside --files; a fixer that writes such code ends the phase', async () => {
    const repo = featureRepo();
    repo.write('src/a.ts', 'export const a = 2;\n');
    repo.write('.env', 'KEY=1\n');
    const approves = { approved: true, issues: [], summary: '' };
    repo.answers('two', { ...REFUSES, session_id: 's' } as object, ...Array(6).fill({ ...approves, session_id: 's' }));
    repo.answers('own', { summary: 'Fixed.', $run: 'echo 1 >> src/a.ts; echo KEY=2 > src/tokens.json' });
    const hiddenPaths = ['src/tokens.json'];
    const wish = { ...WISH, phase: 'implement' } as const;
    const { end, notices } = value(await openAndRunPhase(await placeOf(repo), wish, NO_GUARD));
    expect([end?.why, end?.paths, notices]).toEqual([
      'forbidden-edit',
      hiddenPaths,
      [
        { kind: 'hidden-by-fixer', paths: hiddenPaths },
        { kind: 'withheld', why: 'secret', paths: ['.env'] },
      ],
    ]);
    const only = value(
      await openAndPreviewPhase(
        await placeOf(repo),
        { ...wish, files: { names: ['src'], source: 'arguments' } },
        NO_GUARD,
      ),
    );
    expect(only.warnings).toEqual(['not reviewed, untracked and named like a secret: src/tokens.json']);
  });

  test('protects settings, prompts, roles, history and agent programs from the fixer, also ignored ones', async () => {
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
    repo.answers('own', { summary: 'Fixed.', $run });
    const { end, exitCode } = value(
      await openAndRunPhase(await placeOf(repo), { ...WISH, phase: 'implement' }, NO_GUARD),
    );
    expect([end?.why, exitCode]).toEqual(['forbidden-edit', 1]);
    expect([...(end?.paths ?? [])].sort()).toEqual(FORBIDDEN);
    expect(repo.git('log', '--format=%s', 'main..').trim()).toBe('own agent');
  });

  test('commits a fix, and both reviewers approve', async () => {
    const repo = featureRepo();
    const approves = { approved: true, issues: [], summary: 'Good.' };
    repo.answers('two', REFUSES as object, approves as object, approves as object);
    repo.answers('own', { summary: 'Fixed.', $run: 'echo "Within 5 ms." >> docs/f/spec.md' });
    const place = await placeOf(repo);
    expect(value(await openAndPreviewPhase(place, WISH, NO_GUARD)).dispatches).toMatchObject([
      { role: 'spec-reviewer', agent: 'two' },
    ]);
    expect(repo.calls()).toEqual([]);
    expect(value(await openAndRunPhase(place, WISH, NO_GUARD)).end?.why).toBe('approved');
    expect(repo.git('log', '-1', '--format=%s')).toMatch(
      /^onceover: specify review iteration 1 \(spec-reviewer, loop-\w+-\w+\)\n$/,
    );
    expect(repo.calls().map(({ name }) => name)).toEqual(['two', 'own', 'two', 'two']);
  });

  test('refuses invalid options without calling an agent', async () => {
    const repo = featureRepo();
    const place = await placeOf(repo);
    const WRONG: readonly (readonly [Partial<PhaseOptions>, Failure['kind']])[] = [
      [{ phase: 'ship' }, 'unknown-phase'],
      [{ feature: 'docs/g' }, 'no-feature'],
      [{ feature: 'docs/f/spec.md' }, 'no-feature'],
      [{ feature: '../agents' }, 'path-outside'],
      [{ feature: '' }, 'path-outside'],
      [{ phase: 'implement', files: { names: ['/etc/passwd'], source: 'arguments' } }, 'path-outside'],
      [{ fixer: 'bob' }, 'unknown-agent'],
    ];
    for (const [wish, kind] of WRONG) {
      const outcome = await openAndRunPhase(place, { ...WISH, ...wish }, NO_GUARD);
      expect(outcome, JSON.stringify(wish)).toMatchObject({ ok: false, failure: { kind } });
    }
    expect(repo.calls()).toEqual([]);
  });
});
