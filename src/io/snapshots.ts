import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Snapshots } from '../domain/ports.ts';
import { done } from '../domain/result.ts';
import { findComparison } from './comparison.ts';
import { diffSections, plainDiffSections } from './diff-sections.ts';
import { checkFolder } from './files.ts';
import type { Footing } from './footing.ts';
import { git } from './git.ts';
import { holdTrees, keepTree, pruneTrees } from './kept-trees.ts';
import { readNulList } from './nul-list.ts';
import { QUIET } from './quiet.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { filesInTree, textInTree } from './text-in-tree.ts';
import { traceOfEntry } from './trace.ts';

/** Snapshots of the working tree at `place`; the user's index, stash, branches and files stay as they are. */
export function openSnapshots(place: Place, footing: Footing | null = null): Snapshots {
  let known = footing;
  return {
    compare(selection, usualBase) {
      const justSaid = known;
      // It counts once: branches move.
      known = null;
      return findComparison(place, selection, usualBase, justSaid);
    },
    async take(comparison, left) {
      // git would refuse to leave out what lies behind a symlink, and would not say which.
      for (const folder of comparison.headTree === null ? left.folders : []) {
        const checked = checkFolder(place.root, folder);
        if (!checked.ok) return checked;
      }
      return takeSnapshot(place, comparison, left);
    },
    keep: (tree) => keepTree(place, tree),
    prune: (keep) => pruneTrees(place, keep),
    hold: (owner, trees) => holdTrees(place, owner, trees),
    sections: (from, to, contextLines) => diffSections(place, { from, to }, contextLines),
    plainSections: (from, to, paths) => plainDiffSections(place, { from, to }, paths),
    filesIn: (tree, paths) => filesInTree(place, tree, paths),
    textIn: (tree, path) => textInTree(place, tree, path),
    touched(paths) {
      const hash = createHash('sha256');
      for (const path of paths) hash.update(`${path}\0${traceOfEntry(join(place.root, path))}\0`);
      return hash.digest('hex');
    },
    async trackedIn(folder) {
      const answer = await git(place.root, ['ls-files', '-z', '--', ...(folder === '' ? [] : [folder])], {
        config: QUIET,
      });
      return answer.ok ? done(new Set(readNulList(answer.value.stdout).names as RepoPath[])) : answer;
    },
    async files() {
      const answer = await git(place.root, ALL_FILES, { config: QUIET });
      if (!answer.ok) return answer;
      const names = readNulList(answer.value.stdout).names.map((name) => name.replace(/\/$/, '') as RepoPath);
      return done([...new Set(names)].sort(byCodePoint));
    },
  };
}

const ALL_FILES = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
