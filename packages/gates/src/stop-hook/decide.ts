import type { StatFingerprints } from '@onceover/base/kernel/repository';

const MOST_BLOCKS = 3;
const MOST_WAITS = 3;

/**
 * Decides whether an agent may stop. Gates that fail or still run block it, but at most three times without progress.
 */
export function decideStop(
  verdict: StopVerdict,
  before: Blocks | null,
): { readonly answer: StopAnswer; readonly blocks: Blocks | null } {
  switch (verdict.kind) {
    case 'holds':
      return { answer: allow(null), blocks: null };
    case 'unjudged':
      return { answer: allow({ kind: 'unjudged', said: verdict.why }), blocks: before };
    case 'running': {
      // Count waiting and being blocked separately, because an agent that waits cannot make progress.
      const waits = (before?.waits ?? 0) + 1;
      const blocks = { count: before?.count ?? 0, open: before?.open ?? [], waits };
      const mayWait = waits <= MOST_WAITS;
      return { answer: mayWait ? block(verdict) : allow({ kind: 'still-running', waits: MOST_WAITS }), blocks };
    }
    case 'fails': {
      const { open, proposed } = verdict;
      // Only a person can decide about a proposed waiver, or about a finding that its reviewer keeps closing and
      // reporting. So do not keep the agent waiting.
      if (open.length > 0 && proposed.length === open.length) {
        return { answer: allow({ kind: 'proposed', ids: proposed }), blocks: before };
      }
      const isFirst = before === null || before.count === 0;
      const isProgress = isFirst || before.open.some((id) => !open.includes(id));
      const count = isProgress ? 1 : before.count + 1;
      const mayBlock = count <= MOST_BLOCKS;
      return {
        answer: mayBlock ? block(verdict) : allow({ kind: 'no-progress', blocks: MOST_BLOCKS, open }),
        blocks: { count, open, waits: 0 },
      };
    }
  }
}

function block({ reason }: { readonly reason: string }): StopAnswer {
  return { kind: 'block', reason };
}

function allow(why: AllowStopReason | null): StopAnswer {
  return { kind: 'let-go', why };
}

export type StopAnswer =
  /** The agent may stop. `why` is the reason to show to the user; `null` if there is nothing to show. */
  | { readonly kind: 'let-go'; readonly why: AllowStopReason | null }
  /** The agent must continue. `reason` is the message for the agent. */
  | { readonly kind: 'block'; readonly reason: string };

/** Why an agent may stop although it is not known that the gates pass. */
export type AllowStopReason =
  | { readonly kind: 'unjudged'; readonly said: string }
  | { readonly kind: 'still-running'; readonly waits: number }
  | { readonly kind: 'no-progress'; readonly blocks: number; readonly open: readonly string[] }
  /**
   * All remaining findings wait for a person: a waiver is proposed, or the reviewer keeps closing and reporting the
   * finding.
   */
  | { readonly kind: 'proposed'; readonly ids: readonly string[] }
  /** The hook cannot count how often it blocked the agent, because this folder is not writable. */
  | { readonly kind: 'not-counted'; readonly folder: string }
  | { readonly kind: 'asleep'; readonly until: Date };

export type StopVerdict =
  | RememberedVerdict
  /** There is no verdict yet, because the run takes longer than the hook may wait. */
  | { readonly kind: 'running'; readonly reason: string };

/** A verdict that stays valid until a file that it depends on changes. */
type RememberedVerdict =
  | { readonly kind: 'holds' }
  /**
   * `open` lists the open findings and failing gates. If one of them is missing at the next stop, the agent made
   * progress.
   */
  | {
      readonly kind: 'fails';
      readonly open: readonly string[];
      /** The findings in `open` that wait for a person. */
      readonly proposed: readonly string[];
      readonly reason: string;
    }
  | { readonly kind: 'unjudged'; readonly why: string };

/** How often in a row a session was blocked without progress (`count`), or had to wait for a run (`waits`). */
export type Blocks = { readonly count: number; readonly open: readonly string[]; readonly waits: number };

/** The data that the hook stores for each worktree from one stop to the next. */
export type StopMemory = {
  /** The last verdict, with fingerprints of everything on which it depends. */
  readonly judged: {
    /** The beginning of the file name of the private git index that was used for the fingerprint `print`. */
    readonly index: string;
    readonly print: string;
    readonly traces: StatFingerprints;
    readonly verdict: RememberedVerdict;
  } | null;
  /** A run that took longer than the hook could wait, with the fingerprint of the working tree when it started. */
  readonly awaited: { readonly run: string; readonly print: string } | null;
  readonly sessions: Readonly<Record<string, Blocks>>;
};

/** The data that an agent's program sends to the hook when the agent wants to stop. */
export type StopRequest = { readonly cwd: string; readonly session: string; readonly deadlineSeconds: number };
