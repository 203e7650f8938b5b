import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { Entry } from '../domain/gate.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Comparison, LeftOut, Snapshot } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { git } from './git.ts';
import { insideAny } from './inside-any.ts';
import { look, RAW } from './look.ts';
import { readRawDiff } from './raw-diff.ts';
import { mayHaveRepositories, treeOfIndex, withOwnIndex } from './snapshot-index.ts';

/** What differs now; nothing of the user's is written, and what is withheld is not even stored. */
export async function takeSnapshot(place: Place, comparison: Comparison, left: LeftOut): Promise<Result<Snapshot>> {
  const { baseTree, headTree } = comparison;
  if (headTree !== null) {
    const diff = await git(place.root, ['diff-tree', '-r', ...RAW, baseTree, headTree, '--']);
    if (!diff.ok) return diff;
    return done({
      ...readDiff(diff.value.stdout, comparison, left),
      withheld: [],
      mayHave: () => true,
      tree: async () => done(headTree),
    });
  }
  const looked = await withOwnIndex(place, comparison.headCommit, (index) => look(place, { comparison, left, index }));
  if (!looked.ok) return looked;
  const { value, index } = looked.value;
  // Few have any, so few load what looks into them.
  const dirty = mayHaveRepositories(index)
    ? await (await import('./dirty-repositories.ts')).dirtyRepositories(place, index)
    : done([]);
  if (!dirty.ok) return dirty;
  const { entries, unnameable, left: leftEntries } = readDiff(value.diff, comparison, left);
  const wanted = insideAny(comparison.files ?? ['']);
  let tree: ReturnType<Snapshot['tree']> | null = null;
  return done({
    entries,
    left: leftEntries,
    dirty: dirty.value,
    withheld: value.withheld.filter(({ path }) => wanted.path(path)),
    unnameable: [...unnameable, ...value.unnameable.filter(wanted.bytes)],
    mayHave: (part) => value.mayName(index, part) || value.newNames.some((names) => names.includes(part)),
    tree() {
      tree ??= treeOfIndex(place, index);
      return tree;
    },
  });
}

function readDiff(
  output: Buffer,
  comparison: Comparison,
  left: LeftOut,
): { readonly entries: Entry[]; readonly unnameable: string[]; readonly left: RepoPath[] } {
  const isLeft = insideAny(left.folders);
  const wanted = insideAny(comparison.files ?? ['']);
  const entries: Entry[] = [];
  const unnameable: string[] = [];
  const leftPaths: RepoPath[] = [];
  for (const { oldMode, newMode, oldId, newId, status, paths, unnameable: odd } of readRawDiff(output)) {
    unnameable.push(...odd.filter((name) => wanted.bytes(name) && !isLeft.bytes(name)));
    const mode = status === 'D' ? oldMode : newMode;
    const modes = oldId === null || oldMode === mode ? { mode } : { mode, baseMode: oldMode };
    for (const path of paths.filter((one) => wanted.path(one))) {
      if (isLeft.path(path)) leftPaths.push(path);
      else entries.push({ path, ...modes, baseBlob: oldId, headBlob: newId });
    }
  }
  return { entries: entries.sort((a, b) => byCodePoint(a.path, b.path)), unnameable, left: leftPaths };
}
