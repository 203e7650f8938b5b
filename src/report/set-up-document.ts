import type { SetUpOutcome, SetUpStep } from '../domain/set-up.ts';
import { tellLeftOver } from '../text/carry-over.ts';

/** What `init --json` answers with. */
export type SetUpDocument = {
  files: { path: string; did: SetUpStep['did']; ignored: boolean }[];
  carried_over?: { tool: string; source: string; not_carried_over: string[]; gates_to_add: string | null };
  also_here?: string[];
};

export function setUpDocument({ steps, gates }: SetUpOutcome): SetUpDocument {
  const { carried = null, others = [], proposed = null } = gates ?? {};
  return {
    files: steps.map(({ path, did, ignored }) => ({ path, did, ignored })),
    ...(carried === null
      ? {}
      : {
          carried_over: {
            tool: carried.tool,
            source: carried.source,
            not_carried_over: carried.left.map(tellLeftOver),
            gates_to_add: proposed,
          },
        }),
    ...(others.length === 0 ? {} : { also_here: [...others] }),
  };
}
