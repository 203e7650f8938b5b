import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtPart } from '@onceover/testing/built-part.ts';
import { bareWithClones, type Clones, carrierAt, okValue, storedSample } from '@onceover/testing/pass-clones.ts';
import { expect, test } from 'vitest';
import type { PassCarrier } from '../src/types.ts';

const LIMIT_MS = 300_000;

test('two clones push at the same moment 50 times, and no statement is lost', { timeout: LIMIT_MS }, async () => {
  const clones = bareWithClones();
  const roots = [clones.join('a'), clones.join('b')];
  const carriers = roots.map((root) => carrierAt(root));
  const pushedSignatures: string[] = [];
  for (let round = 0; round < 50; round++) {
    const pushes = carriers.map((carrier, at) => {
      const samples = [storedSample(`${round} of ${at}`), { ...storedSample(`${round}`, `by ${at}`) }];
      pushedSignatures.push(...samples.map(({ file }) => file.signature));
      return carrier.push(samples, null);
    });
    expect((await Promise.all(pushes)).map(okValue)).toEqual([{ added: 2 }, { added: 2 }]);
  }
  const fresh = carrierAt(clones.join('c'));
  okValue(await fresh.fetch(null));
  const signatures = okValue(await fresh.all()).map(({ file }) => file.signature);
  expect(signatures.sort()).toEqual(pushedSignatures.sort());
  // The history of the ref is linear and has one commit per push.
  expect(clones.git(clones.bare, 'rev-list', '--count', 'refs/onceover/passes').trim()).toBe('100');
  expect(clones.git(clones.bare, 'rev-list', '--min-parents=2', 'refs/onceover/passes')).toBe('');
  for (const root of [...roots, clones.bare]) expectHealthy(clones, root);
});

// Pushes or fetches until it is killed. Prints the name of each statement that it has pushed.
const LOOP = `
const [part, root, name] = process.argv.slice(1);
const { openGitCarrier } = await import(part);
const carrier = openGitCarrier({ root, commonDir: root + '/.git' }, 'origin').value;
const { createHash } = await import('node:crypto');
console.log('ready');
for (let n = 0; ; n++) {
  const words = name + '-' + n;
  const key = createHash('sha256').update(words).digest('hex');
  const file = { statement: Buffer.from(words), signature: words };
  const pushed = await carrier.push([{ key, file }], null);
  if (pushed.ok) console.log('pushed ' + words);
  await carrier.fetch(null);
}
`;

test.each([
  ['onceover alone', false],
  ['onceover and all git processes, also those of the remote', true],
] as const)('kill -9 of %s during push and fetch corrupts nothing', { timeout: LIMIT_MS }, async (_, withGit) => {
  const clones = bareWithClones();
  const [root, witnessRoot] = [clones.join('a'), clones.join('b')];
  const part = await builtPart('packages/passes/src/git-carrier.ts');
  const witness = carrierAt(witnessRoot);
  okValue(await carrierAt(root).push([storedSample('first')], null));
  const pushedWords = new Set<string>();
  for (let round = 0; round < 12; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', LOOP, '--', part, root, `round-${round}`]);
    const output = lines(child);
    // In every second round, the first push succeeds before the kill.
    await output.has(round % 2 === 0 ? 'ready' : 'pushed ');
    await sleep(20 + Math.random() * 250);
    const family = withGit ? descendants(child.pid ?? 0) : [];
    const childClose = once(child, 'close');
    for (const pid of [child.pid ?? 0, ...family]) kill(pid);
    await childClose;
    await waitForGit(root);
    for (const line of output.all()) if (line.startsWith('pushed ')) pushedWords.add(line.slice(7));
    expectHealthy(clones, root);
    expectHealthy(clones, clones.bare);
    const sample = storedSample(`after ${round}`);
    ageLocks(root);
    await pushOrUnlock(clones, carrierAt(root), sample);
    okValue(await witness.fetch(null));
    expect(okValue(await witness.find([sample.key])).get(sample.key)).toEqual([sample.file]);
  }
  const signatures = new Set(okValue(await witness.all()).map(({ file }) => file.signature));
  expect([...pushedWords].filter((words) => !signatures.has(words))).toEqual([]);
  expect(pushedWords.size).toBeGreaterThan(0);
});

/** Pushes a file. If a killed process of the remote has left a lock, the failure must name it. */
async function pushOrUnlock(clones: Clones, carrier: PassCarrier, file: ReturnType<typeof storedSample>) {
  const first = await carrier.push([file], null);
  if (first.ok) return;
  expect(first.failure).toMatchObject({ kind: 'passes-carrier', why: 'locked' });
  const message = first.failure.kind === 'passes-carrier' ? first.failure.said : '';
  expect(message).toContain('refs/onceover/passes.lock');
  rmSync(join(clones.bare, 'refs/onceover/passes.lock'));
  expect(okValue(await carrier.push([file], null))).toEqual({ added: 1 });
}

/** Makes the locks that killed processes have left as old as they are some time later. */
function ageLocks(root: string): void {
  const folder = join(root, '.git/refs/onceover/fetched');
  const names = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name.endsWith('.lock'));
  for (const { name } of names) utimesSync(join(folder, name), 1, 1);
}

function expectHealthy({ git }: Clones, folder: string): void {
  expect(() => git(folder, 'fsck', '--full', '--strict', '--no-dangling')).not.toThrow();
}

function lines(child: ChildProcess) {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  return {
    async has(words: string): Promise<void> {
      while (!text.includes(words)) await sleep(5);
    },
    all: () => text.split('\n'),
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

function parents(): ReadonlyMap<number, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return [[Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const];
      } catch {
        return [];
      }
    }),
  );
}

function descendants(pid: number): readonly number[] {
  const parentByChild = parents();
  const pids = [pid];
  for (const ancestor of pids) for (const [child, parent] of parentByChild) if (parent === ancestor) pids.push(child);
  return pids.slice(1);
}

/** Waits until no git process of this test is left: those that were not killed end by themselves. */
async function waitForGit(root: string): Promise<void> {
  const folder = join(root, '..');
  const runs = () =>
    readdirSync('/proc').some((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`GIT_WORK_TREE=${folder}`);
      } catch {
        return false;
      }
    });
  for (let tries = 0; runs() && tries < 500; tries++) await sleep(20);
}
