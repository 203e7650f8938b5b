// Counts the reviews that a branch needs, compared with running every reviewer of every changed gate in every run.
// There are ten gates of two reviewers each: one reviewer looks for a planted word, the other passes everything.
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from './support/measure.mjs';
import { withRepository } from './support/repository.mjs';
import { report } from './support/rows.mjs';

const GATES = 10;
const REVIEWERS = 2;
const SMALL_CHANGES = 7;

// Only added lines count; a removed line begins with a minus.
const CAREFUL = `#!/bin/sh
asked=$(cat)
if echo "$asked" | grep -q '^+.*PLANTED'; then
  file=$(echo "$asked" | sed -n 's#^+++ b/##p' | head -n 1)
  echo '{"status":"fail","violations":[{"file":"'"$file"'","line":1,"issue":"It was planted.","priority":"high"}]}'
else
  echo '{"status":"pass","violations":[]}'
fi
`;

await withRepository({ files: 100, gates: 0 }, ({ root, git }) => {
  writeFileSync(join(root, 'careful.sh'), CAREFUL);
  chmodSync(join(root, 'careful.sh'), 0o755);
  writeFileSync(join(root, 'onceover.yml'), settings());
  git('add', '-A');
  git('commit', '-q', '-m', 'gates');
  git('checkout', '-q', '-b', 'work');
  const write = (folder, text) => writeFileSync(join(root, `area${folder}/file0.ts`), `${text}\n`);

  // Changes every folder, with a mistake in two of them; fixes the two mistakes one after the other; then makes one
  // small change per run.
  for (let folder = 0; folder < GATES; folder++) write(folder, folder < 2 ? 'PLANTED' : 'export const value = -1;');
  const asked = [run(root, 'failed')];
  write(0, 'export const value = -2;');
  asked.push(run(root, 'failed'));
  write(1, 'export const value = -2;');
  asked.push(run(root, 'passed'));
  for (let n = 0; n < SMALL_CHANGES; n++) {
    write(n, `export const value = ${-3 - n};`);
    asked.push(run(root, 'passed'));
  }
  report({
    id: 'branch',
    what: `reviews in ${asked.length} runs on a branch (${GATES} gates of ${REVIEWERS} reviewers, two findings fixed, then ${SMALL_CHANGES} small changes)`,
    figure: asked.reduce((sum, one) => sum + one, 0),
    unit: 'reviews',
    beside: [{ what: 'every reviewer in every run', figure: asked.length * GATES * REVIEWERS }],
    limit: { ratio: 0.2 },
    details: `run by run: ${asked.join(', ')}`,
  });
});

/** Runs the gates and returns the number of reviews. */
function run(root, expected) {
  let told;
  try {
    told = execFileSync(process.execPath, [CLI, 'run', '--json'], { cwd: root, stdio: 'pipe' });
  } catch (error) {
    told = error.stdout;
  }
  const { status, dispatches } = JSON.parse(told);
  if (status !== expected)
    throw new Error(`the sample repository is not in the expected state: ${status} instead of ${expected}`);
  return dispatches;
}

function settings() {
  const gates = Array.from(
    { length: GATES },
    (_, n) =>
      `  - path: area${n}\n    reviews:\n      quality: { prompt: .onceover/reviews/quality.md, num_reviews: ${REVIEWERS} }\n`,
  );
  return `agents: [careful, content]
unchanged_gates: rest
agent:
  careful: { command: [./careful.sh] }
  content: { command: [echo, '{"status":"pass","violations":[]}'] }
gates:
${gates.join('')}`;
}
