import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Spot } from '../domain/stop.ts';
import { UNDISTURBED } from './undisturbed.ts';

/** What git says of the tree, and the untracked files that no look has taken in. */
export type TreePrint = { readonly print: string; readonly untracked: readonly string[] };

/**
 * Tells one state of the working tree from another by one question to git, asked with the index of the last look, which
 * nobody can hide files in. Null where that says nothing: there was no look, or something has changed since.
 */
export function treePrint({ root, commonDir }: Spot): TreePrint | null {
  const index = keptIndex(root, commonDir);
  if (index === null) return null;
  const config = UNDISTURBED.flatMap((setting) => ['-c', setting]);
  const answer = spawnSync('git', [...config, ...STATUS], {
    cwd: root,
    env: { ...process.env, GIT_INDEX_FILE: index, GIT_OPTIONAL_LOCKS: '0', GIT_NO_REPLACE_OBJECTS: '1', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
  // git goes on where it may not look, and says so in passing.
  if (answer.status !== 0 || answer.stderr.length > 0) return null;
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
  const entries = output.toString('latin1').split('\0');
  const untracked: string[] = [];
  for (const entry of entries) {
    if (entry.startsWith('? ')) untracked.push(Buffer.from(entry.slice(2), 'latin1').toString('utf8'));
    else if (entry.startsWith('u ') || /^[12] .[^.D]/.test(entry)) return null;
  }
  return { print: createHash('sha256').update(output).digest('hex'), untracked };
}

function keptIndex(root: string, commonDir: string): string | null {
  const folder = join(commonDir, 'onceover/indexes');
  const name = indexName(root);
  try {
    const [found] = readdirSync(folder).filter((one) => one.startsWith(name));
    return found === undefined || !lstatSync(join(folder, found)).isFile() ? null : join(folder, found);
  } catch {
    return null;
  }
}

/** What the names of a working tree's kept indexes begin with. */
export function indexName(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 32);
}
