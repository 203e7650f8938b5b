// Measures the loops of bench/reading.mjs with other agents. opencode forks sessions. Codex resumes them, and its model keeps
// the cache for a day, so reviewers are resumed after 40 minutes.
import { playCases, playOther } from './support/reading-rows.mjs';

await playCases({
  'few files, warm, opencode': (name) => playOther(name, { who: 'opencode', opens: 2 }),
  'many files, warm, opencode': (name) => playOther(name, { who: 'opencode', opens: 8 }),
  'few files, pauses, opencode': (name) => playOther(name, { who: 'opencode', opens: 2, minutes: 10 }),
  'many files, pauses, opencode': (name) => playOther(name, { who: 'opencode', opens: 8, minutes: 10 }),
  'few files, 40 minutes, Codex': (name) => playOther(name, { who: 'codex', opens: 2, minutes: 40 }),
  'many files, 40 minutes, Codex': (name) => playOther(name, { who: 'codex', opens: 8, minutes: 40 }),
});
