import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { type DiffSection, type RepositoryPaths, SUBMODULE } from '@onceover/base/kernel/repository';
import { NO_USER_PROGRAMS } from '../environment.ts';
import { git, gitFailed, objectId } from '../git.ts';
import { type RawEntry, readRawDiff } from './raw-diff.ts';

/** The diff of one path or rename, with its record from the `--raw` list. */
export type PatchPart = DiffSection & { readonly raw: RawEntry };

/**
 * Parses the output of `--patch-with-raw -z`. Returns `null` if there are not as many patches as records in the `--raw`
 * list.
 */
export function readPatch(output: Buffer): PatchPart[] | null {
  if (output.length === 0) return [];
  const border = output.indexOf('\0\0');
  if (border === -1) return null;
  const sections = splitSections(output.subarray(border + 2));
  let nextSection = 0;
  const parts = readRawDiff(output.subarray(0, border + 1)).map((raw) => {
    // git prints a file that became a symlink as a deletion and an addition, so two patches belong to this record.
    const count = raw.status === 'T' ? 2 : 1;
    const text = sections.slice(nextSection, nextSection + count).join('');
    nextSection += count;
    return { paths: raw.paths, text, raw };
  });
  return nextSection === sections.length ? parts : null;
}

const START = 'diff --git ';

// Splits a diff into one section per file. A line of a file's content cannot look like the start of a section, because
// git puts a space, a plus or a minus before it.
function splitSections(patch: Buffer): string[] {
  const sections: string[] = [];
  for (let from = 0; from < patch.length; ) {
    const next = patch.indexOf(`\n${START}`, from);
    const end = next === -1 ? patch.length : next + 1;
    sections.push(patch.toString('utf8', from, end));
    from = end;
  }
  return sections;
}

/** Two trees to compare. */
export type Trees = { readonly from: string; readonly to: string };

// Some of these options are git's defaults. They are here so that the diff does not depend on git's version or the
// user's settings.
const DIFF_TREE = [
  'diff-tree',
  '-r',
  '-z',
  '--patch-with-raw',
  // Use a fixed length of object ids. By default git prints longer ones as the repository grows, which would change the
  // text of the same diff.
  '--abbrev=12',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--inter-hunk-context=0',
  '--indent-heuristic',
  '--diff-algorithm=myers',
  '--submodule=short',
  '--ignore-submodules=none',
  '-O/dev/null',
];

const CONFIG = [
  ...NO_USER_PROGRAMS,
  'core.quotePath=false',
  'core.bigFileThreshold=512m',
  'diff.suppressBlankEmpty=false',
];

/** Returns the patches of two trees, one per record of the `--raw` list. */
export async function patch(
  repo: RepositoryPaths,
  trees: Trees,
  options: readonly string[],
  paths: readonly RepoPath[] = [],
): Promise<PatchPart[]> {
  const args = [...DIFF_TREE, ...options, objectId(trees.from), objectId(trees.to), '--', ...paths];
  // With the user's index, git may read an unchanged file from disk. Name an index file that does not exist, so that
  // git reads all content from the trees.
  const env = { GIT_DIFF_OPTS: '', GIT_INDEX_FILE: join(repo.commonDir, 'onceover/no-index') };
  const answer = await git(repo.root, args, { config: CONFIG, env });
  const parts = readPatch(answer.stdout);
  if (parts === null) throw gitFailed(args, 'the patch does not fit the list');
  // Leave out files whose name is not UTF-8, because they belong to no gate. The snapshot reports them separately.
  return parts.filter(({ raw }) => raw.unnameable.length === 0);
}

// In a diff, a space, a plus or a minus stands before each line of a file, so such a line comes from git itself.
const WITHOUT_TEXT = /^Binary files .* differ\n/m;

/** Whether git printed no text for a part of a diff, only that the versions differ. */
export function isWithoutText({ text }: PatchPart): boolean {
  return WITHOUT_TEXT.test(text);
}

/** Replaces the line with which git says that the versions differ. */
export function withoutTextReplaced({ text }: PatchPart, lines: string): string {
  return text.replace(WITHOUT_TEXT, () => lines);
}

/** Returns the ids of the old and the new blob of a part; `null` where there is none. */
export function blobsOf({ raw }: PatchPart): { readonly before: string | null; readonly after: string | null } {
  return {
    before: raw.oldMode === SUBMODULE ? null : raw.oldId,
    after: raw.newMode === SUBMODULE ? null : raw.newId,
  };
}
