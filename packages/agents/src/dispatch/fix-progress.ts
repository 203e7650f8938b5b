import type { AgentFailure, Usage } from '@onceover/base/kernel/agent';

/** The result of one turn of the fixing agent, which edits files to fix findings. */
export type Fix = {
  readonly agent: string;
  readonly dispatch: 'fresh' | 'resumed';
  readonly summary: string;
  /** The ids of the findings that the agent reports as fixed (`fixed`), and of those that it declined to fix. */
  readonly fixed: readonly string[];
  readonly declined: readonly string[];
  readonly filesChanged: number;
  readonly usage: Usage | null;
  readonly durationMs: number;
  readonly failure: AgentFailure | null;
};

/** Progress events of a fixing agent's turn, in runs and in phases. */
export type FixProgress =
  | {
      readonly kind: 'fix-started';
      readonly round: number;
      readonly agent: string;
      readonly dispatch: 'fresh' | 'resumed';
      readonly findings: number;
      readonly checks: number;
    }
  | { readonly kind: 'fix-active'; readonly doing: string | null; readonly usage: Usage | null }
  | { readonly kind: 'fix-ended'; readonly agent: string; readonly fix: Fix };
