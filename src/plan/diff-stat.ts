import type { DiffSection } from '../domain/ports.ts';
import { quoteName } from '../domain/quote-name.ts';

/** Which files a diff changes, and how much of each: a line a file, and one for all. */
export function diffStat(sections: readonly DiffSection[]): string {
  const files = sections.map(({ paths, text }) => ({ name: paths.map(quoteName).join(' => '), ...countLines(text) }));
  const added = files.reduce((sum, one) => sum + one.added, 0);
  const removed = files.reduce((sum, one) => sum + one.removed, 0);
  const total = `${files.length} ${files.length === 1 ? 'file' : 'files'} changed, +${added} -${removed}`;
  return [...files.map((one) => ` ${one.name} | +${one.added} -${one.removed}`), ` ${total}`].join('\n');
}

function countLines(text: string): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  let inside = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('@@')) inside = true;
    else if (inside && line.startsWith('+')) added++;
    else if (inside && line.startsWith('-')) removed++;
  }
  return { added, removed };
}
