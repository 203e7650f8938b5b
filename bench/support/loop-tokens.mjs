// What requests cost in tokens, weighed by what a cache makes of their price. All figures are the simulator's.
import { load } from './build.mjs';

const { planAnthropic } = await load('test/support/model-sim/cache/anthropic.ts');
const { withEntries } = await load('test/support/model-sim/cache/entries.ts');

const WEIGHTS = { plain: 1, read: 0.1, write: 1.25, writeForAnHour: 2 };

/** The input of a round, weighed. */
export function weighed(requests) {
  return requests.reduce((sum, { use }) => sum + weighedUse(use), 0);
}

function weighedUse({ input, read, write, write1h }) {
  return (
    input * WEIGHTS.plain + read * WEIGHTS.read + (write - write1h) * WEIGHTS.write + write1h * WEIGHTS.writeForAnHour
  );
}

/** The same requests with so much time between rounds, kept by the cache for as long as `ttl` says of each: what each round comes to. */
export function later(rounds, { gapMs, ttl }) {
  let entries = new Map();
  return rounds.map((requests, n) =>
    requests.reduce((sum, { body, account, at }) => {
      const now = n * gapMs + (at - rounds[0][0].at);
      const plan = planAnthropic(entries, { body: kept(body, ttl(n + 1)), account, now });
      entries = withEntries(withEntries(entries, plan.refreshed), plan.written);
      return sum + weighedUse(plan.use);
    }, 0),
  );
}

/** Claude Code marks all its breakpoints alike. */
function kept(body, ttl) {
  const mark = { type: 'ephemeral', ...(ttl === '1h' ? { ttl } : {}) };
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'cache_control' ? mark : value)));
}
