// Plays a first review in a temporary repository: rules, a change, instructions, a pass, and then nothing left to do.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'onceover-first-review-'));
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
const onceover = (...args) => execFileSync(process.execPath, [cli, ...args], { cwd: root, encoding: 'utf8' });
const show = (text) => console.log(text.trimEnd().replace(/^/gm, '    '));
const say = (text) => console.log(`\n${text}\n`);

try {
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Sample');
  git('config', 'user.email', 'sample@example.invalid');
  mkdirSync(join(root, 'src'));
  writeFileSync(
    join(root, 'src/price.ts'),
    'export const total = (prices: number[]) => prices.reduce((sum, one) => sum + one, 0);\n',
  );
  onceover('init', '--rules');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  git('checkout', '-q', '-b', 'discount');
  writeFileSync(
    join(root, 'src/price.ts'),
    'export const total = (prices: number[]) => prices.reduce((sum, one) => sum + one);\n',
  );

  say('A sample repository has a starter .deepreview and a change on a branch. What needs a review?');
  console.log('  $ onceover instructions');
  show(onceover('instructions'));
  const [task] = JSON.parse(onceover('instructions', '--json')).tasks;

  say('A reviewer reads that file, finds nothing, and records the pass:');
  console.log(`  $ onceover pass ${task.review_id}`);
  show(onceover('pass', task.review_id));

  say('The same change again:');
  console.log('  $ onceover instructions');
  show(onceover('instructions'));

  say('The file changes by one byte:');
  writeFileSync(
    join(root, 'src/price.ts'),
    'export const total = (prices: number[]) => prices.reduce((sum, one) => sum + one, 0);\n\n',
  );
  console.log('  $ onceover instructions');
  show(onceover('instructions'));
} finally {
  rmSync(root, { recursive: true, force: true });
}
