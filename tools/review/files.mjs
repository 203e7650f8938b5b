// Lists and reads the files of the working tree that git does not ignore.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The code and the tests of all packages, as patterns for git. */
export const SOURCES = [':(glob)packages/*/src/**'];
export const TESTS = ['test', ':(glob)packages/*/test/**'];

/** Returns tracked and new files below the paths, without ignored ones. */
export function filesIn(...paths) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths];
  const names = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\0');
  return [...new Set(names)].filter((name) => name !== '' && existsSync(name));
}

export function textOf(path) {
  return readFileSync(path, 'utf8');
}

/** Returns a problem at a line. The issue text must identify the problem without the line number, because lines move. */
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
