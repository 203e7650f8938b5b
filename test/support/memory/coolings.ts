import type { Coolings } from '../../../src/domain/ports.ts';
import type { Cooling } from '../../../src/domain/record.ts';
import { done } from '../../../src/domain/result.ts';

const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

/** Coolings that are forgotten with the test. */
export function memoryCoolings(): Coolings {
  const added: Cooling[] = [];
  return {
    async all(now) {
      const believable = added
        .filter(({ until }) => until > now && until.getTime() - now.getTime() <= MONTH_MS)
        .sort((a, b) => a.until.getTime() - b.until.getTime());
      return [...new Map(believable.map((one) => [one.agent, one])).values()];
    },
    async add(cooling) {
      added.push(cooling);
      return done(undefined);
    },
  };
}
