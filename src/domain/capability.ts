import type { AgentFailure } from './agent.ts';

/** The four tests that an agent must pass before it is resumed. */
export type ProbeTest = 'V1' | 'V2' | 'V3' | 'V4';

/** What a version of an agent was seen to do when it was resumed. */
export type ResumeResult = {
  readonly agent: string;
  readonly version: string;
  /** Null: all four passed; else the first that failed, and how. */
  readonly failed: { readonly test: ProbeTest; readonly how: string } | null;
  /** What a fresh and a resumed dispatch took; null where it did not come to that. */
  readonly freshMs: number | null;
  readonly resumedMs: number | null;
};

/** What an agent answered to a question of a probe, before it is read. */
export type ProbeReply =
  | {
      readonly ok: true;
      readonly text: string;
      readonly structured: unknown;
      readonly sessionId: string | null;
      readonly durationMs: number;
    }
  | { readonly ok: false; readonly failure: AgentFailure };

/** What a probe needs: an agent that answers, a file that it can read, and a line that nobody could guess. */
export type ProbePorts = {
  ask(prompt: string, sessionId: string | null): Promise<ProbeReply>;
  /** Writes the file to be reviewed and tells its path; a second call replaces it. */
  writeFile(text: string): string;
  randomLine(): string;
};

/** What came of a probe; `not-tried` where something stood in the way that says nothing about resuming. */
export type ProbeOutcome =
  | { readonly kind: 'tried'; readonly result: ResumeResult }
  | { readonly kind: 'not-tried'; readonly agent: string; readonly version: string; readonly failure: AgentFailure };

/** Whether an agent may be resumed, and how that is known. */
export type ResumeAbility =
  | { readonly kind: 'yes'; readonly from: 'tested' | 'probed' | 'config' }
  | { readonly kind: 'no'; readonly from: 'tested' | 'probed' | 'config'; readonly why: string }
  /** This version was never tried: it is probed before its first resume. */
  | { readonly kind: 'unknown' };
