// Measures how the time of `onceover status` and of a run grows with the number of gates. A rule reviews every changed
// file on its own, so there are as many gates as files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { CLI, median } from './support/measure.mjs';
import { report } from './support/rows.mjs';

const FEW = 100;
const MANY = 4 * FEW;
const MOST = 5000;
const ROUNDS = 3;

// Four times as many gates take four times as long if the time is linear; the rest of the limit is for noise.
const LINEAR = { ratio: 5 };

const RULE = `each-file:
  description: Reviews each file on its own.
  match:
    include: ["**/*.ts"]
  review:
    strategy: individual
    instructions: Look for what is wrong.
`;
const SETTINGS = `agents: [yes]
agent:
  yes: { command: [echo, '{"status":"pass","violations":[]}'] }
`;

const times = { status: { few: [], many: [] }, run: { few: [], many: [] } };
for (let round = 0; round < ROUNDS; round++) {
  for (const [size, files] of Object.entries({ few: FEW, many: MANY })) {
    withGates(files, (root) => {
      times.run[size].push(timeOf(root, ['run'], 0));
      times.status[size].push(timeOf(root, ['status'], 0));
    });
  }
}
for (const [command, { few, many }] of Object.entries(times)) {
  report({
    id: `${command}-growth`,
    what: `\`onceover ${command}\` with ${MANY} gates of one file`,
    figure: median(many),
    unit: 'ms',
    beside: [{ what: `with ${FEW} gates`, figure: median(few) }],
    limit: LINEAR,
  });
}

withGates(MOST, (root) => {
  // The first call stores the new files in git's object database, as `git add` does.
  timeOf(root, ['status'], 1);
  report({
    id: 'status-many',
    what: `\`onceover status\` with ${MOST} gates of one file`,
    figure: timeOf(root, ['status'], 1),
    unit: 'ms',
    limit: { most: 10_000 },
  });
});

/** Returns the time of a command that ends with this exit code, in milliseconds. */
function timeOf(root, args, exitCode) {
  const start = performance.now();
  let code = 0;
  try {
    execFileSync(process.execPath, [CLI, ...args], { cwd: root, stdio: 'ignore' });
  } catch (error) {
    code = error.status;
  }
  if (code !== exitCode) throw new Error(`onceover ${args.join(' ')}: exit ${code} instead of ${exitCode}`);
  return performance.now() - start;
}

/** Calls `work` with a repository in which a rule reviews each of this many new files on its own and always passes. */
function withGates(files, work) {
  const root = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
  try {
    const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
    git('init', '-q', '-b', 'main');
    writeFileSync(join(root, '.deepreview'), RULE);
    writeFileSync(join(root, 'onceover.yml'), SETTINGS);
    git('add', '-A');
    git('-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', 'commit', '-q', '-m', 'first');
    git('checkout', '-q', '-b', 'work');
    for (let n = 0; n < files; n++) {
      mkdirSync(join(root, `area${n % 50}`), { recursive: true });
      writeFileSync(join(root, `area${n % 50}/file${n}.ts`), `export const value = ${n};\n`);
    }
    work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
