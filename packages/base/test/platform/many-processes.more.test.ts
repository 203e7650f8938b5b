import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFindings } from '@onceover/gates/src/findings/open-findings.ts';
import { openWorkflowSessions } from '@onceover/loops/src/workflows/record/sessions.ts';
import { builtPart } from '@onceover/testing/built-part.ts';
import { findingWith } from '@onceover/testing/finding.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { jobOf, sessionOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { expect, onTestFinished, test } from 'vitest';
import { openLock } from '../../src/platform/lock.ts';

/** Returns a script that imports the built part and answers each message. */
const SCRIPT = (answer: string) => `
import { mkdirSync, rmdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
const [path, folder] = process.argv.slice(2);
const part = await import(path);
// Only one process at a time can make this folder.
const witness = folder + '/witness';
const beAlone = async (ms) => {
  try {
    mkdirSync(witness);
  } catch {
    return false;
  }
  await sleep(ms);
  rmdirSync(witness);
  return true;
};
${answer}
process.on('message', async (message) => process.send(await answer(message)));
process.send('ready');
`;

/** Starts this many processes with the script and waits until all are ready. */
async function start(count: number, source: string, answer: string) {
  const folder = temporaryFolder();
  const script = join(folder, 'script.mjs');
  writeFileSync(script, SCRIPT(answer));
  const path = await builtPart(source);
  const processes = Array.from({ length: count }, () => fork(script, [path, folder], { execArgv: [] }));
  onTestFinished(() => {
    for (const child of processes) child.kill('SIGKILL');
  });
  await Promise.all(processes.map((child) => once(child, 'message')));
  return { folder, processes };
}

/** Sends a message to all processes and waits for every answer, or for the end of the process. */
async function askAll(processes: readonly ChildProcess[], message: object): Promise<readonly unknown[]> {
  const answers = processes.map(answerOf);
  for (const child of processes) child.send(message);
  return Promise.all(answers);
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const listener = new AbortController();
  const { signal } = listener;
  const exit = once(child, 'exit', { signal }).then(([code, killedBy]) => [killedBy ?? code]);
  const [answer] = await Promise.race([once(child, 'message', { signal }), exit]);
  listener.abort();
  return answer;
}

const place = (folder: string) => ({ root: '/tree', commonDir: folder });

const TAKE_ONCE = `
const lock = part.openLock({ root: '/tree', commonDir: folder });
async function answer() {
  const held = await lock.take();
  if (!held.ok) return held.failure.kind;
  const alone = await beAlone(20);
  await held.value.release();
  return alone ? 'held' : 'not alone';
}`;

test('20 simultaneous processes get the lock one at a time', {
  timeout: 60_000,
}, async () => {
  const { folder, processes } = await start(20, 'packages/base/src/platform/lock.ts', TAKE_ONCE);
  for (let round = 0; round < 10; round++) {
    const answers = await askAll(processes, {});
    expect([...new Set(answers)].filter((answer) => answer !== 'lock-held')).toEqual(['held']);
  }
  expect(readdirSync(join(folder, 'onceover/locks'), { recursive: true })).toHaveLength(1);
});

const DIE_HOLDING = `
const lock = part.openLock({ root: '/tree', commonDir: folder });
async function answer() {
  for (let held = await lock.take(); ; held = await lock.take()) {
    if (held.ok) break;
    if (held.failure.kind !== 'lock-held') return held.failure.kind;
    await sleep(Math.random() * 20);
  }
  if (!(await beAlone(5))) return 'not alone';
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}`;

test('the lock of a killed holder goes to exactly one next process at once', { timeout: 60_000 }, async () => {
  const { folder, processes } = await start(20, 'packages/base/src/platform/lock.ts', DIE_HOLDING);
  const answers = await askAll(processes, {});
  expect(answers).toEqual(processes.map(() => 'SIGKILL'));
  const takeResult = await openLock(place(folder)).take();
  expect(takeResult).toMatchObject({ ok: true });
  if (takeResult.ok) await takeResult.value.release();
});

const END_HOLDING = `
const lock = part.openLock({ root: '/tree', commonDir: folder });
async function answer({ how }) {
  const held = await lock.take();
  if (how === 'exit') process.exit(held.ok ? 7 : 1);
  setImmediate(() => process.disconnect());
  return 'nothing left to do';
}`;

test.each([
  ['exit', 7],
  ['idle', 0],
])('a process that ends while it holds the lock (%s) leaves no file', async (how, code) => {
  const { folder, processes } = await start(1, 'packages/base/src/platform/lock.ts', END_HOLDING);
  const exits = Promise.all(processes.map((child) => once(child, 'exit')));
  await askAll(processes, { how });
  expect(await exits).toEqual([[code, null]]);
  expect(readdirSync(join(folder, 'onceover/locks'), { recursive: true })).toHaveLength(1);
});

const ADD_MANY = `
const findings = part.openFindings(folder);
async function answer(finding) {
  const ids = [];
  for (let n = 0; n < 20; n++) {
    const added = await findings.add([finding]);
    const all = await findings.all();
    ids.push(added.ok && all.ok ? added.value[0].id : JSON.stringify([added, all]));
  }
  return ids;
}`;

test('findings that 6 processes add at the same time have unique ids and are always complete', {
  timeout: 60_000,
}, async () => {
  const { folder, processes } = await start(6, 'packages/gates/src/findings/open-findings.ts', ADD_MANY);
  const ids = (await askAll(processes, findingWith())).flat();
  const findings = await openFindings(folder).all();
  const findingIds = Array.from({ length: 120 }, (_, n) => `F${n + 1}`);
  expect(findings.ok && findings.value.map((finding) => finding.id)).toEqual(findingIds);
  expect([...ids].sort()).toEqual([...findingIds].sort());
  expect(readdirSync(join(folder, 'onceover/findings'))).toHaveLength(120);
});

const CHANGE_MANY = `
const sessions = part.openWorkflowSessions({ root: folder, commonDir: folder });
async function answer({ dies }) {
  const written = [];
  for (let n = 0; n < 15; n++) {
    const one = process.pid + '-' + n;
    const end = await sessions.update('ab12', (now) => {
      const steps = now.steps.map((step) => ({ ...step, passed: [...step.passed, one] }));
      // Kill the process while it holds the lock, before it has written.
      if (dies && n === 5 && process.pid % 2 === 0) process.kill(process.pid, 'SIGKILL');
      return { ok: true, value: { ...now, steps } };
    });
    written.push(end.ok ? one : end.failure.kind);
  }
  return written;
}`;

test('a session keeps the changes of 6 simultaneous processes, even if some are killed', {
  timeout: 60_000,
}, async () => {
  const { folder, processes } = await start(6, 'packages/loops/src/workflows/record/sessions.ts', CHANGE_MANY);
  const sessions = openWorkflowSessions({ root: folder, commonDir: folder });
  await sessions.create(sessionOf(jobOf([stepOf('a')])));
  const recordedIds = async () => {
    const listing = await sessions.all();
    return listing.ok ? (listing.value.sessions[0]?.steps[0]?.passed ?? []) : [];
  };
  const sentIds = (await askAll(processes, { dies: false })).flat();
  expect(sentIds).toHaveLength(90);
  expect((await recordedIds()).toSorted()).toEqual(sentIds.toSorted());
  const before = new Set(await recordedIds());
  const laterIds = (await askAll(processes, { dies: true })).flat().filter((answer) => answer !== 'SIGKILL');
  const after = await recordedIds();
  for (const id of [...before, ...laterIds]) expect(after).toContain(id);
});
