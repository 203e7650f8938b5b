import { quoteName, showInvisible } from '../kernel/escape.ts';

/** Returns a text of unknown origin with LF line ends, and with invisible characters except tabs escaped. */
export function readable(text: string): string {
  return wellFormed(text)
    .replace(/\r\n?/g, '\n')
    .split(/([\n\t])/)
    .map((part, index) => (index % 2 === 1 ? part : showInvisible(part)))
    .join('');
}

/** Replaces unpaired surrogates in a text, because strict JSON and XML parsers reject them. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/**
 * Returns a text of unknown origin as one line of Markdown, in which nothing acts as markup, HTML, a link or a mention.
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

/**
 * Returns a text of unknown origin as a Markdown block quote. The line breaks are kept, and nothing in the text can end
 * the quote.
 */
export function quotation(text: string): string {
  const lines = readable(text).trim().split('\n').map(inline);
  return lines
    .map((line, index) => {
      if (line === '') return '>';
      return (lines[index + 1] ?? '') === '' ? `> ${line}` : `> ${line}\\`;
    })
    .join('\n');
}

/** Returns a name as inline code, even if the name contains backticks. */
export function codeName(name: string): string {
  const text = quoteName(name);
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return longest === 0 ? `${marks}${text}${marks}` : `${marks} ${text} ${marks}`;
}
