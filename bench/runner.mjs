// Measures the overhead of the agent runner: a program that reads its input and answers at once, started by the runner
// and spawned directly.
import { spawn } from 'node:child_process';
import { load } from './support/build.mjs';
import { median } from './support/measure.mjs';
import { report } from './support/rows.mjs';

const { runProcessGroup } = await load('packages/base/src/platform/run-process.ts');
const { NODE_EXTRA_CA_CERTS: _left, ...env } = process.env;
const script = 'process.stdin.on("data",()=>{}).on("end",()=>console.log("{\\"status\\":\\"pass\\"}"))';
const input = 'Review this.\n'.repeat(1000);

function bare() {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', script], { env, stdio: 'pipe' });
    child.stdout.on('data', () => {});
    child.stdin.end(input);
    child.on('close', resolve);
  });
}

function throughRunner() {
  return runProcessGroup({
    program: process.execPath,
    args: ['-e', script],
    cwd: process.cwd(),
    env,
    input,
    timeoutMs: 60_000,
    idleMs: 60_000,
    signal: null,
    onLine() {},
  });
}

const times = { bare: [], runner: [] };
for (let round = -2; round < 30; round++) {
  for (const [name, work] of [
    ['bare', bare],
    ['runner', throughRunner],
  ]) {
    const start = performance.now();
    await work();
    if (round >= 0) times[name].push(performance.now() - start);
  }
}
const [spawned, ran] = [median(times.bare), median(times.runner)];
report({
  id: 'runner',
  what: 'a program that answers at once, started by the agent runner',
  figure: ran,
  unit: 'ms',
  beside: [{ what: 'spawned directly', figure: spawned }],
  limit: { ratio: 1.3 },
});
