import type { RepoPath } from '../domain/brand.ts';
import { sha256 } from '../domain/digest.ts';
import type { Result } from '../domain/result.ts';
import { openListFile } from '../io/list-file.ts';

const MOST_NOTES = 200;

/** What `init` wrote in this clone, by digests: so that it is known later whether a file is still as it was written. */
export function openSetUpNotes(commonDir: string) {
  const file = openListFile(commonDir, 'set-up.json');
  return {
    note(path: RepoPath, text: string): Result<void> {
      const one = noteOf(path, text);
      return file.write([...file.read().filter((other) => other !== one), one].slice(-MOST_NOTES));
    },
    has(path: RepoPath, text: string): boolean {
      return file.read().includes(noteOf(path, text));
    },
  };
}

function noteOf(path: RepoPath, text: string): string {
  return `${sha256(text)} ${path}`;
}
