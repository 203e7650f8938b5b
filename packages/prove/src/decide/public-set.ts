import { fencedBlocks } from '@onceover/base/kernel/escape';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import pythonAndGo from '../set/python-go.md';
import typescript from '../set/typescript.md';
import { BUG_CLASSES, type BugClass, type ProofCase, type ProofFile } from '../types.ts';
import { roundOf, withId } from './cases.ts';
import { lineAt } from './edits.ts';

/**
 * Returns the test cases that come with onceover. Each change gives two cases: one with a bug or a harmless edit, and
 * one without any edit.
 */
export function publicSet(): readonly ProofCase[] {
  return [typescript, pythonAndGo].flatMap(casesIn);
}

/**
 * Returns the test cases of a Markdown page. Each change has a heading, followed by code blocks named `base`, `change`
 * and `plant`.
 */
function casesIn(page: string): readonly ProofCase[] {
  return page.split(/^# (?=.)/m).flatMap((section) => {
    const [title = ''] = section.split('\n');
    const blocks = fencedBlocks(section).map(({ label, text }) => {
      const [first = '', second = '', path = ''] = label.trim().split(' ');
      return { first, second, path: repoPath(path) ?? ('' as RepoPath), text };
    });
    const filesOf = (part: string): readonly ProofFile[] =>
      blocks.filter(({ second }) => second === part).map(({ path, text }) => ({ path, text }));
    const change = filesOf('change');
    const plant = blocks.find(({ first }) => first === 'plant');
    const host = change.find(({ path }) => path === plant?.path);
    if (plant === undefined || host === undefined) return [];
    const kind: BugClass | null = BUG_CLASSES.find((bugClass) => bugClass === plant.second) ?? null;
    const plantedBug = plantBug(host.text ?? '', plant.text);
    if (plantedBug === null) return [];
    const commonFields = { source: 'set', base: null, baseFiles: filesOf('base'), unedited: null } as const;
    const bad = change.map((file) => (file.path === host.path ? { path: file.path, text: plantedBug.text } : file));
    const places = [{ file: host.path, from: plantedBug.from, to: plantedBug.to }];
    return [
      withId({
        ...commonFields,
        title,
        rounds: [roundOf(title, bad)],
        planted: kind === null ? null : { class: kind, places },
      }),
      withId({ ...commonFields, title: `${title} (no bug)`, rounds: [roundOf(title, change)], planted: null }),
    ];
  });
}

/**
 * Replaces in `text` the lines that `plant` marks with `-` by those that it marks with `+`; `null` if `text` does not
 * contain the old lines.
 */
function plantBug(
  text: string,
  plant: string,
): { readonly text: string; readonly from: number; readonly to: number } | null {
  const side = (sign: string) =>
    plant
      .split('\n')
      .filter((line) => line.startsWith(`${sign} `))
      .map((line) => line.slice(2))
      .join('\n');
  const [old, now] = [side('-'), side('+')];
  const at = old === '' ? -1 : text.indexOf(old);
  if (at === -1) return null;
  // If lines were only removed, the place of the bug is the gap and the line after it.
  const tail = old.endsWith(now) ? now : null;
  const from = lineAt(text, at + (tail === null ? 0 : 1));
  const to = tail === null ? from + now.split('\n').length - 1 : from;
  return {
    text: text.slice(0, at) + now + text.slice(at + old.length),
    from: tail === null ? from : Math.max(1, from - 1),
    to,
  };
}
