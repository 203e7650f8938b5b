import type { ProblemKind, UnusableFile } from '../domain/problem.ts';
import type { TextFiles } from '../io/text-files.ts';

/** The text of a file that people wrote, all of it, or why it cannot be used. */
export type WholeText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: UnusableFile };

const LONGEST_BYTES = 1024 * 1024;

/** Reads a file whole; one that says nothing is read too. */
export function readWhole(files: TextFiles, path: string): WholeText {
  const read = files.read(path, LONGEST_BYTES);
  if (read.kind === 'unusable') return { ok: false, why: read.why === 'binary' ? 'not-utf8' : read.why };
  return read.cut ? { ok: false, why: 'too-large' } : { ok: true, text: read.text };
}

/** Reads a file that must say something. */
export function readSaying(files: TextFiles, path: string): WholeText {
  const read = readWhole(files, path);
  return read.ok && read.text.trim() === '' ? { ok: false, why: 'empty' } : read;
}

/** Reads a file that need not be there; null where it is not. A symlink that leads nowhere is there. */
export function readOptional(files: TextFiles, path: string): WholeText | null {
  const read = readWhole(files, path);
  return !read.ok && read.why === 'missing' && !files.isSymlink(path) ? null : read;
}

const TOP = { line: 1, column: 1 } as const;

/** What is wrong with a file that cannot be used, at the place that names it. */
export function unusable(
  path: string,
  why: UnusableFile,
  { line, column }: { readonly line: number; readonly column: number } = TOP,
): { readonly line: number; readonly column: number; readonly what: ProblemKind } {
  return { line, column, what: { kind: 'unusable-file', path, why } };
}
