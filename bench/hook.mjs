// Measures `onceover hook stop` after the gates have passed: an agent waits for it each time it stops.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BARE, CLI, sideBySide } from './support/measure.mjs';
import { withRepository } from './support/repository.mjs';
import { report } from './support/rows.mjs';

await withRepository({ files: 10_000, gates: 20 }, ({ root, git }) => {
  const onceover = (...args) =>
    execFileSync(process.execPath, [CLI, ...args], { cwd: root, input: '{}', stdio: ['pipe', 'pipe', 'pipe'] });
  onceover('trust');
  measure(root, onceover, { id: 'nothing-changed', what: '`onceover hook stop`, nothing changed (10,000 files)' });
  git('checkout', '-q', '-b', 'work');
  for (let folder = 0; folder < 20; folder++) {
    writeFileSync(join(root, `area${folder}/file0.ts`), 'export const value = -1;\n');
  }
  measure(root, onceover, {
    id: 'all-hold',
    what: '`onceover hook stop`, all gates pass (10,000 files, 20 gates, 20 changed)',
  });
});

function measure(root, onceover, named) {
  // Let git refresh the file times in its index now, and not during the measurement.
  execFileSync('git', ['status', '--porcelain'], { cwd: root });
  const said = onceover('hook', 'stop');
  if (said.length > 0) throw new Error(`the sample repository is not in the expected state: ${said}`);
  const [bare, status, hook] = sideBySide(
    [BARE, ['git', 'status', '--porcelain'], [process.execPath, CLI, 'hook', 'stop']],
    { cwd: root },
  );
  report({
    ...named,
    figure: hook,
    unit: 'ms',
    beside: [{ what: '`git status`', figure: status }],
    limit: { most: status + 1.8 * bare, says: '`git status` + 1.8 × `node -e 0`' },
  });
}
