import type { Cooldown } from '@onceover/base/kernel/agent';
import { ok, type Result } from '@onceover/base/kernel/result';
import { isString, isTime, readShape, type Shaped } from '@onceover/base/kernel/shape';
import { openListFile } from '@onceover/base/platform/private-files';

const LONGEST_MS = 31 * 24 * 60 * 60 * 1000;

/** The maximum number of stored cooldowns. Older ones are removed. */
export const MOST_KEPT = 100;

const STORED = { agent: isString, until: isTime, said: isString };

/** Opens the list of cooldowns, which is a file in the clone's git folder. */
export function openCooldownFile(commonDir: string) {
  const file = openListFile(commonDir, 'cooling.json');
  const read = () =>
    file.read().flatMap((one) => {
      const stored = readShape<Shaped<typeof STORED>>(one, STORED);
      return stored === null ? [] : [{ ...stored, until: new Date(stored.until) }];
    });
  const active = (now: Date) => activeCooldowns(read(), now);
  return {
    all: async (now: Date): Promise<readonly Cooldown[]> => active(now),
    async add(cooldown: Cooldown): Promise<Result<void>> {
      // Do not filter by date here, because whether a date is plausible depends on the time at which the list is read.
      return file.write([...read(), cooldown].slice(-MOST_KEPT));
    },
    async lift(now: Date): Promise<Result<readonly Cooldown[]>> {
      const lifted = active(now);
      if (lifted.length === 0) return ok(lifted);
      const written = file.write([]);
      return written.ok ? ok(lifted) : written;
    },
  };
}

/** Returns the latest cooldown of each agent that is still active. */
export function activeCooldowns(stored: readonly Cooldown[], now: Date): readonly Cooldown[] {
  const latest = new Map<string, Cooldown>();
  for (const cooldown of stored.filter(({ until }) => isPlausible(until, now))) {
    const known = latest.get(cooldown.agent);
    if (known === undefined || known.until < cooldown.until) latest.set(cooldown.agent, cooldown);
  }
  return [...latest.values()];
}

// Ignore a date far in the future: a wrong one would disable the agent for good.
function isPlausible(until: Date, now: Date): boolean {
  const ahead = until.getTime() - now.getTime();
  return ahead > 0 && ahead <= LONGEST_MS;
}
