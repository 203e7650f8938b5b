import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InstructionsDocument } from '@onceover/gates/rules/json';
import { CLI, onceover, onceoverJson } from '@onceover/testing/cli.ts';
import { cleanEnvironment, repoWith, ruleText, type TestRepo } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

const FOLDER = '.deepwork/tmp/review_instructions';

const ask = (repo: TestRepo) => onceoverJson<InstructionsDocument>(repo.root, ['instructions']);

/** Returns all files that the program wrote, by path relative to the root. */
function writtenFiles(repo: TestRepo): string[] {
  return ['.deepwork', '.git/onceover'].flatMap((folder) => {
    try {
      const entries = readdirSync(join(repo.root, folder), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    } catch {
      // A process that was killed early has not made the folder yet.
      return [];
    }
  });
}

/** Expects every instruction file and every stored document to be complete. */
function expectWhole(repo: TestRepo): void {
  for (const path of writtenFiles(repo)) {
    // A cache begins with a line that has its checksum.
    const json = path.endsWith('.json') ? readFileSync(path, 'utf8').replace(/^[0-9a-f]+\n/, '') : 'null';
    expect(() => JSON.parse(json), path).not.toThrow();
    if (!path.endsWith('.md')) continue;
    const text = readFileSync(path, 'utf8');
    expect(text.endsWith('This review comes from .deepreview:1.\n'), path).toBe(true);
    expect(text, path).toContain(`\n${basename(path, '.md')}\n`);
  }
}

test('eight processes pass different reviews while four list them', async () => {
  const repo = repoWith({ '.deepreview': ruleText('check') });
  const names = Array.from({ length: 8 }, (_, i) => `f${i}.py`);
  for (const name of names) repo.write(name, name);
  const ids = (await ask(repo)).tasks.map((task) => task.review_id);
  const passing = ids.map((id) => onceover(repo.root, ['pass', id]));
  const listing = Array.from({ length: 4 }, () => ask(repo));
  const [passEnds, lists] = await Promise.all([Promise.all(passing), Promise.all(listing)]);

  expect(passEnds.map(({ code, stdout }) => [code, stdout])).toEqual(ids.map((id) => [0, expect.stringContaining(id)]));
  for (const { tasks, skipped } of lists) {
    expect([...tasks, ...skipped].map((review) => review.review_id).sort()).toEqual([...ids].sort());
  }
  const { tasks, skipped, warnings } = await ask(repo);
  expect([tasks, skipped.map((review) => review.review_id), warnings]).toEqual([[], ids, []]);
  expect(readdirSync(join(repo.root, FOLDER)).sort()).toEqual(ids.map((id) => `${id}.passed`).sort());
  expect(writtenFiles(repo).filter((path) => basename(path).startsWith('.onceover'))).toEqual([]);
  expectWhole(repo);
});

test('a killed process leaves nothing half-written, and the next one works', async () => {
  const referenceKeys = '    reference_files: [{path: ref.md}]\n';
  const repo = repoWith({
    '.deepreview': ruleText('check', { more: referenceKeys }),
    'ref.md': 'long text\n'.repeat(8000),
  });
  for (let i = 0; i < 80; i++) repo.write(`f${i}.py`, `${i}`);
  const whole = await ask(repo);
  const start = Date.now();
  await ask(repo);
  const took = Date.now() - start;

  // The moments are spread over the whole run with some randomness, so that every part is hit.
  let kills = 0;
  for (let i = 0; i < 30; i++) {
    repo.write('f0.py', `changed ${i}`);
    if (await killAfter(repo, took * ((i + Math.random()) / 30))) kills++;
    expectWhole(repo);
  }
  expect(kills).toBeGreaterThan(10);

  repo.write('f0.py', '0');
  expect(await ask(repo)).toEqual(whole);
  expect(readdirSync(join(repo.root, FOLDER)).filter((name) => name.endsWith('.md'))).toHaveLength(80);
  expectWhole(repo);
});

/** Starts `instructions` and kills it. Returns false if it had already ended. */
async function killAfter(repo: TestRepo, ms: number): Promise<boolean> {
  const child = spawn(process.execPath, [CLI, 'instructions'], {
    cwd: repo.root,
    env: cleanEnvironment(dirname(repo.root)),
    stdio: 'ignore',
  });
  const exit = new Promise<NodeJS.Signals | null>((resolve) => child.on('exit', (_, signal) => resolve(signal)));
  await Promise.race([exit, sleep(ms)]);
  child.kill('SIGKILL');
  return (await exit) === 'SIGKILL';
}
