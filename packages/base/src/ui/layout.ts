/** Returns how many columns of a terminal a text takes. */
export function cells(text: string): number {
  return NARROW.test(text) ? text.length : graphemes(text).reduce((sum, grapheme) => sum + cellsOf(grapheme), 0);
}

/** Cuts a text to at most `limit` terminal columns and marks the cut with an ellipsis. */
export function cut(text: string, limit: number): string {
  if (cells(text) <= limit) return text;
  return limit < 1 ? '' : `${firstFitting(graphemes(text), limit - 1).join('')}…`;
}

/** Like `cut`, but keeps the end of the text, because paths and ids differ at their end. */
export function cutStart(text: string, limit: number): string {
  if (cells(text) <= limit) return text;
  return limit < 1
    ? ''
    : `…${firstFitting(graphemes(text).toReversed(), limit - 1)
        .toReversed()
        .join('')}`;
}

/**
 * Returns the first graphemes (visible characters) that fit into `limit` terminal columns. Works only if not all of
 * them fit.
 */
function firstFitting(characters: readonly string[], limit: number): readonly string[] {
  let columns = 0;
  const end = characters.findIndex((grapheme) => {
    columns += cellsOf(grapheme);
    return columns > limit;
  });
  return characters.slice(0, end);
}

/** Adds spaces to a text until it is `width` terminal columns wide. */
export function padCells(text: string, width: number): string {
  return `${text}${' '.repeat(Math.max(0, width - cells(text)))}`;
}

const NARROW = /^[\x20-\x7e…·]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const NONE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]*$/u;

let segmenter: Intl.Segmenter | null = null;

// Creating the segmenter takes longer than most commands, so create it only when it is first used.
function graphemes(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function cellsOf(grapheme: string): number {
  if (NONE.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/**
 * Wraps a text at spaces into lines of at most `width` columns, not counting colour codes. Continued lines are indented
 * like their line, plus `indent`. Words are never broken, so that people can copy ids, paths and commands; only
 * Chinese, Japanese and Korean text may break between any two characters.
 */
export function wrap(text: string, width: number, indent = 0): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width, indent))
    .join('\n');
}

function wrapLine(whole: string, width: number, indent: number): readonly string[] {
  if (cellsShown(whole) <= width) return [whole];
  const line = whole.trimEnd();
  const start = /^ */.exec(line)?.[0] ?? '';
  const hanging = ' '.repeat(Math.min(start.length + indent, Math.max(0, Math.floor(width / 2))));
  const lines: string[] = [];
  let open = start;
  let column = start.length;
  // Matches a word and the spaces before it. A Chinese, Japanese or Korean character with the punctuation after it
  // counts as a word.
  piece ??= new RegExp(`( *)(${IDEOGRAPH}${CLOSING}*|(?:(?!${IDEOGRAPH})[^ ])+)`, 'gu');
  for (const [, gap = '', word = ''] of line.slice(start.length).matchAll(piece)) {
    const wide = cellsShown(word);
    const mustBreak = open !== start && column + gap.length + wide > width;
    if (mustBreak) lines.push(open);
    open = mustBreak ? `${hanging}${word}` : `${open}${gap}${word}`;
    column = (mustBreak ? hanging.length : column + gap.length) + wide;
  }
  return [...lines, open];
}

const COLOUR = /\u001b\[[0-9;]*m/g;
const IDEOGRAPH = '[\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\u{20000}-\\u{3fffd}]';
const CLOSING = '[\\u3001\\u3002\\uff01-\\uff0f\\uff1a-\\uff20\\u300d\\u300f\\u3011\\ufe00-\\ufe0f\\p{M}]';

// Compiling the long character classes of this pattern takes time, so it is compiled when it is first used.
let piece: RegExp | null = null;

function cellsShown(text: string): number {
  return cells(text.replace(COLOUR, ''));
}
