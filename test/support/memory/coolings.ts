import type { Cooldown } from '@onceover/base/kernel/agent';
import type { Cooldowns } from '@onceover/base/kernel/ports';
import { ok } from '@onceover/base/kernel/result';

const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

/** Cooldowns in memory. */
export function memoryCoolings(): Cooldowns {
  const added: Cooldown[] = [];
  const active = (now: Date) => {
    const believable = added
      .filter(({ until }) => until > now && until.getTime() - now.getTime() <= MONTH_MS)
      .sort((a, b) => a.until.getTime() - b.until.getTime());
    return [...new Map(believable.map((one) => [one.agent, one])).values()];
  };
  return {
    all: async (now) => active(now),
    async lift(now) {
      const lifted = active(now);
      added.splice(0);
      return ok(lifted);
    },
    async add(cooling) {
      added.push(cooling);
      return ok(undefined);
    },
  };
}
