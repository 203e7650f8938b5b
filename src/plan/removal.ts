import type { RepoPath } from '../domain/brand.ts';
import type { Left, Taken } from '../domain/removal.ts';
import { HOOK_AGENTS, MCP_FILE } from '../domain/set-up.ts';
import { SETTINGS_FILE } from '../domain/settings.ts';
import { hookFile, takeHookEntry } from './hook-entry.ts';
import { takeMcpEntry } from './mcp-entry.ts';

/** A file that `init` may have written. */
export type FoundFile = {
  readonly path: RepoPath;
  /** Null: it cannot be read. */
  readonly text: string | null;
  /** Whether it is as `init` wrote it. */
  readonly isUnchanged: boolean;
  readonly tracked: boolean;
};

export type RemovalPlan = { readonly taken: readonly Taken[]; readonly left: readonly Left[] };

/** The files with entries of ours beside those of others. */
export const SHARED_FILES: readonly RepoPath[] = [MCP_FILE, ...HOOK_AGENTS.map(hookFile)];

/** What goes and what stays: files as `init` wrote them go, those that somebody has changed since are theirs. */
export function planRemoval(found: readonly FoundFile[]): RemovalPlan {
  const shared = new Set<string>(SHARED_FILES);
  const plans = found.map((file) => (shared.has(file.path) ? planEntry(file) : planFile(file, found)));
  return { taken: plans.flatMap(({ taken }) => taken), left: plans.flatMap(({ left }) => left) };
}

const NOTHING: RemovalPlan = { taken: [], left: [] };

function planFile({ path, isUnchanged, tracked }: FoundFile, all: readonly FoundFile[]): RemovalPlan {
  if (!isUnchanged) return { taken: [], left: [{ path, why: 'yours' }] };
  const settings = all.find((one) => one.path === SETTINGS_FILE);
  // Settings that stay would be broken without the prompts that they name.
  const isNamed = settings?.isUnchanged === false && settings.text?.includes(path) === true;
  return isNamed
    ? { taken: [], left: [{ path, why: 'named' }] }
    : { taken: [{ kind: 'file', path, tracked }], left: [] };
}

function planEntry({ path, text, tracked }: FoundFile): RemovalPlan {
  if (text === null) return NOTHING;
  const agent = HOOK_AGENTS.find((one) => hookFile(one) === path);
  const change = agent === undefined ? takeMcpEntry(text) : takeHookEntry(agent, text);
  switch (change.kind) {
    case 'leave':
      return NOTHING;
    case 'unreadable':
      return text.includes('onceover') ? { taken: [], left: [{ path, why: 'unreadable' }] } : NOTHING;
    case 'write': {
      const kept = { path, text: change.text, tracked };
      return {
        taken: [agent === undefined ? { kind: 'server', ...kept } : { kind: 'hook', agent, ...kept }],
        left: [],
      };
    }
  }
}
