import type { RepoPath } from '../domain/brand.ts';
import { digestOf } from '../domain/digest.ts';
import type { Entry } from '../domain/gate.ts';
import { byCodePoint } from '../domain/order.ts';
import type { TreeFile } from '../domain/ports.ts';

/** What a loop looks at, as one digest: the documents by what they are now, and of code every difference. */
export function phaseContent(
  documents: readonly RepoPath[],
  files: ReadonlyMap<RepoPath, TreeFile>,
  entries: readonly Entry[],
): string {
  return digestOf([
    documents.map((path) => [path, files.get(path)?.mode ?? null, files.get(path)?.id ?? null]),
    [...entries]
      .sort((a, b) => byCodePoint(a.path, b.path))
      .map(({ path, mode, headBlob }) => [path, headBlob === null ? null : mode, headBlob]),
  ]);
}
