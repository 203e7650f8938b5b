import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '@onceover/base/kernel/ids';
import { CLI, onceover, onceoverJson } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { cleanEnvironment } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/decide/random.ts';
import type { ProveDocument } from '../../src/json.ts';

/** The limit of tests that start the program many times, also on a busy machine. */
const SLOW = 240_000;

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

/** A function with two guards that are far enough apart for a scenario of two rounds. */
const LONGER = `export function NAME(list: string[]): string[] {
  if (list.length === 0) {
    return [];
  }
  const all = [...list];
  all.sort();
  all.reverse();
  if (all.length === 3) {
    throw new Error('three');
  }
  return all;
}
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
  for (const name of ['third', 'fourth']) {
    repo.write(`src/${name}.ts`, LONGER.replace('NAME', name));
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
  const status = (await onceover(repo.root, ['status'])).stdout.replace(/\s+/g, ' ');
  expect(status).toContain(line);
  expect((await onceover(repo.root, ['explain', 'code-quality'])).stdout.replace(/\s+/g, ' ')).toContain(line);
  await onceover(repo.root, ['status', '--report', 'html=../status.html']);
  expect(readFileSync(join(dirname(repo.root), 'status.html'), 'utf8')).toContain(line);
  repo.write('.onceover/reviews/code-quality.md', 'Look for something else.\n');
  expect((await onceover(repo.root, ['status'])).stdout.replace(/\s+/g, ' ')).toContain(
    'stale, because the prompt changed',
  );

  const cost = await onceoverJson<{ paid: { looks: number }; proofs: { dispatches: number } }>(repo.root, ['cost']);
  expect(cost).toMatchObject({ paid: { looks: 0 }, proofs: { dispatches: 1 } });
});

test(
  'after any change of who answers, a proof asks again, and until then the earlier proof is stale',
  async () => {
    const { repo, cases } = provable();
    const script = `import { readFileSync } from 'node:fs';
readFileSync(0);
console.log(JSON.stringify({ status: 'pass', violations: [] }));
`;
    const agents = (settings: object) => {
      const reviews = { 'code-quality': { prompt: '.onceover/reviews/code-quality.md' } };
      const file = { agents: ['own'], agent: { own: settings }, gates: [{ path: 'src', reviews }] };
      repo.write('onceover.yml', JSON.stringify(file));
    };
    const command = ['node', 'tools/review.mjs'];
    repo.write('tools/review.mjs', script);
    repo.write('src/a.ts', 'export const a = 3;\n');
    agents({ command });
    const prove = () =>
      onceoverJson<ProveDocument>(repo.root, ['prove', '--own', cases, '--kinds', 'own', '--yes'], { timeoutMs: SLOW });
    const isStale = async () => {
      const words = [['status'], ['explain', 'code-quality']];
      const outputs = await Promise.all(words.map((args) => onceover(repo.root, args)));
      const texts = outputs.map(({ stdout }) => stdout.replace(/\s+/g, ' '));
      for (const text of texts) expect(text).toContain('0 of 1 planted bug');
      return texts.map((text) => text.includes('stale, because the agents or models changed since'));
    };
    expect((await prove()).new_calls).toBe(1);
    expect((await prove()).new_calls).toBe(0);
    expect(await isStale()).toEqual([false, false]);
    const env = { REVIEW_KEY: 'secret-of-the-test' };
    const changes: readonly (readonly [what: string, change: () => void])[] = [
      ['env', () => agents({ command, env })],
      ['command', () => agents({ command: [...command, '--careful'], env })],
      ['model', () => agents({ command: [...command, '--careful'], env, model: 'large' })],
      ['script', () => repo.write('tools/review.mjs', `${script}// Another reviewer.\n`)],
    ];
    for (const [cause, change] of changes) {
      change();
      expect([cause, await isStale()]).toEqual([cause, [true, true]]);
      expect([cause, (await prove()).new_calls]).toEqual([cause, 1]);
      expect([cause, await isStale()]).toEqual([cause, [false, false]]);
      expect([cause, (await prove()).new_calls]).toEqual([cause, 0]);
    }
    const entries = readdirSync(join(repo.root, '.git/onceover/prove'), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((dirent) => dirent.isFile())) {
      const path = join(entry.parentPath, entry.name);
      expect([path, readFileSync(path, 'latin1').includes(env.REVIEW_KEY)]).toEqual([path, false]);
    }
  },
  SLOW,
);

