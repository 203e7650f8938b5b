import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

/** The measured program: the current build, or another build if one is named. */
export const CLI = process.env.ONCEOVER_TEST_CLI ?? fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/** The command that every start of a Node program is compared with. */
export const BARE = [process.execPath, '-e', '0'];

/**
 * Runs the commands in turns, so that other load on the machine affects all of them, and returns the median time of
 * each in milliseconds.
 */
export function sideBySide(commands, { rounds = 25, cwd = process.cwd() } = {}) {
  const { NODE_EXTRA_CA_CERTS: _left, ...env } = process.env;
  const times = commands.map(() => []);
  for (let round = -2; round < rounds; round++) {
    for (const [i, [program, ...args]] of commands.entries()) {
      const start = performance.now();
      const end = spawnSync(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const took = performance.now() - start;
      if (end.status !== 0) throw new Error(`${program} ${args.join(' ')}: exit ${end.status}\n${end.stderr}`);
      // The first rounds only warm the file cache.
      if (round >= 0) times[i].push(took);
    }
  }
  return times.map(median);
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
