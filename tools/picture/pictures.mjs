import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { terminalSvg } from './terminal-svg.mjs';

const at = (name) => fileURLToPath(new URL(`../../docs/pictures/${name}`, import.meta.url));

/** The pictures of the docs: the typed lines, the project they are typed in, the width of the terminal, and the recording. */
export const PICTURES = [
  {
    title:
      'A run reports a finding. After the fix, onceover resumes that reviewer and skips the other. The third run has nothing to do.',
    recording: at('run.ansi'),
    picture: at('run.svg'),
    scene: 'shop',
    columns: 92,
    lines: ['onceover run', "sed -i 's/sum + cents)/sum + cents, 0)/' src/cart.ts", 'onceover run', 'onceover run'],
  },
  {
    title:
      'A laptop reviews a branch and shares its passes. The CI job of the pull request accepts them and calls no reviewer.',
    recording: at('sharing.ansi'),
    picture: at('sharing.svg'),
    scene: 'team',
    columns: 100,
    lines: ['onceover run', 'git push -q origin cart', 'cd ../ci-job', 'onceover run'],
  },
];

/** Returns the picture of a recording. */
export function pictureOf({ recording, columns, title }) {
  return terminalSvg(readFileSync(recording, 'utf8'), { columns, title });
}

export function drawPicture(picture) {
  writeFileSync(picture.picture, pictureOf(picture));
}
