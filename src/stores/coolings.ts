import { isRecord } from '../domain/is-record.ts';
import type { Coolings } from '../domain/ports.ts';
import type { Cooling } from '../domain/record.ts';
import { openListFile } from '../io/list-file.ts';

const LONGEST_MS = 31 * 24 * 60 * 60 * 1000;
const MOST_KEPT = 100;

/** Agents that rest until their limits are over, in the clone's own folder; a list that cannot be read rests nobody. */
export function openCoolings(commonDir: string): Coolings {
  const file = openListFile(commonDir, 'cooling.json');
  const read = () => file.read().flatMap(readCooling);
  return {
    async all(now) {
      return latestOfEach(read().filter((one) => isBelievable(one.until, now)));
    },
    async add(cooling) {
      // Beside earlier ones: which date counts shows when it is asked for, since only then can each be believed or not.
      return file.write([...read(), cooling].slice(-MOST_KEPT));
    },
  };
}

// A date that makes no sense must not disable an agent for ever.
function isBelievable(until: Date, now: Date): boolean {
  const ahead = until.getTime() - now.getTime();
  return ahead > 0 && ahead <= LONGEST_MS;
}

function latestOfEach(coolings: readonly Cooling[]): readonly Cooling[] {
  const latest = new Map<string, Cooling>();
  for (const cooling of coolings) {
    const known = latest.get(cooling.agent);
    if (known === undefined || known.until < cooling.until) latest.set(cooling.agent, cooling);
  }
  return [...latest.values()];
}

function readCooling(value: unknown): readonly Cooling[] {
  if (!isRecord(value)) return [];
  const { agent, until, said } = value;
  if (typeof agent !== 'string' || typeof until !== 'string' || typeof said !== 'string') return [];
  const date = new Date(until);
  return Number.isNaN(date.getTime()) ? [] : [{ agent, until: date, said }];
}
