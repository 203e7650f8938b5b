/** That a reviewer is asked once more, and how. */
export function askedAgain({ mode, agent }: { readonly mode: keyof typeof AGAIN; readonly agent: string }): string {
  return AGAIN[mode](agent);
}

/** How a gate that failed too often in a row comes to be asked again. */
export const ASKED_AGAIN =
  '"onceover resolve" a finding, "onceover run --force" or "onceover clean" has it asked again';

/** That a reviewer is asked afresh, as what a resume needs is gone. */
export function fallenBack(dispatch: 'fresh' | 'resumed'): string {
  return `${dispatch}, RESUME-FALLBACK: what its session began with or saw is gone`;
}

const AGAIN = {
  fresh: (agent: string) => `RESUME-FALLBACK: asking ${agent} afresh`,
  repair: (agent: string) => `asking ${agent} to repeat its answer`,
  'other-agent': (agent: string) => `asking ${agent} instead`,
} as const;
