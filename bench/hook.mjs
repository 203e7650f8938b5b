// `onceover hook stop` where it has judged what is there: an agent waits for it each time it stops.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report, sideBySide } from './support/measure.mjs';
import { withRepository } from './support/repository.mjs';

const cli = process.env.ONCEOVER_TEST_CLI ?? fileURLToPath(new URL('../dist/cli.mjs', import.meta.url));

await withRepository({ files: 10_000, gates: 20 }, ({ root, git }) => {
  const onceover = (...args) =>
    execFileSync(process.execPath, [cli, ...args], { cwd: root, input: '{}', stdio: ['pipe', 'pipe', 'pipe'] });
  onceover('trust');
  measure(root, onceover, 'onceover hook stop, nothing changed (10,000 files)');
  git('checkout', '-q', '-b', 'work');
  for (let folder = 0; folder < 20; folder++) {
    writeFileSync(join(root, `area${folder}/file0.ts`), 'export const value = -1;\n');
  }
  measure(root, onceover, 'onceover hook stop, all gates hold (10,000 files, 20 gates, 20 changed)');
});

function measure(root, onceover, what) {
  // What git itself writes down of files' times is written now, and not while it is measured.
  execFileSync('git', ['status', '--porcelain'], { cwd: root });
  const said = onceover('hook', 'stop');
  if (said.length > 0) throw new Error(`the sample is not what it should be: ${said}`);
  const [bare, status, hook] = sideBySide(
    [
      [process.execPath, '-e', '0'],
      ['git', 'status', '--porcelain'],
      [process.execPath, cli, 'hook', 'stop'],
    ],
    { cwd: root },
  );
  report({
    what,
    figure: hook,
    limit: 1.8 * bare + status,
    unit: ' ms',
    details: `limit = git status ${status.toFixed(1)} ms + 1.8 x "node -e 0" ${bare.toFixed(1)} ms`,
  });
}
