import { cells } from './width.ts';

/**
 * The text in lines of at most `width` cells, broken at spaces. What goes on in a new line stands as far in as its line
 * began, and `indent` more. A word is never broken, so that ids, paths and commands can be copied; between wide
 * characters, which know no spaces, a line may break anywhere. Colours take no room.
 */
export function wrap(text: string, width: number, indent = 0): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width, indent))
    .join('\n');
}

function wrapLine(whole: string, width: number, indent: number): readonly string[] {
  if (cellsShown(whole) <= width) return [whole];
  const line = withoutSpacesAfter(whole);
  const start = /^ */.exec(line)?.[0] ?? '';
  const hanging = ' '.repeat(Math.min(start.length + indent, Math.max(0, Math.floor(width / 2))));
  const lines: string[] = [];
  let open = start;
  let used = start.length;
  let isEmpty = true;
  for (const { gap, word } of pieces(line.slice(start.length))) {
    const wide = cellsShown(word);
    if (!isEmpty && used + gap.length + wide > width) {
      lines.push(open);
      open = `${hanging}${word}`;
      used = hanging.length + wide;
    } else {
      open += `${gap}${word}`;
      used += gap.length + wide;
    }
    isEmpty = false;
  }
  return [...lines, open];
}

function withoutSpacesAfter(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  return line.slice(0, end);
}

type Piece = { readonly gap: string; readonly word: string };

/** Words with the spaces before them; a wide character is a word, together with what cannot begin a line. */
function pieces(text: string): readonly Piece[] {
  piece ??= new RegExp(`( *)(${IDEOGRAPH}${CLOSING}*|(?:(?!${IDEOGRAPH})[^ ])+)`, 'gu');
  return [...text.matchAll(piece)].map(([, gap = '', word = '']) => ({ gap, word }));
}

const COLOUR = /\u001b\[[0-9;]*m/g;
const IDEOGRAPH = '[\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\u{20000}-\\u{3fffd}]';
const CLOSING = '[\\u3001\\u3002\\uff01-\\uff0f\\uff1a-\\uff20\\u300d\\u300f\\u3011\\ufe00-\\ufe0f\\p{M}]';
// Made when it is first needed: it has long lists of characters.
let piece: RegExp | null = null;

function cellsShown(text: string): number {
  return cells(text.replace(COLOUR, ''));
}
