import { decideChecks } from './decide-checks.ts';
import { decideThreads } from './decide-threads.ts';
import { type Marker, markerOf } from './describe-marker.ts';
import { describeSummary, describeVerdictChange, type SummaryFacts, verdictOf } from './describe-summary.ts';
import type { ForgeComment, PublishAction, PullRequestState } from './types.ts';

export type PublishFacts = SummaryFacts & {
  readonly state: PullRequestState;
  /** With `quiet`, a result that passes creates no summary comment; an existing one is still updated. */
  readonly summary: 'always' | 'quiet';
  readonly checks: boolean;
  /** The fingerprints of findings whose threads the forge refused in this publication; none by default. */
  readonly refused?: readonly string[];
};

export type PublishPlan = {
  /**
   * The writes, in the order in which to do them. If the publication is interrupted, repeating it does only the missing
   * writes.
   */
  readonly actions: readonly PublishAction[];
  /** Whether the pull request has newer commits than the result. If so, only checks are published. */
  readonly isOutdated: boolean;
};

/** Decides what to write on the pull request, from the result of a run and what the pull request shows now. */
export function decidePublish(facts: PublishFacts): PublishPlan {
  const { run, state, commit } = facts;
  const checks = facts.checks ? decideChecks(facts, state) : [];
  const isOutdated = state.head !== null && state.head !== commit;
  if (state.head === null || isOutdated) return { actions: checks, isOutdated };
  const { summaries, extra } = ownComments(state.comments);
  const [summary = null] = summaries;
  const fingerprints = [...new Set(summaries.flatMap(({ marker }) => marker.posted))];
  // Without a result we know nothing about the findings, so threads stay as they are.
  const threads =
    run.kind === 'run' && isResult(run.document.status)
      ? decideThreads(run.document, state, { commit, posted: fingerprints, refused: facts.refused ?? [] })
      : { actions: [], posted: fingerprints };
  // The summary comes last, because its hidden marker lists the threads that were created before it.
  const comments = [...summaryActions(facts, summary, threads.posted), ...extra];
  return { actions: [...checks, ...threads.actions, ...comments], isOutdated };
}

function isResult(status: string): boolean {
  return status !== 'lock_conflict';
}

type Summary = { readonly comment: ForgeComment; readonly marker: Extract<Marker, { kind: 'summary' }> };

/**
 * Returns the summary comments that carry onceover's marker, those of our own account first, because a token can always
 * edit those. Two jobs at the same time may have posted a second summary or verdict comment; `extra` deletes it.
 */
function ownComments(comments: readonly ForgeComment[]): {
  readonly summaries: readonly Summary[];
  readonly extra: readonly PublishAction[];
} {
  const summaries: Summary[] = [];
  const extra: PublishAction[] = [];
  const keys = new Set<string>();
  for (const comment of [...comments].sort((a, b) => Number(b.isOwn) - Number(a.isOwn))) {
    const marker = comment.isTrusted ? markerOf(comment.body) : null;
    if (marker?.kind !== 'summary' && marker?.kind !== 'verdict') continue;
    if (marker.kind === 'summary') summaries.push({ comment, marker });
    const key = marker.kind === 'summary' ? marker.kind : `${marker.verdict} ${marker.commit}`;
    if (keys.has(key) && comment.isOwn) {
      extra.push({ kind: 'delete-comment', comment: comment.id, why: `a second ${marker.kind}` });
    }
    keys.add(key);
  }
  return { summaries, extra };
}

function summaryActions(
  facts: PublishFacts,
  before: Summary | null,
  fingerprints: readonly string[],
): readonly PublishAction[] {
  const body = describeSummary(facts, fingerprints);
  const verdict = verdictOf(facts.run);
  if (before === null) {
    const isSilent = facts.summary === 'quiet' && verdict === 'passed' && !facts.isUntrusted;
    return isSilent ? [] : [{ kind: 'create-comment', about: 'summary', body }];
  }
  const now = markerOf(body);
  const isSame = now?.kind === 'summary' && now.digest === before.marker.digest;
  // An interrupted publication may have posted the comment about the new verdict without updating the summary. Do not
  // post that comment again.
  const isSaid = facts.state.comments.some((comment) => {
    const marker = comment.isTrusted ? markerOf(comment.body) : null;
    return marker?.kind === 'verdict' && marker.verdict === verdict && marker.commit === facts.commit;
  });
  const isNews = before.marker.verdict !== verdict && !isSaid;
  const news = describeVerdictChange(facts, before.marker.verdict);
  return [
    ...(isNews ? [{ kind: 'create-comment', about: 'verdict', body: news } as const] : []),
    ...(isSame ? [] : [{ kind: 'edit-comment', comment: before.comment.id, body } as const]),
  ];
}
