/** How many cells of a terminal a text takes. */
export function cells(text: string): number {
  if (NARROW.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of graphemes(text)) sum += cellsOf(segment);
  return sum;
}

/** The text in at most so many cells; what is cut off is marked. */
export function cut(text: string, most: number): string {
  if (cells(text) <= most) return text;
  if (most < 1) return '';
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes(text)) {
    used += cellsOf(segment);
    if (used > most) break;
    kept += segment;
  }
  return `${kept}${ELLIPSIS}`;
}

/** The same, where the end of the text says more than its beginning. */
export function cutStart(text: string, most: number): string {
  if (cells(text) <= most) return text;
  if (most < 1) return '';
  let kept = '';
  let used = 1;
  for (const { segment } of [...graphemes(text)].reverse()) {
    used += cellsOf(segment);
    if (used > most) break;
    kept = `${segment}${kept}`;
  }
  return `${ELLIPSIS}${kept}`;
}

/** The text with spaces after it, up to so many cells. */
export function padCells(text: string, width: number): string {
  return `${text}${' '.repeat(Math.max(0, width - cells(text)))}`;
}

const ELLIPSIS = '…';
const NARROW = /^[\x20-\x7e…·]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const NONE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]*$/u;

let segmenter: Intl.Segmenter | null = null;

// Made when it is first needed: that takes longer than most commands.
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function cellsOf(grapheme: string): number {
  if (NONE.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
