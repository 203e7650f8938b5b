import { fence, quoteName } from '@onceover/base/kernel/escape';
import type { DiffSection } from '@onceover/base/kernel/repository';
import { isSameFile } from '../economy/handover.ts';

/** Changes since a session's last call in files that the prompt does not show otherwise. */
export type OtherChanges = {
  /** The diffs of files that the session has opened or was handed. */
  readonly diff: string;
  /** The files without a diff, the ones that the session has seen first, and the number of those left out. */
  readonly named: readonly DiffSection[];
  readonly omitted: number;
};

/** The maximum number of changed files to name that the session is not known to have seen. */
const MOST_NAMES = 20;

/**
 * Chooses how to tell a session what changed in other files. It gets the diffs of files that it has seen, the smallest
 * first, as far as they fit, and the names of all others. `seen` are the files that the session opened or was handed;
 * `null` if its agent does not report them, so that it may have seen any file.
 */
export function otherChanges(
  sections: readonly DiffSection[],
  seen: readonly string[] | null,
  mostCharacters: number,
): OtherChanges {
  const isSeen = (section: DiffSection) => seen === null || isSeenFile(section, seen);
  const seenSections = sections.filter(isSeen);
  let charactersLeft = mostCharacters;
  const shown = new Set(
    [...seenSections]
      .sort((a, b) => a.text.length - b.text.length)
      .filter(({ text }) => {
        charactersLeft -= text.length;
        return charactersLeft >= 0;
      }),
  );
  const hidden = sections.filter((section) => !shown.has(section));
  // A file that the session has seen is always named. If that is unknown, the number of the others has to do.
  const isCertain = (section: DiffSection) => seen !== null && isSeen(section);
  const uncertain = hidden.filter((section) => !isCertain(section));
  return {
    diff: seenSections
      .filter((section) => shown.has(section))
      .map(({ text }) => text)
      .join(''),
    named: [...hidden.filter(isCertain), ...uncertain.slice(0, MOST_NAMES)],
    omitted: Math.max(0, uncertain.length - MOST_NAMES),
  };
}

/** Whether the session has seen the file of a diff. Agents may report absolute paths. */
export function isSeenFile({ paths }: DiffSection, seen: readonly string[]): boolean {
  return paths.some((path) => seen.some((name) => isSameFile(name, path)));
}

/** Returns the section of a prompt about the other changed files; empty if there are none. */
export function describeOtherChanges({ diff, named, omitted }: OtherChanges): string {
  if (diff === '' && named.length === 0) return '';
  const names = named.map(({ paths, text }) => `- ${paths.map(quoteName).join(' => ')}${describeLines(text)}`);
  return [
    '## Other changed files',
    'These files have changed too, although this review is not about them. What this conversation shows of them is out of date.',
    ...(diff === '' ? [] : [fence(diff, 'diff')]),
    ...(named.length === 0
      ? []
      : [`${diff === '' ? 'Open' : 'These have changed as well. Open'} the ones that you need again:`]),
    [...names, ...(omitted === 0 ? [] : [`- and ${omitted} more`])].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function describeLines(text: string): string {
  const { added, removed } = countChangedLines(text);
  return added + removed === 0 ? '' : ` (+${added} -${removed})`;
}

/** Returns the numbers of added and removed lines in the diff of a file. */
export function countChangedLines(diff: string): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  let inside = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) inside = true;
    else if (inside && line.startsWith('+')) added++;
    else if (inside && line.startsWith('-')) removed++;
  }
  return { added, removed };
}
