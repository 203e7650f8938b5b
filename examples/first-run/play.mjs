// Plays a first run in a throw-away repository: two reviewers find two mistakes, one is mended, then the other; the
// reviewer that passed rests. The reviewers are scripted: no model, key or network is needed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
const reviewer = fileURLToPath(new URL('reviewer.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'onceover-first-run-'));
const git = (...args) => spawnSync('git', args, { cwd: root, stdio: 'ignore' });
const say = (text) => console.log(`\n${text}\n`);
const price = (sum, round) => `export const total = (prices: number[]) => ${sum};
export const label = (price: number) => price.${round};
`;

/** Runs the gates and shows what they say; an exit code that was not to be expected ends the sample. */
function run(expected) {
  console.log('  $ onceover run');
  const end = spawnSync(process.execPath, [cli, 'run'], { cwd: root, encoding: 'utf8' });
  console.log(end.stdout.trimEnd().replace(/^/gm, '    '));
  if (end.status !== expected) throw new Error(`exit code ${end.status} instead of ${expected}\n${end.stderr}`);
}

try {
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Sample');
  git('config', 'user.email', 'sample@example.invalid');
  mkdirSync(join(root, 'src'));
  mkdirSync(join(root, '.onceover/reviews'), { recursive: true });
  writeFileSync(join(root, 'src/price.ts'), 'export {};\n');
  writeFileSync(join(root, '.onceover/reviews/code-quality.md'), 'Look for what gives wrong results.\n');
  writeFileSync(
    join(root, 'onceover.yml'),
    `agents: [careful, exact]
agent:
  careful: { command: [node, ${JSON.stringify(reviewer)}, crashes] }
  exact: { command: [node, ${JSON.stringify(reviewer)}, rounding] }
gates:
  - path: src
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 }
`,
  );
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  git('checkout', '-q', '-b', 'prices');
  writeFileSync(join(root, 'src/price.ts'), price('prices.reduce((sum, one) => sum + one)', 'toFixed(1)'));

  say('A branch with a change that has two mistakes, and a gate with two (scripted) reviewers:');
  run(1);

  writeFileSync(join(root, 'src/price.ts'), price('prices.reduce((sum, one) => sum + one, 0)', 'toFixed(1)'));
  say('The first one is mended. Both failed, so both look again:');
  run(1);

  writeFileSync(join(root, 'src/price.ts'), price('prices.reduce((sum, one) => sum + one, 0)', 'toFixed(2)'));
  say('The second is mended. The reviewer that passed rests, the other looks again:');
  run(0);

  say('Nothing has changed since:');
  run(0);
} finally {
  rmSync(root, { recursive: true, force: true });
}
