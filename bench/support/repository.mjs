import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs work in a repository with this many files in 100 folders. The first folders have a review that always passes.
 */
export async function withRepository({ files, gates }, work) {
  const root = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
  try {
    const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'bench');
    git('config', 'user.email', 'bench@example.invalid');
    git('config', 'gc.auto', '0');
    for (let folder = 0; folder < 100; folder++) {
      mkdirSync(join(root, `area${folder}`), { recursive: true });
      for (let file = 0; file < files / 100; file++) {
        writeFileSync(join(root, `area${folder}/file${file}.ts`), `export const value = ${folder * 1000 + file};\n`);
      }
    }
    mkdirSync(join(root, '.onceover/reviews'), { recursive: true });
    writeFileSync(join(root, '.onceover/reviews/quality.md'), 'Look for what is wrong.\n');
    writeFileSync(join(root, 'onceover.yml'), gateSettings(gates));
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
    await work({ root, git });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Returns an `onceover.yml` with one review each for the first folders. Its agent always passes. */
export function gateSettings(gates) {
  const entries = Array.from(
    { length: gates },
    (_, n) => `  - path: area${n}\n    reviews:\n      quality: { prompt: .onceover/reviews/quality.md }\n`,
  );
  const answer = '{"status":"pass","violations":[]}';
  return `agents: [yes]\nagent:\n  yes: { command: [echo, '${answer}'] }\ngates:\n${entries.join('')}`;
}
