// How many reviews a branch asks for while it is worked on, beside every reviewer of every changed gate in every run. Ten gates of two
// reviewers each: one looks for a word that is planted, the other is content with everything. Counted, not timed.
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from './support/measure.mjs';
import { withRepository } from './support/repository.mjs';
import { report } from './support/rows.mjs';

const GATES = 10;
const REVIEWERS = 2;
const SMALL_CHANGES = 7;

// What was added is what counts; a line that is gone begins with a minus.
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

  // A change to every folder, with a mistake in two of them; both are mended, one after the other; then small changes, one a run.
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
    what: `reviews asked for in ${asked.length} runs on a branch (${GATES} gates of ${REVIEWERS} reviewers, two findings mended, then ${SMALL_CHANGES} small changes)`,
    figure: asked.reduce((sum, one) => sum + one, 0),
    unit: 'reviews',
    beside: [{ what: 'every reviewer in every run', figure: asked.length * GATES * REVIEWERS }],
    limit: { ratio: 0.2 },
    details: `run by run: ${asked.join(', ')}`,
  });
});

/** Runs the gates, and gives how many reviews were asked for. */
function run(root, expected) {
  let told;
  try {
    told = execFileSync(process.execPath, [CLI, 'run', '--json'], { cwd: root, stdio: 'pipe' });
  } catch (error) {
    told = error.stdout;
  }
  const { status, dispatches } = JSON.parse(told);
  if (status !== expected) throw new Error(`the sample is not what it should be: ${status} instead of ${expected}`);
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
