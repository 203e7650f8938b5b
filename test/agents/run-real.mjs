// Runs the tests of the real agent CLIs, or those that are named: installs them, then cuts off the network where the
// machine allows it. With --latest, tries the newest version of each agent and says what broke. The program must have
// been built.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const vitest = ['vitest', 'run', '--project', 'agents'];
const run = (program, args, env = {}) =>
  spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;

const isolated = ['--map-root-user', '--net', '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const canIsolate = spawnSync('unshare', [...isolated, 'true'], { stdio: 'ignore' }).status === 0;

const isLatest = process.argv.includes('--latest');
// These test every agent by itself. The others test onceover with the agents.
const BY_AGENT = ['agents', 'agents-others', 'resume', 'doors', 'tools', 'acp'];
const OTHERS = [
  'unreachable',
  'fix',
  'run',
  'run-trouble',
  'run-later',
  'share',
  'share-opencode',
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
  'api',
];

const installs = ['npx', ...vitest, 'test/agents/real/install.test.ts'];
const installed = run(installs[0], installs.slice(1), isLatest ? { ONCEOVER_LATEST: 'find' } : {});
if (installed !== 0 && !isLatest) process.exitCode = installed;
else {
  const names = isLatest ? BY_AGENT : [...BY_AGENT, ...OTHERS];
  const named = process.argv.slice(2).filter((one) => one !== '--latest');
  const rest = named.length === 0 ? names.map((name) => `test/agents/real/${name}.test.ts`) : named;
  if (canIsolate) console.log('The agents run in a network of their own that has the loopback interface only.');
  else console.log('The agents run with this machine’s network; only 127.0.0.1 is named to them.');
  const folder = mkdtempSync(join(tmpdir(), 'onceover-latest-'));
  const report = join(folder, 'report.json');
  const reporters = isLatest ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : [];
  const tests = ['npx', ...vitest, ...reporters, ...rest];
  const env = isLatest ? { ONCEOVER_LATEST: 'use' } : {};
  const code = canIsolate ? run('unshare', [...isolated, ...tests], env) : run('npx', tests.slice(1), env);
  if (isLatest) sayWhatBroke(report);
  rmSync(folder, { recursive: true });
  process.exitCode = code || installed;
}

/** Prints for each agent what broke with its newest version. */
function sayWhatBroke(report) {
  const agents = process.env.ONCEOVER_AGENTS_DIR ?? join(homedir(), '.cache/onceover-agents');
  const { versions, troubles } = JSON.parse(readFileSync(join(agents, 'latest.json'), 'utf8'));
  if (!existsSync(report)) return console.log('The tests ended before they could report what broke.');
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const tests = testResults.flatMap(({ name, status, message, assertionResults }) =>
    status === 'failed' && assertionResults.length === 0
      ? [{ status, fullName: name, failureMessages: [message] }]
      : assertionResults,
  );
  const names = [...new Set([...Object.keys(versions), ...Object.keys(troubles)])];
  const isAbout = (name) => (one) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(one.fullName);
  for (const name of names)
    sayOf(`${name} ${versions[name] ?? ''}`.trim(), tests.filter(isAbout(name)), troubles[name]);
  const others = tests.filter((one) => !names.some((name) => isAbout(name)(one)));
  if (others.length > 0) sayOf('all agents', others);
}

function sayOf(who, tests, trouble) {
  const failed = tests.filter(({ status }) => status === 'failed');
  const ran = tests.filter(({ status }) => status === 'passed').length + failed.length;
  if (trouble !== undefined) console.log(`${who}: ${trouble} (its tests ran with the tested version)`);
  console.log(`${who}: ${failed.length === 0 ? 'nothing broke' : `${failed.length} broke`} in ${ran} tests`);
  for (const { fullName, failureMessages } of failed) {
    console.log(`  ${fullName.trim()}\n    ${failureMessages[0]?.split('\n')[0]}`);
  }
}