test('only the gates that review the file with the bug are run', async () => {
  const reviews = 'reviews: { code-quality: { prompt: .onceover/reviews/code-quality.md } }';
  const repo = gateRepo({
    agents: ['one'],
    gates: ['src', 'docs'].map((path) => `  - path: ${path}\n    ${reviews}`).join('\n'),
  });
  const cases = join(dirname(repo.root), 'cases');
  mkdirSync(cases);
  const page = PATCH.slice(PATCH.indexOf('diff ')).replaceAll('src/limit.ts', 'docs/limit.md');
  writeFileSync(join(cases, 'limit.patch'), `${PATCH}${page}`);
  const { plan, new_calls, gates } = await onceoverJson<ProveDocument>(
    repo.root,
    ['prove', '--own', cases, '--kinds', 'own', '--yes'],
    { timeoutMs: SLOW },
  );
  expect({ planned: plan.calls, new_calls, gates: gates.map(({ gate }) => gate) }).toEqual({
    ...{ planned: 1, new_calls: 1, gates: ['review:src:code-quality'] },
  });
});

test('a pass in a proof is not a pass of the same change', async () => {
  const { repo, cases } = provable();
  await onceoverJson(repo.root, ['prove', '--own', cases, '--kinds', 'own', '--yes'], { timeoutMs: SLOW });
  repo.forget();
  repo.write('src/limit.ts', 'export function isAllowed(used: number): boolean {\n  return used <= 5;\n}\n');
  expect((await repo.run()).code).toBe(0);
  expect(repo.calls('one')).toHaveLength(1);
});

test(
  'a planted bug counts only if the checks pass with it',
  async () => {
    const gates = `  - path: src
    checks:
      unit: { run: node check.mjs }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md }`;
    // The check sees the order of two arguments, and nothing else.
    const check = `import { readFileSync } from 'node:fs';
if (readFileSync('src/copy.mjs', 'utf8').includes('(to, from)')) process.exit(1);
`;
    const repo = gateRepo({ agents: ['one'], gates, files: { 'check.mjs': check, 'src/copy.mjs': '' } });
    repo.git('stash', '-q', '-u');
    repo.git('checkout', '-q', 'main');
    repo.write('src/copy.mjs', 'export function copy(from, to, write) {\n  const start = 0;\n  write(from, to);\n}\n');
    repo.commit('Add copy');
    repo.write(
      'src/late.mjs',
      'export function isLate(age, most) {\n  const limit = most;\n  return age > limit;\n}\n',
    );
    repo.commit('Add isLate');
    repo.git('checkout', '-q', '-B', 'work');
    const before = stateOf(repo);
    const end = await onceoverJson<ProveDocument>(repo.root, ['prove', '--kinds', 'mutant', '--yes'], {
      timeoutMs: SLOW,
    });
    expect(end).toMatchObject({ end: 'done', cases: 1, new_calls: 1 });
    expect(end.left_out).toEqual({ caught_by_checks: 1, checks_fail_anyway: 0, not_playable: 0, no_verdict: 0 });
    expect(end.results.map((result) => result.class)).toEqual(['boundary']);
    expect(stateOf(repo)).toBe(before);

    repo.git('checkout', '-q', 'main');
    repo.write('check.mjs', 'process.exit(1);\n');
    repo.commit('Break the check');
    repo.write('src/more.mjs', 'export function isMore(a, b) {\n  const c = b;\n  return a > c;\n}\n');
    repo.commit('Add isMore');
    const brokenRun = await onceover(repo.root, ['prove', '--kinds', 'mutant', '--seed', '2', '--yes', '--json'], {
      timeoutMs: SLOW,
    });
    const { left_out, cases } = JSON.parse(brokenRun.stdout) as ProveDocument;
    expect(left_out.checks_fail_anyway).toBe(1);
    expect(cases).toBe(1);
  },
  SLOW,
);

