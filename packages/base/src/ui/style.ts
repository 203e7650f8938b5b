import { wrap } from './layout.ts';

/** The meaning of a text on the screen, which decides its colour. */
export type TextStyle = 'good' | 'bad' | 'broken' | 'rests' | 'warn' | 'quiet' | 'strong';

/** A function that returns a text in the colour of its meaning. */
export type Paint = (look: TextStyle, text: string) => string;

/** Returns texts without colour, for pipes, files and users who turned colours off. */
export const PLAIN: Paint = (_look, text) => text;

export const COLOURED: Paint = (look, text) => (text === '' ? '' : `\u001b[${CODES[look]}m${text}\u001b[0m`);

// ANSI codes of the basic colours, which follow the theme of the terminal. `rests` is the style of a skipped reviewer,
// which is neither good nor bad.
const CODES: Readonly<Record<TextStyle, string>> = {
  good: '32',
  bad: '1;31',
  broken: '1;35',
  rests: '33',
  warn: '33',
  quiet: '2',
  strong: '1',
};

/** The colours and the line width for printing a text. */
export type Styled = {
  readonly paint: Paint;
  /** Maximum width of a line; `null` if lines are not wrapped. */
  readonly width: number | null;
  /** Whether the user started onceover with npx. */
  readonly byNpx?: boolean;
};

/** Prints without colour and without wrapping, for pipes, files and documents. */
export const UNSTYLED: Styled = { paint: PLAIN, width: null };

/** Wraps a text to the width. If the width is `null`, returns the text unchanged. */
export function wrapTo(text: string, { width }: Pick<Styled, 'width'>, indent = 2): string {
  return width === null ? text : wrap(text, width, indent);
}
