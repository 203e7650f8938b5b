import type { RepoPath } from '../domain/brand.ts';
import type { ForeignConfig, ForeignTool } from '../domain/carry-over.ts';
import type { ProjectFiles, Repository } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { GatesFound, SetUpStep } from '../domain/set-up.ts';
import type { EntrySettings } from '../domain/settings.ts';

export type SetUpPorts = { readonly files: ProjectFiles; readonly repository: Repository };

/** The gates that are to be set up, with what is known. */
export type WantedGates = {
  /** The agents that are here. */
  readonly agents: readonly string[];
  /** The gates that the settings have already. */
  readonly configured: readonly EntrySettings[];
  /** What another tool's configuration says, where that is to be carried over. */
  readonly foreign: ForeignConfig | null;
  /** Tools whose configuration is here. */
  readonly others: readonly ForeignTool[];
  /** What a change is measured from, where the settings say it. */
  readonly base: string | null;
  /** Whether a program is on PATH. */
  isHere(program: string): boolean;
};

/** A file as it is to be written; `text` is null where it is left alone. */
export type PlannedFile = Omit<SetUpStep, 'ignored'> & { readonly text: string | null };

/** The files that gates need, and what was found out on the way. */
export type PlannedGates = { readonly files: readonly PlannedFile[]; readonly found: GatesFound };

/** What `init` learned of gates, where there was nothing to learn. */
export const NOTHING_FOUND = {
  passedOver: [],
  missing: [],
  isAllNew: false,
  proposed: null,
  carried: null,
  others: [],
} as const;

/** A file that is new. */
export function create(path: RepoPath, text: string): PlannedFile {
  return { path, did: 'written', added: text, text };
}

/** A file that is there already. */
export function leave(path: RepoPath): PlannedFile {
  return { path, did: 'left', added: null, text: null };
}

/** The files that git knows or would know. */
export async function pathsOf(repository: Repository): Promise<Result<readonly RepoPath[]>> {
  const there = await repository.listing();
  if (!there.ok) return there;
  const deleted = new Set(there.value.deleted);
  const { tracked, untracked } = there.value.listing;
  return done([...tracked, ...untracked].filter((path) => !deleted.has(path)));
}
