import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Spot } from '../domain/stop.ts';
import { HIDING, mayHaveAttributes } from './attributes.ts';
import { gitProgram } from './find-program.ts';
import { undisturbed } from './undisturbed.ts';

/** What git says of the tree, and the untracked files that no look has taken in. */
export type TreePrint = { readonly print: string; readonly untracked: readonly string[] };

/**
 * Tells one state of the working tree from another by one question to git, asked with the index of the last look, which
 * nobody can hide files in. `name` is what that index's name begins with. Null where that says nothing: there was no
 * look, or something has changed since. Nothing is hashed: that alone would take longer than the rest of an answer.
 */
export function treePrint({ root, commonDir }: Pick<Spot, 'root' | 'commonDir'>, name: string): TreePrint | null {
  const index = keptIndex(commonDir, name);
  if (index === null) return null;
  const config = undisturbed(commonDir).flatMap((setting) => ['-c', setting]);
  const env = {
    ...process.env,
    GIT_INDEX_FILE: index,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C',
  };
  const ask = (question: readonly string[]) =>
    spawnSync(gitProgram(), [...config, ...question], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    });
  const answer = ask(STATUS);
  // git goes on where it may not look, and says so in passing.
  if (answer.status !== 0 || answer.stderr.length > 0) return null;
  // Of these it does not say that they were edited, where it leaves out what was.
  const hiding = mayHaveAttributes(commonDir, index) ? ask(['ls-files', '-z', '--', HIDING]) : null;
  if (hiding !== null && (hiding.status !== 0 || hiding.stdout.length > 0)) return null;
  return readStatus(answer.stdout);
}

const STATUS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--no-ahead-behind',
  '--untracked-files=all',
  '--ignore-submodules=none',
  '--no-renames',
];

// An entry that differs from the index stands for content that nobody has looked at.
function readStatus(output: Buffer): TreePrint | null {
  const print = output.toString('latin1');
  const untracked: string[] = [];
  for (const entry of print.split('\0')) {
    if (entry.startsWith('? ')) untracked.push(Buffer.from(entry.slice(2), 'latin1').toString('utf8'));
    else if (entry.startsWith('u ') || /^[12] .[^.D]/.test(entry)) return null;
  }
  return { print, untracked };
}

function keptIndex(commonDir: string, name: string): string | null {
  const folder = join(commonDir, 'onceover/indexes');
  try {
    const [found] = readdirSync(folder).filter((one) => one.startsWith(name));
    return found === undefined || !lstatSync(join(folder, found)).isFile() ? null : join(folder, found);
  } catch {
    return null;
  }
}
