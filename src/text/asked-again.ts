/** That a reviewer is asked once more, and how. */
export function askedAgain({ mode, agent }: { readonly mode: keyof typeof AGAIN; readonly agent: string }): string {
  return AGAIN[mode](agent);
}

const AGAIN = {
  fresh: (agent: string) => `RESUME-FALLBACK: asking ${agent} afresh`,
  repair: (agent: string) => `asking ${agent} to repeat its answer`,
  'other-agent': (agent: string) => `asking ${agent} instead`,
} as const;
