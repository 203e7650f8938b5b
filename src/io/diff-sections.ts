import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
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
  const parts = await patch(place, trees, [`--unified=${contextLines}`, '-M', '-l1000']);
  return parts.ok ? showHidden(place, trees, { parts: parts.value, contextLines }) : parts;
}

/** The diff of two trees for some paths, without renames. */
export async function plainDiffSections(
  place: Place,
  trees: Trees,
  paths: readonly RepoPath[],
): Promise<Result<readonly DiffSection[]>> {
  const parts = await plainPatch(place, trees, { paths, options: ['--unified=3'] });
  return parts.ok ? showHidden(place, trees, { parts: parts.value, contextLines: 3 }) : parts;
}

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

const SUBMODULE = '160000';

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
  const answer = await git(place.root, args, { config: CONFIG, env: { GIT_DIFF_OPTS: '' } });
  if (!answer.ok) return answer;
  const parts = readPatch(answer.value.stdout);
  if (parts === null) {
    return failed({ kind: 'git-failed', command: `git ${args.join(' ')}`, said: 'the patch does not fit the list' });
  }
  // Where a name is not UTF-8, no gate has an entry for it: the snapshot tells of it.
  return done(parts.filter(({ raw }) => raw.unnameable.length === 0));
}

async function plainPatch(
  place: Place,
  trees: Trees,
  { paths, options }: { readonly paths: readonly RepoPath[]; readonly options: readonly string[] },
): Promise<Result<PatchPart[]>> {
  const all: PatchPart[] = [];
  for (const some of inParts([...new Set(paths)])) {
    const parts = await patch(place, trees, [...options, '--no-renames'], some);
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
  const paths = [...hidden].flatMap((part) => part.paths);
  const plain = await plainPatch(place, trees, { paths, options: [`--unified=${contextLines}`, '--text'] });
  if (!plain.ok) return plain;
  const shown = new Map(plain.value.map((part) => [part.paths[0], part.text]));
  return done(
    parts.map((part) => {
      const text = hidden.has(part) ? part.paths.map((path) => shown.get(path) ?? '').join('') : part.text;
      return { paths: part.paths, text };
    }),
  );
}

function blobsOf({ raw }: PatchPart): string[] {
  const sides = [
    { mode: raw.oldMode, id: raw.oldId },
    { mode: raw.newMode, id: raw.newId },
  ];
  return sides.flatMap(({ mode, id }) => (id === null || mode === SUBMODULE ? [] : [id]));
}