test(
  'the options decide which reviews are made, and no answer is paid for twice',
  async () => {
    const { repo } = provable();
    const prove = async (...args: readonly string[]) => {
      repo.forget();
      const fullArgs = ['prove', '--cases', '2', '--yes', ...args];
      const document = await onceoverJson<ProveDocument>(repo.root, fullArgs, { timeoutMs: SLOW });
      expect(repo.calls()).toHaveLength(document.new_calls);
      return document;
    };
    const variants = ({ gates }: ProveDocument) => gates[0]?.variants.map(({ variant }) => variant);
    const clean = ['--kinds', 'clean'];
    // A budget ends the proof at exactly that many calls; what was paid is kept.
    expect(await prove(...clean, '--budget', '1 call')).toMatchObject({ end: 'budget', cases: 1, new_calls: 1 });
    expect(await prove(...clean)).toMatchObject({ end: 'done', cases: 2, new_calls: 1 });
    expect(await prove(...clean, '--budget', '0 calls')).toMatchObject({ end: 'done', cases: 2, new_calls: 0 });
    // The first of three reviewers gets the question that one reviewer already answered.
    const comparison = await prove(...clean, '--reviewers', '1,3');
    expect(comparison).toMatchObject({ end: 'done', cases: 2, new_calls: 4 });
    expect(variants(comparison)).toMatchObject([{ reviewers: 1 }, { reviewers: 3 }]);
    const textRun = await onceover(repo.root, ['prove', '--cases', '2', '--yes', ...clean, '--reviewers', '1,3']);
    expect([...textRun.stderr.matchAll(/^\[([^\]]+)\]/gm)].map(([, place]) => place)).toEqual([
      ...['1/2, review 1 of 2', '1/2, review 2 of 2', '2/2, review 1 of 2', '2/2, review 2 of 2'],
    ]);
    const repetition = await prove(...clean, '--repeat', '2');
    expect(repetition.new_calls).toBe(2);
    expect(repetition.gates[0]?.scores.flips).toMatchObject({ count: 0, of: 2 });
    // This agent cannot share a reading, so it gets the same questions.
    const readings = await prove(...clean, '--reading', 'off,all');
    expect(readings.new_calls).toBe(0);
    expect(variants(readings)).toMatchObject([{ reading: 'off' }, { reading: 'all' }]);
    // A session mode matters from the second round on.
    const sessions = await prove('--kinds', 'scenario', '--sessions', 'new,resumed,skipped', '--seed', '3');
    expect(sessions.end).toBe('done');
    expect(variants(sessions)).toMatchObject([{ sessions: 'new' }, { sessions: 'resumed' }, { sessions: 'skipped' }]);
    expect((await prove('--kinds', 'scenario', '--sessions', 'new,resumed,skipped', '--seed', '3')).new_calls).toBe(0);
  },
  SLOW,
);

/** Returns numbers from 0 to below 1 that depend only on the seed. */
const random = seededRandom(20261118);

test(
  'a proof that is killed at random points leaves nothing in the repository, and does not pay again',
  async () => {
    const { repo, cases } = provable();
    const before = stateOf(repo);
    const args = ['prove', '--own', cases, '--kinds', 'own,history,clean', '--yes', '--json'];
    const start = () =>
      spawn(process.execPath, [CLI, ...args], {
        cwd: repo.root,
        env: cleanEnvironment(dirname(repo.root)),
        stdio: 'ignore',
      });
    const began = performance.now();
    const plan = await onceoverJson<ProveDocument>(repo.root, args.filter((arg) => arg !== '--yes').slice(0, -1));
    // A plan takes about a third of the time of the proof, so these points are spread over the whole proof.
    const whole = 3 * (performance.now() - began);
    for (let kill = 0; kill < 6; kill++) {
      const child = start();
      await sleep(random() * whole);
      child.kill('SIGKILL');
      await new Promise((resolve) =>
        child.exitCode === null && child.signalCode === null ? child.on('close', resolve) : resolve(null),
      );
      expect(stateOf(repo)).toBe(before);
    }
    // An agent that was called when the program was killed may still end its work.
    await sleep(300);
    const callsBefore = repo.calls().length;
    const end = await onceoverJson<ProveDocument>(repo.root, args.slice(0, -1), { timeoutMs: SLOW });
    expect(end.end).toBe('done');
    expect(end.cases).toBeGreaterThanOrEqual(4);
    expect(end.new_calls).toBeLessThanOrEqual(plan.plan.calls);
    expect(repo.calls().length - callsBefore).toBe(end.new_calls);
    expect(stateOf(repo)).toBe(before);
    const again = await onceoverJson<ProveDocument>(repo.root, args.slice(0, -1));
    expect(again.new_calls).toBe(0);
    const cost = await onceoverJson<{ paid: { looks: number } }>(repo.root, ['cost']);
    expect(cost.paid.looks).toBe(0);
    const cache = join(dirname(repo.root), '.cache/onceover');
    expect(existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('prove-')) : []).toEqual([]);
  },
  SLOW,
);
