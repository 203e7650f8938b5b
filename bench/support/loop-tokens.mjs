// Counts the tokens of requests, weighted by the cache prices. All figures come from the simulator.
import { load } from './build.mjs';

const { planAnthropic } = await load('test/support/model-sim/cache/anthropic.ts');
const { withEntries } = await load('test/support/model-sim/cache/entries.ts');

const WEIGHTS = { plain: 1, read: 0.1, write: 1.25, writeForAnHour: 2 };

/** Returns the weighted input of a round. */
export function weightedInput(requests) {
  return requests.reduce((sum, { use }) => sum + weightedInputUse(use), 0);
}

function weightedInputUse({ input, read, write, write1h }) {
  return (
    input * WEIGHTS.plain + read * WEIGHTS.read + (write - write1h) * WEIGHTS.write + write1h * WEIGHTS.writeForAnHour
  );
}

/**
 * Returns the cost of each round for the same requests with this much time between rounds. `ttl` gives the cache
 * lifetime of each round.
 */
export function later(rounds, { gapMs, ttl }) {
  let entries = new Map();
  return rounds.map((requests, n) =>
    requests.reduce((sum, { body, account, at }) => {
      const now = n * gapMs + (at - rounds[0][0].at);
      const plan = planAnthropic(entries, { body: kept(body, ttl(n + 1)), account, now });
      entries = withEntries(withEntries(entries, plan.refreshed), plan.written);
      return sum + weightedInputUse(plan.use);
    }, 0),
  );
}

/** Claude Code gives all its breakpoints the same lifetime. */
function kept(body, ttl) {
  const mark = { type: 'ephemeral', ...(ttl === '1h' ? { ttl } : {}) };
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'cache_control' ? mark : value)));
}
