// Runs every benchmark, one after the other, each in a process of its own.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const name of ['start', 'instructions', 'match', 'runner', 'run', 'hook', 'delta', 'loop', 'live']) {
  const end = spawnSync(process.execPath, [fileURLToPath(new URL(`${name}.mjs`, import.meta.url))], {
    stdio: 'inherit',
  });
  if (end.status !== 0) process.exitCode = 1;
}
