import { quoteName } from '../domain/quote-name.ts';
import { readable } from './readable.ts';

/**
 * Text of unknown origin in one line of Markdown that reads as it stands: no markup, no HTML, no images and links, and nobody
 * is mentioned by it.
 */
export function inline(text: string): string {
  return readable(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('@', '@\u200b')
    .replace(/#(?=\d)/g, '#\u200b')
    .replace(/[\\`*_[\]<>&#|~$]/g, '\\$&')
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

/** Text of unknown origin as a quotation: lines stay lines, and nothing in it ends the quotation. */
export function quotation(text: string): string {
  const lines = readable(text).trim().split('\n').map(inline);
  return lines
    .map((line, index) => {
      if (line === '') return '>';
      return (lines[index + 1] ?? '') === '' ? `> ${line}` : `> ${line}\\`;
    })
    .join('\n');
}

/** A name as code. */
export function codeName(name: string): string {
  const text = quoteName(name);
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return longest === 0 ? `${marks}${text}${marks}` : `${marks} ${text} ${marks}`;
}

/** A name as code in a table, where bars end cells even there. */
export function codeCell(name: string): string {
  return codeName(name).replaceAll('|', '\\|');
}
