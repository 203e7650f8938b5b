// Measures what shared readings save without pauses: three reviews of one change in five rounds, with the built program and
// the real Claude Code. Names of cases as arguments play only these: `node bench/reading.mjs "few files, warm"`.
import { playCases, playRegime } from './support/reading-rows.mjs';

// In each round from the second on, one more review passes, so fewer and fewer reviewers share.
const passes = (rubric, round) => round > Number(rubric) + 1;

await playCases({
  'few files, warm': (name) => playRegime(name, { opens: 2 }),
  'many files, warm': (name) => playRegime(name, { opens: 8 }),
  'few files, warm, reviews that pass': (name) => playRegime(name, { opens: 2, passes }),
});
