// Runs the tests of the real agent CLIs, or those that are named: installs them, then cuts off the network where the
// machine allows it. The program must have been built.
import { spawnSync } from 'node:child_process';

const vitest = ['vitest', 'run', '-c', 'vitest.agents.config.ts'];
const run = (program, args) => spawnSync(program, args, { stdio: 'inherit' }).status ?? 1;

const isolated = ['--map-root-user', '--net', '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const canIsolate = spawnSync('unshare', [...isolated, 'true'], { stdio: 'ignore' }).status === 0;

let code = run('npx', [...vitest, 'test/agents/real/install.test.ts']);
if (code === 0) {
  const all = [
    'agents',
    'agents-others',
    'resume',
    'doors',
    'tools',
    'unreachable',
    'fix',
    'run',
    'run-trouble',
    'run-later',
    'share',
    'run-gaps',
    'prove',
    'hook',
    'plugin',
    'docs-commands',
    'phase-specify',
    'phase-implement',
    'phase-trouble',
    'quality',
    'workflow',
    'record',
  ].map((name) => `test/agents/real/${name}.test.ts`);
  const named = process.argv.slice(2);
  const rest = named.length === 0 ? all : named;
  if (canIsolate) console.log('The agents run in a network of their own that has the loopback interface only.');
  else console.log('The agents run with this machine’s network; only 127.0.0.1 is named to them.');
  code = canIsolate ? run('unshare', [...isolated, 'npx', ...vitest, ...rest]) : run('npx', [...vitest, ...rest]);
}
process.exitCode = code;
