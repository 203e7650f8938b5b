import { closeFence, fence, showInvisible } from '@onceover/base/kernel/escape';
import { inline, readable } from '@onceover/base/ui/markdown-text';

/** The maximum number of characters of a comment that onceover writes. GitHub rejects more than 65,536. */
const MOST_CHARACTERS = 60_000;

/** The maximum number of characters of a finding's text that a comment shows. */
const MOST_OF_TEXT = 4000;

/**
 * Returns untrusted text as Markdown paragraphs. Only code between single backticks keeps its formatting. Mentions,
 * references, links, images, HTML and forge commands are disabled.
 */
export function prose(text: string): string {
  const excerpt = text.length > MOST_OF_TEXT ? `${text.slice(0, MOST_OF_TEXT)}…` : text;
  const lines = readable(excerpt)
    .trim()
    .split('\n')
    .filter((line) => !/^\s*`{3,}\w*\s*$/.test(line))
    .map(proseLine);
  return lines
    .map((line, index) => ((lines[index + 1] ?? '') === '' || line === '' ? line : `${line}\\`))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

/** Returns untrusted text as one line of at most `limit` characters, with the same protection as `prose`. */
export function proseInLine(text: string, limit: number): string {
  const line = readable(text).replace(/\s+/g, ' ').trim();
  return proseLine(line.length > limit ? `${line.slice(0, limit - 1).trimEnd()}…` : line);
}

function proseLine(line: string): string {
  const parts = line.trim().split(/`([^`]+)`/);
  const markdown = parts.map((part, index) => (index % 2 === 1 ? codeSpan(part) : plain(part))).join('');
  // GitLab runs a line that starts with a slash as a command. GitHub's runner treats `::` at the start of a log line as
  // a command. Four leading spaces would start a code block.
  return markdown.replace(/^\s+/, '').replace(/^(?=\/|::|\\?#\\?#)/, '\u200b');
}

/**
 * Returns one line of code as a Markdown code span. Vertical bars are replaced, because a bar would end a table cell.
 */
export function codeSpan(code: string): string {
  const text = showInvisible(code.replace(/\s+/g, ' '))
    .replaceAll('`', "'")
    .replaceAll('|', '\u2223')
    .replaceAll('@', '@\u200b')
    .trim();
  return text === '' ? '' : `\`${text}\``;
}

/** Returns text without formatting or backticks: a stray backtick could end a code span elsewhere in the comment. */
function plain(text: string): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
  const plainText = `${before === '' ? '' : ' '}${withoutLinks(inline(inner.replaceAll('`', "'")))}${after === '' ? '' : ' '}`;
  return inner === '' ? before.slice(0, 1) : plainText;
}

/**
 * Returns text in which GitHub and GitLab recognise no link and no reference to an issue, a merge request or a commit.
 */
function withoutLinks(text: string): string {
  return text
    .replace(/:(?=\/\/)|(?<=mailto|xmpp):/gi, '\u200b:')
    .replace(/(www)\./gi, '$1\u200b.')
    .replace(/(GH)-(?=\d)/gi, '$1\u200b-')
    .replace(/([!%])(?=[\d{"a-z])/gi, '$1\u200b')
    .replace(/\b[0-9a-f]{7,64}\b/gi, (hex) => (/\d/.test(hex) ? `${hex.slice(0, 6)}\u200b${hex.slice(6)}` : hex))
    .replace(/:(?=[a-z_+-]+:)/gi, ':\u200b');
}

/**
 * Returns code as a Markdown code block. Lines that start with a slash get a leading space, because GitLab could run
 * them as a command.
 */
export function codeBlock(code: string, label = ''): string {
  return fence(readable(code).replace(/^\//gm, ' /'), label);
}

/** Returns the text, cut at the end of a line if it is too long for a comment. */
export function fitted(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const beginning = text.slice(0, MOST_CHARACTERS);
  return `${closeFence(beginning.slice(0, beginning.lastIndexOf('\n')))}\n\nThe rest is left out.\n`;
}
