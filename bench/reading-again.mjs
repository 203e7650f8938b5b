// Measures what shared readings cost if every fork opens the files of its reading again. onceover sees that in the first loop,
// and lets the reviewers read for themselves in the next one.
import { playAgain, playCases } from './support/reading-rows.mjs';

await playCases({
  'few files, warm': (name) => playAgain(name, { opens: 2 }),
  'many files, pauses': (name) => playAgain(name, { opens: 8, minutes: 10 }),
});
