import type { RepoPath } from '../domain/brand.ts';
import type { Entry } from '../domain/gate.ts';
import type { DiffSection } from '../domain/ports.ts';

// A line of a file has a blank, a plus or a minus before it: this one is git's own.
const BINARY = /^Binary files .* differ$/m;

/** Those of the entries whose diff says no more than that they differ; of what is deleted there is no more to say. */
export function binaryPaths(sections: readonly DiffSection[], entries: readonly Entry[]): readonly RepoPath[] {
  const binary = new Set(sections.filter(({ text }) => BINARY.test(text)).flatMap(({ paths }) => paths));
  return entries.filter(({ path, headBlob }) => headBlob !== null && binary.has(path)).map(({ path }) => path);
}
