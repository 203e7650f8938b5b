import { closeFence, fence, showInvisible } from '../kernel/escape.ts';
import { inline, readable } from '../ui/markdown-text.ts';

/** GitHub rejects a comment over 65,536 characters. */
const MOST_CHARACTERS = 60_000;

/** The longest text of a finding that a comment shows. */
const MOST_OF_TEXT = 4000;

/**
 * Returns text of unknown origin as Markdown paragraphs. Only code between single backticks is formatted: nothing acts
 * as a mention, a reference, a link, an image, HTML or a command of the forge.
 */
export function prose(text: string): string {
  const shown = text.length > MOST_OF_TEXT ? `${text.slice(0, MOST_OF_TEXT)}…` : text;
  const lines = readable(shown)
    .trim()
    .split('\n')
    .filter((line) => !/^\s*`{3,}\w*\s*$/.test(line))
    .map(proseLine);
  return lines
    .map((line, index) => ((lines[index + 1] ?? '') === '' || line === '' ? line : `${line}\\`))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

/** Returns text of unknown origin as one line of at most `most` characters, safe as `prose` is. */
export function proseInLine(text: string, most: number): string {
  const line = readable(text).replace(/\s+/g, ' ').trim();
  return proseLine(line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line);
}

function proseLine(line: string): string {
  const parts = line.trim().split(/`([^`]+)`/);
  const shown = parts.map((part, index) => (index % 2 === 1 ? codeSpan(part) : plain(part))).join('');
  // GitLab runs a line that starts with a slash, and GitHub's runner one that starts with colons in a log. Four spaces would start a code block.
  return shown.replace(/^\s+/, '').replace(/^(?=\/|::|\\?#\\?#)/, '\u200b');
}

/** Returns code of one line as a code span. A vertical bar is replaced, because it would end the cell of a table. */
export function codeSpan(code: string): string {
  const text = showInvisible(code.replace(/\s+/g, ' '))
    .replaceAll('`', "'")
    .replaceAll('|', '\u2223')
    .replaceAll('@', '@\u200b')
    .trim();
  return text === '' ? '' : `\`${text}\``;
}

/** Returns text without formatting and backticks: a stray backtick could end a code span of the published comment. */
function plain(text: string): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
  const spaced = `${before === '' ? '' : ' '}${unlinked(inline(inner.replaceAll('`', "'")))}${after === '' ? '' : ' '}`;
  return inner === '' ? before.slice(0, 1) : spaced;
}

/** Returns text in which forges see no address and no reference to an issue, a merge request or a commit. */
function unlinked(text: string): string {
  return text
    .replace(/:(?=\/\/)|(?<=mailto|xmpp):/gi, '\u200b:')
    .replace(/(www)\./gi, '$1\u200b.')
    .replace(/(GH)-(?=\d)/gi, '$1\u200b-')
    .replace(/([!%])(?=[\d{"a-z])/gi, '$1\u200b')
    .replace(/\b[0-9a-f]{7,64}\b/gi, (hex) => (/\d/.test(hex) ? `${hex.slice(0, 6)}\u200b${hex.slice(6)}` : hex))
    .replace(/:(?=[a-z_+-]+:)/gi, ':\u200b');
}

/** Returns code as a block. Lines that start with a slash get a space, because GitLab could run them as a command. */
export function codeBlock(code: string, label = ''): string {
  return fence(readable(code).replace(/^\//gm, ' /'), label);
}

/** Returns a text that fits into a comment, cut at the end of a line if it is too long. */
export function fitted(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const begun = text.slice(0, MOST_CHARACTERS);
  return `${closeFence(begun.slice(0, begun.lastIndexOf('\n')))}\n\nThe rest is left out.\n`;
}
