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
  const readCooldowns = () =>
    file.read().flatMap((entry) => {
      const cooldown = readShape<Shaped<typeof STORED>>(entry, STORED);
      return cooldown === null ? [] : [{ ...cooldown, until: new Date(cooldown.until) }];
    });
  const active = (now: Date) => activeCooldowns(readCooldowns(), now);
  return {
    all: async (now: Date): Promise<readonly Cooldown[]> => active(now),
    async add(cooldown: Cooldown): Promise<Result<void>> {
      // Do not filter by date here, because whether a date is plausible depends on the time at which the list is read.
      return file.write([...readCooldowns(), cooldown].slice(-MOST_KEPT));
    },
    async lift(now: Date): Promise<Result<readonly Cooldown[]>> {
      const liftedCooldowns = active(now);
      if (liftedCooldowns.length === 0) return ok(liftedCooldowns);
      const writeResult = file.write([]);
      return writeResult.ok ? ok(liftedCooldowns) : writeResult;
    },
  };
}

/** Returns the latest cooldown of each agent that is still active. */
export function activeCooldowns(cooldowns: readonly Cooldown[], now: Date): readonly Cooldown[] {
  const latest = new Map<string, Cooldown>();
  for (const cooldown of cooldowns.filter(({ until }) => isPlausible(until, now))) {
    const previous = latest.get(cooldown.agent);
    if (previous === undefined || previous.until < cooldown.until) latest.set(cooldown.agent, cooldown);
  }
  return [...latest.values()];
}

// Ignore a date far in the future: a wrong one would disable the agent for good.
function isPlausible(until: Date, now: Date): boolean {
  const ahead = until.getTime() - now.getTime();
  return ahead > 0 && ahead <= LONGEST_MS;
}
