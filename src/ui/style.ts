import { wrap } from './layout.ts';

/** The meaning of a coloured text. */
export type TextStyle = 'good' | 'bad' | 'broken' | 'rests' | 'warn' | 'quiet' | 'strong';

/** Colours a text by its meaning. */
export type Paint = (look: TextStyle, text: string) => string;

/** Leaves texts uncoloured, for pipes, files and users who turned colours off. */
export const PLAIN: Paint = (_look, text) => text;

export const COLOURED: Paint = (look, text) => (text === '' ? '' : `\u001b[${CODES[look]}m${text}\u001b[0m`);

// Only the sixteen colours that follow the theme of the terminal. A skipped reviewer is neither good nor bad.
const CODES: Readonly<Record<TextStyle, string>> = {
  good: '32',
  bad: '1;31',
  broken: '1;35',
  rests: '33',
  warn: '33',
  quiet: '2',
  strong: '1',
};

/** How to print a text. */
export type Styled = {
  readonly paint: Paint;
  /** `null`: lines are not wrapped. */
  readonly width: number | null;
  /** Whether the user started onceover with npx. */
  readonly byNpx?: boolean;
};

/** Without colour and without wrapping, for pipes, files and documents. */
export const UNSTYLED: Styled = { paint: PLAIN, width: null };

/** Wraps a text to the width, if there is one. */
export function truncated(text: string, { width }: Pick<Styled, 'width'>, indent = 2): string {
  return width === null ? text : wrap(text, width, indent);
}
