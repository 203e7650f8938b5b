import type { RepoPath } from '../domain/brand.ts';

/** One line of git's `--raw` output: two sides of a path, or of a rename. */
export type RawEntry = {
  readonly oldMode: string;
  readonly newMode: string;
  /** Null: there is nothing on this side. */
  readonly oldId: string | null;
  readonly newId: string | null;
  /** A, D, M, T, R, C or U. */
  readonly status: string;
  /** The path, or the old and the new one of a rename. */
  readonly paths: readonly RepoPath[];
  /** Those of its names that are not UTF-8, as a person may read them. */
  readonly unnameable: readonly string[];
};

/** Reads the output of git's diff commands with `--raw -z`; a name that is not UTF-8 shifts nothing. */
export function readRawDiff(output: Buffer): RawEntry[] {
  // Byte by byte a character, so that every name comes through.
  const fields = output.toString('latin1').split('\0');
  const entries: RawEntry[] = [];
  for (let i = 0; i + 1 < fields.length; ) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = (fields[i] ?? '').slice(1).split(' ');
    const count = /^[RC]/.test(status) ? 2 : 1;
    const names = fields.slice(i + 1, i + 1 + count);
    i += 1 + count;
    const paths = names.map(nameOf);
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

function nameOf(bytes: string): RepoPath | null {
  if (/^[\x20-\x7e]*$/.test(bytes)) return bytes as RepoPath;
  const buffer = Buffer.from(bytes, 'latin1');
  const name = buffer.toString('utf8');
  return Buffer.from(name, 'utf8').equals(buffer) ? (name as RepoPath) : null;
}

function idOrNone(id: string): string | null {
  return /^0+$/.test(id) ? null : id;
}
