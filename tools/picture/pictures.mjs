import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { terminalSvg } from './terminal-svg.mjs';

const at = (name) => fileURLToPath(new URL(`../../docs/pictures/${name}`, import.meta.url));

/** The pictures of the docs: what is typed, how wide the terminal is, and what was recorded. */
export const PICTURES = [
  {
    title:
      'A run finds a mistake; after the fix, who found it sees what changed and the other rests; then nothing is left to do',
    recording: at('run.ansi'),
    picture: at('run.svg'),
    columns: 92,
    lines: ['onceover run', "sed -i 's/sum + cents)/sum + cents, 0)/' src/cart.ts", 'onceover run', 'onceover run'],
  },
];

/** The picture of a recording. */
export function pictureOf({ recording, columns, title }) {
  return terminalSvg(readFileSync(recording, 'utf8'), { columns, title });
}

export function drawPicture(picture) {
  writeFileSync(picture.picture, pictureOf(picture));
}
