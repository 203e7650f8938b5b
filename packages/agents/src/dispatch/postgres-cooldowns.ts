import type { Cooldown } from '@onceover/base/kernel/agent';
import type { Cooldowns } from '@onceover/base/kernel/ports';
import { ok } from '@onceover/base/kernel/result';
import type { TeamStore } from '@onceover/store/store';
import { activeCooldowns, MOST_KEPT } from './cooldown-file.ts';

type Row = { readonly agent: string; readonly until: Date; readonly said: string };

/**
 * Opens the list of agents that reached a usage limit with this user's logins on this machine. The limits apply in all
 * repositories.
 */
export function postgresCooldowns({ database, login }: TeamStore): Cooldowns {
  async function active(now: Date): Promise<readonly Cooldown[]> {
    const rows = await database.query<Row>(
      'SELECT agent, until, said FROM onceover.cooldowns WHERE login = $1 ORDER BY id',
      [login],
    );
    return activeCooldowns(rows, now);
  }
  return {
    all: active,
    async add({ agent, until, said }) {
      // If the announced end of the limit is not a valid date, there is no cooldown, because PostgreSQL would reject
      // the date.
      if (Number.isNaN(until.getTime())) return ok(undefined);
      await database.transaction(async (query) => {
        await query(
          'INSERT INTO onceover.cooldowns (login, agent, until, said) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
          // PostgreSQL does not allow NUL characters in texts.
          [login, agent, until, said.replaceAll('\0', '')],
        );
        await query(
          `DELETE FROM onceover.cooldowns WHERE login = $1 AND id NOT IN
             (SELECT id FROM onceover.cooldowns WHERE login = $1 ORDER BY id DESC LIMIT ${MOST_KEPT})`,
          [login],
        );
      });
      return ok(undefined);
    },
    async lift(now) {
      const liftedCooldowns = await active(now);
      await database.query('DELETE FROM onceover.cooldowns WHERE login = $1', [login]);
      return ok(liftedCooldowns);
    },
  };
}
