// Measures `onceover instructions` after everything has passed: 10,000 files, 200 rules, 50 changed files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE, CLI, sideBySide } from './support/measure.mjs';
import { report } from './support/rows.mjs';

const root = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
try {
  const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  const onceover = (...args) => execFileSync(process.execPath, [CLI, ...args], { cwd: root, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'bench');
  git('config', 'user.email', 'bench@example.invalid');
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(join(root, `area${folder}/src`), { recursive: true });
    for (let file = 0; file < 100; file++) {
      writeFileSync(join(root, `area${folder}/src/file${file}.ts`), `export const value = ${folder * 100 + file};\n`);
    }
  }
  for (let folder = 0; folder < 20; folder++) {
    const rules = Array.from({ length: 10 }, (_, n) => ruleText(`rule-${folder}-${n}`, n));
    writeFileSync(join(root, `area${folder}/.deepreview`), rules.join('\n'));
  }
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  git('checkout', '-q', '-b', 'work');
  for (let folder = 0; folder < 10; folder++) {
    for (let file = 0; file < 5; file++) {
      writeFileSync(join(root, `area${folder}/src/file${file}.ts`), `export const value = -${folder * 100 + file};\n`);
    }
  }
  const { tasks } = JSON.parse(onceover('instructions', '--json'));
  for (const { review_id } of tasks) onceover('pass', review_id);
  const left = JSON.parse(onceover('instructions', '--json'));
  if (tasks.length !== 50 || left.tasks.length !== 0)
    throw new Error('the sample repository is not in the expected state');

  const [bare, status, instructions] = sideBySide(
    [BARE, ['git', 'status', '--porcelain'], [process.execPath, CLI, 'instructions']],
    { cwd: root },
  );
  report({
    id: 'all-passed',
    what: '`onceover instructions`, all passed (10,000 files, 200 rules, 50 changed)',
    figure: instructions,
    unit: 'ms',
    beside: [{ what: '`git status`', figure: status }],
    limit: { most: status + 4 * bare, says: '`git status` + 4 × `node -e 0`' },
  });
} finally {
  rmSync(root, { recursive: true, force: true });
}

function ruleText(name, n) {
  return `${name}:
  description: Checks part ${n}.
  match:
    include: ["src/file${n}*.ts", "lib/**"]
    exclude: ["**/*.test.ts"]
  review:
    strategy: matches_together
    instructions: |
      Look at the code with care.
      Say what is wrong and how to fix it.
`;
}
