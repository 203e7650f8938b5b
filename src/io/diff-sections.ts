import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import { type Place, SUBMODULE } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { DiffSection } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { blobsWithNul } from './blobs-with-nul.ts';
import { git } from './git.ts';
import { inParts } from './in-parts.ts';
import { objectId } from './object-id.ts';
import { type PatchPart, readPatch } from './patch.ts';
import { QUIET } from './quiet.ts';

type Trees = { readonly from: string; readonly to: string };

/** The diff of two trees with renames, file by file; text is shown whatever `.gitattributes` say of it. */
export async function diffSections(
  place: Place,
  trees: Trees,
  contextLines: number,
): Promise<Result<readonly DiffSection[]>> {
  const parts = await patch(place, trees, [`--unified=${contextLines}`, ...RENAMES]);
  return parts.ok ? showHidden(place, trees, { parts: parts.value, contextLines }) : parts;
}

/** The diff of two trees for some paths, without renames. */
export async function plainDiffSections(
  place: Place,
  trees: Trees,
  paths: readonly RepoPath[],
): Promise<Result<readonly DiffSection[]>> {
  const parts = await patchOf(place, trees, { paths, options: ['--unified=3', '--no-renames'] });
  return parts.ok ? showHidden(place, trees, { parts: parts.value, contextLines: 3 }) : parts;
}

const RENAMES = ['-M', '-l1000'];

// Some of this is what git does here anyway; said, it holds for every version and setting.
const DIFF_TREE = [
  'diff-tree',
  '-r',
  '-z',
  '--patch-with-raw',
  // Long enough to stay the same while the repository grows.
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

const CONFIG = [...QUIET, 'core.quotePath=false', 'core.bigFileThreshold=512m', 'diff.suppressBlankEmpty=false'];

async function patch(
  place: Place,
  trees: Trees,
  options: readonly string[],
  paths: readonly RepoPath[] = [],
): Promise<Result<PatchPart[]>> {
  const from = objectId(trees.from);
  const to = objectId(trees.to);
  if (!from.ok) return from;
  if (!to.ok) return to;
  const args = [...DIFF_TREE, ...options, from.value, to.value, '--', ...paths];
  // Of a file that the user's index calls unchanged, git would show what is on disk in place of what is in the tree.
  const env = { GIT_DIFF_OPTS: '', GIT_INDEX_FILE: join(place.commonDir, 'onceover/no-index') };
  const answer = await git(place.root, args, { config: CONFIG, env });
  if (!answer.ok) return answer;
  const parts = readPatch(answer.value.stdout);
  if (parts === null) {
    return failed({ kind: 'git-failed', command: `git ${args.join(' ')}`, said: 'the patch does not fit the list' });
  }
  // Where a name is not UTF-8, no gate has an entry for it: the snapshot tells of it.
  return done(parts.filter(({ raw }) => raw.unnameable.length === 0));
}

async function patchOf(
  place: Place,
  trees: Trees,
  { paths, options }: { readonly paths: readonly RepoPath[]; readonly options: readonly string[] },
): Promise<Result<PatchPart[]>> {
  const all: PatchPart[] = [];
  for (const some of inParts([...new Set(paths)])) {
    const parts = await patch(place, trees, options, some);
    if (!parts.ok) return parts;
    // A path that is a folder on one side stands for all that is in it, which was not asked for.
    const asked = new Set<string>(some);
    all.push(...parts.value.filter((part) => part.paths.every((path) => asked.has(path))));
  }
  return done(all.sort((a, b) => byCodePoint(a.paths[0] ?? '', b.paths[0] ?? '')));
}

// Where attributes call a text binary, its diff is made once more as text; real binaries keep the line that says so.
async function showHidden(
  place: Place,
  trees: Trees,
  { parts, contextLines }: { readonly parts: readonly PatchPart[]; readonly contextLines: number },
): Promise<Result<readonly DiffSection[]>> {
  const noted = parts.filter(({ text }) => text.includes('\nBinary files '));
  const withNul = await blobsWithNul(place, [...new Set(noted.flatMap(blobsOf))]);
  if (!withNul.ok) return withNul;
  const hidden = new Set(noted.filter((part) => !blobsOf(part).some((id) => withNul.value.has(id))));
  const asText = [`--unified=${contextLines}`, '--text'];
  const shown = new Map<string, string>();
  // Among fewer files git may pair others than before: those that it does not find again are shown as two.
  for (const options of [
    [...asText, ...RENAMES],
    [...asText, '--no-renames'],
  ]) {
    const missing = [...hidden].filter(({ paths }) => !shown.has(keyOf(paths)));
    const again = await patchOf(place, trees, { paths: missing.flatMap(({ paths }) => paths), options });
    if (!again.ok) return again;
    for (const { paths, text } of again.value) shown.set(keyOf(paths), text);
  }
  return done(
    parts.map((part) => {
      const { paths } = part;
      if (!hidden.has(part)) return { paths, text: part.text };
      const asTwo = () => paths.map((path) => shown.get(keyOf([path])) ?? part.text).join('');
      return { paths, text: shown.get(keyOf(paths)) ?? asTwo() };
    }),
  );
}

const keyOf = (paths: readonly RepoPath[]) => paths.join('\0');

function blobsOf({ raw }: PatchPart): string[] {
  const sides = [
    { mode: raw.oldMode, id: raw.oldId },
    { mode: raw.newMode, id: raw.newId },
  ];
  return sides.flatMap(({ mode, id }) => (id === null || mode === SUBMODULE ? [] : [id]));
}
