// What the scripts look at: files that git knows, as they are in the working tree.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The files that are there, from the root: tracked ones, and new ones that are not ignored. */
export function filesIn(...paths) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths];
  const names = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\0');
  return [...new Set(names)].filter((name) => name !== '' && existsSync(name));
}

export function textOf(path) {
  return readFileSync(path, 'utf8');
}

/** A problem at a line; its issue says where it is in words too, so that it is the same one when lines move. */
export function problemAt(file, line, { code, issue, fix, priority = 'medium' }) {
  return {
    file,
    line,
    ...(code === undefined ? {} : { code }),
    issue,
    ...(fix === undefined ? {} : { fix }),
    priority,
  };
}
