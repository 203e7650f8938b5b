import type { AgentFailure } from '@onceover/base/kernel/agent';
import { sha256 } from '@onceover/base/kernel/ids';
import type { Clock, Cooldowns } from '@onceover/base/kernel/ports';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { removeLeftovers, statIfPresent } from '@onceover/base/platform/files';
import { openFolder } from '@onceover/base/platform/private-files';
import { hasTeamStore } from '@onceover/store/has-store';
import { inTeamStore } from '@onceover/store/in-store';
import { openCooldownFile } from './cooldown-file.ts';

/** Opens the list of agents that have reached a usage limit. If the list cannot be read, no agent counts as limited. */
export function openCooldowns(commonDir: string, usesStore = hasTeamStore()): Cooldowns {
  const files = openCooldownFile(commonDir);
  if (!usesStore) return files;
  return inTeamStore(commonDir, files, {
    open: async (store) => (ONCEOVER_TEAM ? (await import('./postgres-cooldowns.ts')).postgresCooldowns(store) : null),
    failed: ({ failure }, method) => (method === 'all' ? [] : err(failure)),
  });
}

const FOLDER = 'onceover/openings';

const NAME = /^([0-9a-f]{64})\.md$/;

const SESSIONS_LAST_MS = 14 * 24 * 3600 * 1000;

/** Stores the prompts that sessions started with. The key of a prompt is its digest. */
export type SessionPrompts = ReturnType<typeof openSessionPrompts>;

/** Opens the store of prompts, in the git folder that all worktrees of the clone share. */
export function openSessionPrompts(commonDir: string) {
  const folder = openFolder(commonDir, FOLDER);
  return {
    async read(digest: string): Promise<string | null> {
      if (!NAME.test(nameOf(digest))) return null;
      const text = folder.text(nameOf(digest));
      return text.ok && text.value !== null && sha256(text.value) === digest ? text.value : null;
    },
    async keep(text: string): Promise<Result<string>> {
      const digest = sha256(text);
      // Write the file even if it exists: the new time stamp keeps other worktrees from deleting it as too old.
      const writeResult = folder.write(nameOf(digest), text);
      return writeResult.ok ? ok(digest) : writeResult;
    },
    async prune(keep: ReadonlySet<string>): Promise<Result<void>> {
      const listing = folder.list();
      if (!listing.ok) return listing;
      const now = Date.now();
      removeLeftovers(folder.path, now);
      for (const { name } of listing.value) {
        const digest = NAME.exec(name)?.[1];
        const writtenAt = statIfPresent(`${folder.path}/${name}`)?.mtimeMs ?? now;
        // Another worktree may need the prompt, so delete it only when every session that started with it must have
        // expired.
        if (digest === undefined || keep.has(digest) || now - writtenAt <= SESSIONS_LAST_MS) continue;
        const removal = folder.remove(name);
        if (!removal.ok) return removal;
      }
      return ok(undefined);
    },
  };
}

function nameOf(digest: string): string {
  return `${digest}.md`;
}

const MINUTE_MS = 60_000;

const USED_UP = /usage limit|quota|credit|out of (?:extra )?usage/i;

/**
 * Records that an agent reached a usage limit, until the limit ends. A failed write is ignored: it only causes one more
 * failing call.
 */
export async function startCooldown(
  { cooldowns, clock }: { readonly cooldowns: Cooldowns; readonly clock: Clock },
  agent: string,
  { resetAt, said }: Extract<AgentFailure, { kind: 'limit' }>,
): Promise<void> {
  // A used-up quota takes longer to become available again than a limit of requests per minute.
  const waitMs = USED_UP.test(said) ? 60 * MINUTE_MS : MINUTE_MS;
  await cooldowns.add({ agent, until: resetAt ?? new Date(clock.now().getTime() + waitMs), said });
}
