// Measures what shared readings save if there are ten minutes between rounds: the cache of five minutes expires, and that of
// an hour does not. Plays two loops in one clone, because onceover knows the pauses only after the first one.
import { playCases, playRegime } from './support/reading-rows.mjs';

await playCases({
  'few files, pauses': (name) => playRegime(name, { opens: 2, minutes: 10 }),
  'many files, pauses': (name) => playRegime(name, { opens: 8, minutes: 10 }),
});
