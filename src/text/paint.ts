/** How something looks where there is colour. */
export type Look = 'good' | 'bad' | 'broken' | 'rests' | 'quiet' | 'strong';

/** Gives a text its look. */
export type Paint = (look: Look, text: string) => string;

/** For pipes, files and people who want no colour. */
export const PLAIN: Paint = (_look, text) => text;

export const COLOURED: Paint = (look, text) => (text === '' ? '' : `\u001b[${CODES[look]}m${text}\u001b[0m`);

// Of the sixteen colours that follow the terminal's own theme. What rests is neither good nor bad.
const CODES: Readonly<Record<Look, string>> = {
  good: '32',
  bad: '1;31',
  broken: '1;35',
  rests: '33',
  quiet: '2',
  strong: '1',
};
