import type { FixProgress } from '@onceover/agents/dispatch/fix-progress';
import type { AgentFailure, Usage } from '@onceover/base/kernel/agent';
import type { PhaseRole } from '@onceover/base/kernel/review-loops';
import type { Ask } from './state.ts';
import type { IterationEntry } from './types.ts';

/** An event that a phase reports while it runs. */
export type PhaseProgress =
  | FixProgress
  | ({
      readonly kind: 'round-started';
      readonly roles: readonly PhaseRole[];
      readonly resting: IterationEntry['skipped'];
    } & Pick<IterationEntry, 'phase' | 'stage' | 'iteration' | 'most' | 'isFinalValidation'>)
  | ({
      readonly kind: 'look-started';
      readonly label: string;
      readonly model: string | null;
      readonly dispatch: 'fresh' | 'resumed';
    } & Pick<Ask, 'role' | 'part' | 'agent' | 'why'>)
  | {
      readonly kind: 'look-active';
      readonly role: PhaseRole;
      readonly doing: string | null;
      readonly usage: Usage | null;
    }
  | {
      readonly kind: 'look-asked-again';
      readonly role: PhaseRole;
      readonly agent: string;
      readonly mode: 'fresh' | 'repair' | 'other-agent';
      readonly because: AgentFailure;
    }
  | {
      readonly kind: 'look-ended';
      readonly role: PhaseRole;
      readonly agent: string;
      /**
       * `done`: the code-simplifier or the test-deepener has finished. These roles only edit files and give no verdict.
       */
      readonly status: 'pass' | 'fail' | 'error' | 'done';
      readonly blockers: number;
      readonly warnings: number;
      readonly suggestions: number;
      readonly failure: AgentFailure | null;
      readonly usage: Usage | null;
      readonly durationMs: number;
    }
  /** `said`: the error message of git; null if the commit succeeded. */
  | { readonly kind: 'committed'; readonly message: string; readonly files: number; readonly said: string | null };
