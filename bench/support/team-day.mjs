// Simulates a working day of a large team: when runs start, how long their calls wait for a worker, and how many runs
// and calls there are at once. Only the queue's rule matters here, so no process is started.
import { seeded } from './random.mjs';

const DAY = 24 * 3600;

/** How many pull requests arrive in each hour, as weights: a working day with a break at noon, and little at night. */
const HOURS = [1, 1, 1, 1, 1, 2, 4, 10, 25, 40, 45, 40, 25, 35, 45, 45, 40, 30, 15, 8, 5, 3, 2, 1];

/**
 * Simulates a day with this many places for calls, taken in the order of arrival. A call takes `median` seconds in the
 * median, and one of twenty takes three times as long or more.
 */
function simulateDay({ pullRequests, reviews, places, median, seed = 1 }) {
  const random = seeded(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const all = HOURS.reduce((sum, weight) => sum + weight, 0);
  const starts = HOURS.flatMap((weight, hour) =>
    Array.from({ length: Math.round((pullRequests * weight) / all) }, () => (hour + random.next()) * 3600),
  ).sort((a, b) => a - b);
  const free = new Float64Array(places);
  const waits = [];
  const runs = [];
  const calls = [];
  for (const start of starts) {
    let last = start;
    for (let n = 0; n < reviews; n++) {
      const place = earliest(free);
      const begin = Math.max(start, free[place]);
      const end = begin + median * Math.exp(0.67 * normal());
      free[place] = end;
      waits.push(begin - start);
      calls.push([begin, end]);
      last = Math.max(last, end);
    }
    runs.push([start, last]);
  }
  waits.sort((a, b) => a - b);
  return {
    runs: runs.length,
    runsAtOnce: mostAtOnce(runs),
    callsAtOnce: mostAtOnce(calls),
    /** The most calls that start in one minute. */
    startsPerMinute: mostIn(
      calls.map(([begin]) => begin),
      60,
    ),
    waitP99: waits[Math.floor(waits.length * 0.99)],
    busy: calls.reduce((sum, [begin, end]) => sum + (end - begin), 0) / (places * DAY),
  };
}

/** Returns the smallest number of places with which 99 of 100 calls start within `seconds`, and that day. */
export function placesFor(seconds, day) {
  let [low, high] = [1, 4096];
  while (low < high) {
    const places = (low + high) >> 1;
    if (simulateDay({ ...day, places }).waitP99 <= seconds) high = places;
    else low = places + 1;
  }
  return { places: low, day: simulateDay({ ...day, places: low }) };
}

function earliest(free) {
  let best = 0;
  for (let n = 1; n < free.length; n++) if (free[n] < free[best]) best = n;
  return best;
}

function mostAtOnce(spans) {
  const edges = spans
    .flatMap(([begin, end]) => [
      [begin, 1],
      [end, -1],
    ])
    .sort(([a, up], [b, down]) => a - b || up - down);
  let [now, most] = [0, 0];
  for (const [, change] of edges) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

function mostIn(times, seconds) {
  const sorted = [...times].sort((a, b) => a - b);
  let [first, most] = [0, 0];
  for (const [n, time] of sorted.entries()) {
    while (sorted[first] <= time - seconds) first++;
    most = Math.max(most, n - first + 1);
  }
  return most;
}
