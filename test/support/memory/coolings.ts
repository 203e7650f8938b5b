import type { Cooldown } from '../../../src/kernel/agent.ts';
import type { Cooldowns } from '../../../src/kernel/ports.ts';
import { ok } from '../../../src/kernel/result.ts';

const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

/** Cooldowns in memory. */
export function memoryCoolings(): Cooldowns {
  const added: Cooldown[] = [];
  return {
    async all(now) {
      const believable = added
        .filter(({ until }) => until > now && until.getTime() - now.getTime() <= MONTH_MS)
        .sort((a, b) => a.until.getTime() - b.until.getTime());
      return [...new Map(believable.map((one) => [one.agent, one])).values()];
    },
    async add(cooling) {
      added.push(cooling);
      return ok(undefined);
    },
  };
}
