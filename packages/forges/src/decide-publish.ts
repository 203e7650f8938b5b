import { decideChecks } from './decide-checks.ts';
import { decideThreads } from './decide-threads.ts';
import { markerOf } from './describe-marker.ts';
import { describeSummary, describeVerdictChange, type SummaryFacts, verdictOf } from './describe-summary.ts';
import type { Marker } from './marker-schema.ts';
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

/** Whether two actions write the same. */
export function isSameAction(first: PublishAction, second: PublishAction): boolean {
  const [fields, others] = [fieldsOf(first), fieldsOf(second)];
  return fields.length === others.length && fields.every((field, index) => field === others[index]);
}

/** Returns what identifies an action: its kind, its target and what it writes. Reasons do not count. */
function fieldsOf(action: PublishAction): readonly (string | null)[] {
  switch (action.kind) {
    case 'create-thread': {
      const { fingerprints, place, body } = action.thread;
      const lines = place.kind === 'lines' ? `${place.first} ${place.last}` : null;
      return [action.kind, place.path, lines, body, ...fingerprints];
    }
    case 'edit-thread':
    case 'edit-comment':
      return [action.kind, action.comment, action.body];
    case 'reply':
      return [action.kind, action.thread, action.body];
    case 'resolve':
      return [action.kind, action.thread, action.reply, action.orElse.comment, action.orElse.body, action.orElse.reply];
    case 'reopen':
      return [action.kind, action.thread, action.reply];
    case 'hide':
    case 'show':
    case 'delete-comment':
      return [action.kind, action.comment];
    case 'delete-thread':
      return [action.kind, ...action.comments];
    case 'create-comment':
      return [action.kind, action.about, action.body];
    case 'create-check':
      return [action.kind, action.check.name, action.check.conclusion, action.check.externalId];
  }
}

function isResult(status: string): boolean {
  return status !== 'lock_conflict';
}

type Summary = { readonly comment: ForgeComment; readonly marker: Extract<Marker, { kind: 'summary' }> };

/**
 * Returns the summary comments that our own account wrote. Two jobs at the same time may have posted a second summary or
 * verdict comment; `extra` deletes it.
 */
function ownComments(comments: readonly ForgeComment[]): {
  readonly summaries: readonly Summary[];
  readonly extra: readonly PublishAction[];
} {
  const summaries: Summary[] = [];
  const extra: PublishAction[] = [];
  const keys = new Set<string>();
  for (const comment of comments) {
    const marker = comment.isOwn ? markerOf(comment.body) : null;
    if (marker?.kind !== 'summary' && marker?.kind !== 'verdict') continue;
    if (marker.kind === 'summary') summaries.push({ comment, marker });
    const key = marker.kind === 'summary' ? marker.kind : `${marker.verdict} ${marker.commit}`;
    if (keys.has(key)) {
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
    const isSilent = facts.summary === 'quiet' && verdict === 'passed' && facts.standing.refusal === null;
    return isSilent ? [] : [{ kind: 'create-comment', about: 'summary', body }];
  }
  const now = markerOf(body);
  const isSame = now?.kind === 'summary' && now.digest === before.marker.digest;
  // An interrupted publication may have posted the comment about the new verdict without updating the summary. Do not
  // post that comment again.
  const isSaid = facts.state.comments.some((comment) => {
    const marker = comment.isOwn ? markerOf(comment.body) : null;
    return marker?.kind === 'verdict' && marker.verdict === verdict && marker.commit === facts.commit;
  });
  const isNews = before.marker.verdict !== verdict && !isSaid;
  const news = describeVerdictChange(facts, before.marker.verdict);
  return [
    ...(isNews ? [{ kind: 'create-comment', about: 'verdict', body: news } as const] : []),
    ...(isSame ? [] : [{ kind: 'edit-comment', comment: before.comment.id, body } as const]),
  ];
}
