import { byCodePoint, inChunks } from '@onceover/base/kernel/collections';
import { escapeControls } from '@onceover/base/kernel/escape';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { DiffSection, RepositoryPaths } from '@onceover/base/kernel/repository';
import { isWithoutText, type PatchPart, patch, type Trees } from './diff/patch.ts';

/**
 * Returns the diff of two trees, one section per file, with renames detected. If `paths` is given, the diff has only
 * these files, and a rename appears as a deletion and an addition. Text is shown even if `.gitattributes` marks the
 * file as binary.
 */
export async function diffSections(
  repo: RepositoryPaths,
  trees: Trees,
  { contextLines = 3, paths }: { readonly contextLines?: number; readonly paths?: readonly RepoPath[] },
): Promise<readonly DiffSection[]> {
  const context = `--unified=${contextLines}`;
  const parts = await (paths === undefined
    ? patch(repo, trees, [context, ...RENAMES])
    : patchOf(repo, trees, [context, '--no-renames'], paths));
  return (await withTexts(repo, trees, parts, [context, '--text'])).map((section) => ({
    ...section,
    text: escapeControls(section.text),
  }));
}

const RENAMES = ['-M', '-l1000'];

async function patchOf(
  repo: RepositoryPaths,
  trees: Trees,
  options: readonly string[],
  paths: readonly RepoPath[],
): Promise<PatchPart[]> {
  const patchParts: PatchPart[] = [];
  for (const chunk of inChunks([...new Set(paths)])) {
    const parts = await patch(repo, trees, options, chunk);
    // If a path is a folder in one of the trees, git also prints the files in that folder, which the caller did not
    // request.
    const requestedPaths = new Set<string>(chunk);
    patchParts.push(...parts.filter((part) => part.paths.every((path) => requestedPaths.has(path))));
  }
  return patchParts.sort((a, b) => byCodePoint(a.paths[0] ?? '', b.paths[0] ?? ''));
}

// git prints no diff of a file that `.gitattributes` marks as binary, or that contains a NUL byte near its beginning.
// Show the first as they are, and the others as far as they are readable.
async function withTexts(
  repo: RepositoryPaths,
  trees: Trees,
  parts: readonly PatchPart[],
  asText: readonly string[],
): Promise<readonly DiffSection[]> {
  const binaries = parts.filter(isWithoutText);
  if (binaries.length === 0) return parts.map(({ paths, text }) => ({ paths, text }));
  const { readableSections } = await import('./diff/binary-diff.ts');
  const unreadable = await readableSections(repo, binaries, asText);
  const textParts = new Set(binaries.filter((part) => !unreadable.has(part)));
  const textByPaths = new Map<string, string>();
  // This second diff has only the files that git called binary, so git may see only one side of a rename. Then diff
  // again without renames, which shows a deletion and an addition.
  for (const renames of [RENAMES, ['--no-renames']]) {
    const missing = [...textParts].filter(({ paths }) => !textByPaths.has(keyOf(paths)));
    const paths = missing.flatMap((part) => part.paths);
    const again = await patchOf(repo, trees, [...asText, ...renames], paths);
    for (const { paths, text } of again) textByPaths.set(keyOf(paths), text);
  }
  return parts.map((part) => {
    const { paths, text } = part;
    if (!textParts.has(part)) return unreadable.get(part) ?? { paths, text };
    const asTwo = () => paths.map((path) => textByPaths.get(keyOf([path])) ?? text).join('');
    return { paths, text: textByPaths.get(keyOf(paths)) ?? asTwo() };
  });
}

const keyOf = (paths: readonly RepoPath[]) => paths.join('\0');
