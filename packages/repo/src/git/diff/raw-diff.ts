import type { RepoPath } from '@onceover/base/kernel/ids';
import { utf8Name } from '../git.ts';

/** One record of git's `--raw` output: a changed path, or a rename with its old and new path. */
export type RawEntry = {
  readonly oldMode: string;
  readonly newMode: string;
  /**
   * Object id of the old content; `null` if the path did not exist before. `newId` is `null` if the path was deleted.
   */
  readonly oldId: string | null;
  readonly newId: string | null;
  /**
   * git's letter for the kind of change: A (added), D (deleted), M (modified), T (type changed), R (renamed), C
   * (copied) or U (unmerged).
   */
  readonly status: string;
  /** The changed path; for a rename or copy, the old and the new path. */
  readonly paths: readonly RepoPath[];
  /** File names that are not valid UTF-8. Each byte of a name is one latin1 character here. */
  readonly unnameable: readonly string[];
};

/** Parses the output of git's diff commands with `--raw -z`. */
export function readRawDiff(output: Buffer): RawEntry[] {
  // Decode the output as latin1, which keeps every byte of names that are not UTF-8.
  const fields = output.toString('latin1').split('\0');
  const entries: RawEntry[] = [];
  for (let i = 0; i + 1 < fields.length; ) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = (fields[i] ?? '').slice(1).split(' ');
    const count = /^[RC]/.test(status) ? 2 : 1;
    const names = fields.slice(i + 1, i + 1 + count);
    i += 1 + count;
    const paths = names.map((name) => utf8Name(name) as RepoPath | null);
    entries.push({
      oldMode,
      newMode,
      oldId: idOrNone(oldId),
      newId: idOrNone(newId),
      status: status.charAt(0),
      paths: paths.filter((path) => path !== null),
      unnameable: names.filter((_, n) => paths[n] === null),
    });
  }
  return entries;
}

function idOrNone(id: string): string | null {
  return /^0+$/.test(id) ? null : id;
}
