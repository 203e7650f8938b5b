import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/kernel/ids.ts';
import type { ProveDocument } from '../../../src/prove/json.ts';
import { CLI, onceover, onceoverJson } from '../../support/cli.ts';
import { failing, type GateRepo, gateRepo } from '../../support/gates.ts';
import { cleanEnvironment } from '../../support/repo.ts';

const PATCH = `Title: Add a limit
Class: boundary
Place: src/limit.ts:2

diff --git a/src/limit.ts b/src/limit.ts
new file mode 100644
--- /dev/null
+++ b/src/limit.ts
@@ -0,0 +1,3 @@
+export function isAllowed(used: number): boolean {
+  return used <= 5;
+}
`;

/** Makes a repository with some harmless commits, one small fix, and a case of its own in ../cases. */
function provable(): { readonly repo: GateRepo; readonly cases: string } {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.git('stash', '-q', '-u');
  repo.git('checkout', '-q', 'main');
  const body = (limit: string) =>
    `export function isFull(list: string[]): boolean {\n  return list.length ${limit} 3;\n}\n`;
  repo.write('src/full.ts', body('>'));
  repo.commit('Add isFull');
  repo.write('src/full.ts', body('>='));
  repo.commit('Fix isFull for exactly three entries');
  for (const name of ['first', 'second']) {
    repo.write(
      `src/${name}.ts`,
      `export function ${name}(a: number, b: number): number {\n  if (a < b) return a;\n  return b;\n}\n`,
    );
    repo.commit(`Add ${name}`);
  }
  const cases = join(dirname(repo.root), 'cases');
  mkdirSync(cases);
  writeFileSync(join(cases, 'limit.patch'), PATCH);
  repo.git('checkout', '-q', '-B', 'work');
  return { repo, cases };
}

/** Returns a digest of everything in a repository that a proof must not change. */
function stateOf({ root, git }: GateRepo): string {
  const digests: string[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      // Proofs, the ledger and locks have places of their own, which the test looks at separately. The others are caches,
      // and copies of the index that every killed command leaves and a later one removes.
      if (/\.git\/onceover\/(?:prove|ledger|locks|answers|indexes|parsed\.json|index-\w+|\.onceover-[^/]+)$/.test(path))
        continue;
      if (entry.isDirectory()) walk(path);
      else digests.push(`${path} ${sha256(readFileSync(path, 'latin1'))}`);
    }
  };
  walk(root);
  return [...digests, git('worktree', 'list'), git('for-each-ref'), git('status', '--porcelain')].join('\n');
}

test('a plan calls no agent and writes nothing', async () => {
  const { repo, cases } = provable();
  const before = stateOf(repo);
  const plan = await onceoverJson<ProveDocument>(repo.root, ['prove', '--own', cases]);
  expect(plan.end).toBe('planned');
  expect(plan.plan.cases.map(({ source }) => source)).toEqual(expect.arrayContaining(['own', 'history', 'clean']));
  expect(plan.plan.calls).toBeGreaterThanOrEqual(4);
  expect(repo.calls()).toEqual([]);
  expect(stateOf(repo)).toBe(before);
  expect(existsSync(join(repo.root, '.git/onceover/ledger'))).toBe(false);
});

test('a found bug counts, kept answers are not paid for again, and status says how old and whether stale', async () => {
  const { repo, cases } = provable();
  const args = ['prove', '--own', cases, '--kinds', 'own', '--yes'];
  repo.answers('one', failing('src/limit.ts', 'return used <= 5;', { line: 2 }));
  const before = stateOf(repo);
  const first = await onceoverJson<ProveDocument>(repo.root, args);
  expect(first).toMatchObject({ end: 'done', cases: 1, new_calls: 1 });
  expect(first.gates[0]?.scores.found).toMatchObject({ count: 1, of: 1 });
  expect(first.gates[0]?.scores.false_passes).toMatchObject({ count: 0, of: 1 });
  expect(stateOf(repo)).toBe(before);
  const again = await onceoverJson<ProveDocument>(repo.root, args);
  expect(again).toMatchObject({ cases: 1, new_calls: 0, results: first.results });
  expect(repo.calls()).toHaveLength(1);

  repo.write('src/a.ts', 'export const a = 3;\n');
  const line = 'caught 1 of 1 planted bug (95 %: 21–100 %), proved today';
  const shown = (await onceover(repo.root, ['status'])).stdout.replace(/\s+/g, ' ');
  expect(shown).toContain(line);
  expect((await onceover(repo.root, ['explain', 'code-quality'])).stdout.replace(/\s+/g, ' ')).toContain(line);
  repo.write('.onceover/reviews/code-quality.md', 'Look for something else.\n');
  expect((await onceover(repo.root, ['status'])).stdout.replace(/\s+/g, ' ')).toContain(
    'stale, because the prompt changed',
  );

  const cost = await onceoverJson<{ paid: { looks: number }; proofs: { dispatches: number } }>(repo.root, ['cost']);
  expect(cost).toMatchObject({ paid: { looks: 0 }, proofs: { dispatches: 1 } });
});

test('a pass in a proof is not a pass of the same change', async () => {
  const { repo, cases } = provable();
  await onceoverJson(repo.root, ['prove', '--own', cases, '--kinds', 'own', '--yes']);
  repo.forget();
  repo.write('src/limit.ts', 'export function isAllowed(used: number): boolean {\n  return used <= 5;\n}\n');
  expect((await repo.run()).code).toBe(0);
  expect(repo.calls('one')).toHaveLength(1);
});

test('a proof that is killed leaves nothing in the repository, and continues without paying again', async () => {
  const { repo, cases } = provable();
  const before = stateOf(repo);
  const args = ['prove', '--own', cases, '--kinds', 'own,history,clean', '--yes', '--json'];
  for (const pause of [150, 400, 800, 1200]) {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: repo.root,
      env: cleanEnvironment(dirname(repo.root)),
      stdio: 'ignore',
    });
    await sleep(pause);
    child.kill('SIGKILL');
    await new Promise((done) =>
      child.exitCode === null && child.signalCode === null ? child.on('close', done) : done(null),
    );
    expect(stateOf(repo)).toBe(before);
  }
  // An agent that was called when the program was killed may still end its work.
  await sleep(300);
  const asked = repo.calls().length;
  const end = await onceoverJson<ProveDocument>(repo.root, args.slice(0, -1));
  expect(end.end).toBe('done');
  expect(end.cases).toBeGreaterThanOrEqual(4);
  expect(repo.calls().length - asked).toBe(end.new_calls);
  expect(stateOf(repo)).toBe(before);
  const again = await onceoverJson<ProveDocument>(repo.root, args.slice(0, -1));
  expect(again.new_calls).toBe(0);
  const cache = join(dirname(repo.root), '.cache/onceover');
  expect(existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('prove-')) : []).toEqual([]);
});
