// Measures how the cost of one round grows with the number of reviews that share a reading, with the real Claude Code.
import { playCases, playGrowth } from './support/reading-rows.mjs';

await playCases({
  'two files': () => playGrowth(2),
  'eight files': () => playGrowth(8),
});
