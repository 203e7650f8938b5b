import type { RepoPath } from '@onceover/base/kernel/ids';
import type { BranchContext, Entry } from '@onceover/base/kernel/repository';
import type { GateContent } from '../gate-types.ts';
import { isBelow, moreSevere, onlyWarns, type WarnLevels } from './priority.ts';
import type { ReportedFinding } from './types.ts';
import {
  type Closing,
  type Disposition,
  type Finding,
  isContested,
  isOpen,
  type KnownFinding,
  type Resolution,
} from './types.ts';

/** Returns a key of a finding without its id: if the same problem is reported again, it has the same key. */
export function findingKey({ id, gate, file, anchor, code }: Finding): string {
  const text = anchor === null ? code : `${anchor.text}\0${anchor.occurrence}`;
  return text === null || file === null ? id : JSON.stringify([gate, file, text]);
}

/** A problem as a reviewer reported it, with the code that it refers to. */
export type ReportedProblem = Pick<
  Finding,
  'file' | 'line' | 'code' | 'anchor' | 'issue' | 'fix' | 'priority' | 'mark' | 'entry' | 'seen'
>;

/** The input of `matchFindings`: a review that ended with a verdict. */
export type SlotReview = Pick<Finding, 'gate' | 'scope' | 'slot' | 'agent' | 'at'> &
  WarnLevels & {
    readonly iteration: number;
    readonly content: GateContent;
    readonly where: BranchContext;
    /** Whether the files changed during the review. Such a review closes no finding. */
    readonly isStale?: boolean;
    /** Whether the reviewer has already given a verdict on this branch with the current prompt. */
    readonly isRerun: boolean;
    readonly status: 'pass' | 'fail';
    readonly reported: readonly ReportedProblem[];
    readonly previous: readonly Disposition[];
    readonly message: string | null;
    readonly earlier: readonly ReportedFinding[];
    /** Returns how many earlier reviews of this reviewer saw the lines of a problem unchanged; 0 if none is known. */
    seenBefore(problem: ReportedProblem): number;
    seenNow(file: RepoPath): string | null;
    /**
     * Returns what changed in the file according to the current snapshot; `null` if the file is not part of the gate.
     */
    entryNow(file: RepoPath): Entry | null;
  };

type RefutedClaim = { readonly id: string; readonly claim: Resolution };

export type MatchedFindings = {
  readonly updated: readonly Finding[];
  readonly added: readonly Omit<Finding, 'id'>[];
  /** Open findings that stay as they are, because the reviewer neither repeated, confirmed nor closed them. */
  readonly unchanged: readonly KnownFinding[];
  /** Waived findings that the reviewer reported again. They stay waived. */
  readonly waived: readonly KnownFinding[];
  /** Claims that a finding was fixed, which the reviewer rejected. */
  readonly refuted: readonly RefutedClaim[];
};

/**
 * Matches the problems that a reviewer reports with its earlier findings. It compares the code that they refer to, not
 * their wording.
 */
export function matchFindings(review: SlotReview): MatchedFindings {
  const slotFindings = review.earlier.filter(({ finding }) => finding.slot === review.slot);
  const answers = dispositionsIn(review);
  const earlierByProblem = matchEarlier(review.reported, slotFindings);
  const repeatedFindings = new Set(earlierByProblem.values());
  const updatedFindings: Finding[] = [];
  const newFindings: Omit<Finding, 'id'>[] = [];
  const waivedFindings: KnownFinding[] = [];
  const problems: ReportedProblem[] = [];
  for (const problem of review.reported) {
    const earlier = earlierByProblem.get(problem);
    if (earlier === undefined) problems.push(problem);
    else if (earlier.finding.resolution?.how === 'skipped') waivedFindings.push(earlier.finding);
    else updatedFindings.push(repeatedFinding(review, problem, earlier));
  }
  // If the reviewer dropped an open finding without comment, a new finding may be the same problem in other words, so
  // no new finding becomes a mere warning. A dropped warning does not matter, because reviewers are not asked about
  // warnings.
  let hasDropped = false;
  const unchangedFindings: KnownFinding[] = [];
  const confirmedFindings: KnownFinding[] = [];
  for (const earlier of slotFindings) {
    const { finding, state } = earlier;
    if (repeatedFindings.has(earlier) || (state !== 'warning' && !isOpen(state))) continue;
    const closing = closingOf(review, finding, answers.get(finding.id));
    hasDropped ||= closing?.how === 'silent' && isOpen(state);
    if (closing !== null) updatedFindings.push({ ...withoutResolution(finding), kept: 'closed', closed: closing });
    else if (isOpen(state))
      (answers.get(finding.id)?.state === 'open' ? confirmedFindings : unchangedFindings).push(finding);
  }
  updatedFindings.push(...confirmedFindings.map((finding) => confirmedFinding(review, finding)));
  newFindings.push(
    ...problems.map((problem) => newFinding(review, problem, hasDropped ? 0 : review.seenBefore(problem))),
  );
  newFindings.push(...unknownFindings(review, answers));
  const stillOpen = [...confirmedFindings, ...unchangedFindings];
  if (review.status === 'fail' && newFindings.length === 0 && review.reported.length === 0 && stillOpen.length === 0) {
    newFindings.push(messageFinding(review));
  }
  const notFixed = [...[...repeatedFindings].map(({ finding }) => finding), ...stillOpen];
  const refutedClaims = notFixed.flatMap(({ id, resolution }): RefutedClaim[] =>
    resolution?.how === 'fixed' ? [{ id, claim: resolution }] : [],
  );
  return {
    updated: updatedFindings,
    added: newFindings,
    unchanged: unchangedFindings,
    waived: waivedFindings,
    refuted: refutedClaims,
  };
}

/** Maps each reported problem to the earlier finding that it repeats. Open findings are tried first. */
function matchEarlier(
  problems: readonly ReportedProblem[],
  slotFindings: readonly ReportedFinding[],
): ReadonlyMap<ReportedProblem, ReportedFinding> {
  const order = ({ finding, state }: ReportedFinding) =>
    isOpen(state) ? 0 : state === 'warning' ? 1 : finding.kept === 'closed' ? 3 : 2;
  const candidates = new Map<string, ReportedFinding[]>();
  for (const earlier of [...slotFindings].sort((a, b) => order(a) - order(b))) {
    const place = placeOf(earlier.finding);
    if (place === null) continue;
    const here = candidates.get(place);
    if (here === undefined) candidates.set(place, [earlier]);
    else here.push(earlier);
  }
  const earlierByProblem = new Map<ReportedProblem, ReportedFinding>();
  for (const problem of problems) {
    const here = candidates.get(placeOf(problem) ?? '') ?? [];
    const index = here.findIndex((earlier) => mayMatch(problem, earlier));
    const [earlier] = index === -1 ? [] : here.splice(index, 1);
    if (earlier !== undefined) earlierByProblem.set(problem, earlier);
  }
  return earlierByProblem;
}

/**
 * Returns a key that is equal for two reports about the same place; `null` if such reports cannot be compared. If the
 * file is unknown, there is no code to compare, so the file name and the description have to be equal.
 */
function placeOf({ file, anchor, seen, issue }: ReportedProblem): string | null {
  if (anchor !== null) return JSON.stringify([file, anchor.text, anchor.occurrence]);
  return seen === null ? JSON.stringify([file, issue]) : null;
}

function mayMatch({ priority }: ReportedProblem, { finding, state }: ReportedFinding): boolean {
  const isWaived = finding.resolution?.how === 'skipped';
  // A report never repeats a finding that no longer applies, unless that finding is waived: waivers count on every branch.
  if (state === 'gone' && !isWaived) return false;
  // A waiver covers a report only up to the priority of the waived finding. A more severe problem at the same place is
  // a new finding.
  return !isWaived || !isBelow(finding.priority, priority);
}

function newFinding(review: SlotReview, problem: ReportedProblem, seenBefore: number): Omit<Finding, 'id'> {
  const when = {
    ...(review.isRerun ? ({ onRerun: true } as const) : {}),
    ...(seenBefore > 0 ? { seenBefore } : {}),
  };
  const storedState = onlyWarns(problem.priority, when, review) ? 'warning' : 'open';
  return { ...common(review, problem), ...when, kept: storedState, since: review.iteration, closed: null };
}

/**
 * Returns the earlier finding, updated by the new report. An open finding stays open, even if it is now reported as
 * less severe.
 */
function repeatedFinding(review: SlotReview, problem: ReportedProblem, { finding, state }: ReportedFinding): Finding {
  const priority = moreSevere(finding.priority, problem.priority);
  // The earlier finding was only a warning, because its lines had been reviewed before. A review dropped it, and this
  // one reports it again.
  const wasDemoted = state === 'closed' && finding.seenBefore !== undefined && review.seenBefore(problem) > 0;
  const warns =
    state === 'warning' || wasDemoted
      ? onlyWarns(priority, finding, review)
      : !isOpen(state) && isBelow(priority, review.failOn);
  const storedState = warns ? 'warning' : 'open';
  const since = sinceOf(review, finding);
  const flips = finding.kept === 'closed' ? { flips: (finding.flips ?? 0) + 1 } : {};
  return {
    ...withoutResolution(finding),
    ...common(review, problem),
    ...flips,
    priority,
    kept: storedState,
    since,
    closed: null,
  };
}

function common(review: SlotReview, problem: ReportedProblem) {
  const { gate, scope, slot, agent, at, content, where } = review;
  return { ...problem, gate, scope, slot, agent, at, content, ...where, cycleEnded: false };
}

function withoutResolution({ resolution: _, ...finding }: KnownFinding): Finding {
  return finding;
}

/**
 * Returns the reviewer's answer about each earlier finding. If it gives several answers about one finding, `open`
 * counts.
 */
function dispositionsIn({ previous }: SlotReview): ReadonlyMap<string, Disposition> {
  const answers = new Map<string, Disposition>();
  for (const answer of previous) {
    if (answer.state === 'open' || !answers.has(answer.id)) answers.set(answer.id, answer);
  }
  return answers;
}

/** Returns a new finding for each id that the reviewer calls open although the finding is unknown, closed or gone. */
function unknownFindings(
  review: SlotReview,
  answers: ReadonlyMap<string, Disposition>,
): readonly Omit<Finding, 'id'>[] {
  const standing = review.earlier.filter(({ state }) => state !== 'closed' && state !== 'gone');
  const standingIds = new Set(standing.map(({ finding }) => finding.id));
  const strayAnswers = [...answers.values()].filter(({ id, state }) => state === 'open' && !standingIds.has(id));
  return strayAnswers.map(({ id, why }) => findingWithoutPlace(review, `${id} is still open: ${why}`));
}

/** Returns a finding that its reviewer confirmed as open, updated as if the current review had reported it. */
function confirmedFinding(review: SlotReview, finding: KnownFinding): Finding {
  const { content, where, at } = review;
  const { file } = finding;
  const now = file === null ? {} : { seen: review.seenNow(file), entry: review.entryNow(file) ?? finding.entry };
  const since = sinceOf(review, finding);
  return { ...withoutResolution(finding), ...now, content, at, ...where, kept: 'open', since, cycleEnded: false };
}

// Iteration numbers start again at 1 after archiving, so a finding of an archived run gets the number of the current
// run.
function sinceOf({ iteration }: SlotReview, { since, cycleEnded }: KnownFinding): number {
  return cycleEnded ? iteration : since;
}

/** Returns why a finding that was not reported again is closed; `null` if it stays open. */
function closingOf(review: SlotReview, finding: KnownFinding, answer: Disposition | undefined): Closing | null {
  if (review.isStale === true || isContested(finding)) return null;
  const { iteration } = review;
  switch (answer?.state) {
    case 'withdrawn':
      return { how: 'withdrawn', why: answer.why, iteration };
    case 'fixed':
      // If the content has not changed, the problem cannot be fixed, so the finding stays open.
      return finding.content !== review.content ? { how: 'fixed', why: answer.why, iteration } : null;
    case 'open':
      return null;
    case undefined:
      return isChanged(review, finding) ? { how: 'silent', why: '', iteration } : null;
  }
}

/**
 * Whether the code of a finding has changed since the report. A finding without a file is about all code of the gate.
 * If the named file is unknown, the answer is `false`: no change can fix the finding, and only the reviewer can
 * withdraw it.
 */
function isChanged(review: SlotReview, { file, mark, seen, content }: KnownFinding): boolean {
  if (file === null) return mark === null && content !== review.content;
  return seen !== null && seen !== review.seenNow(file);
}

/** For a review that failed without naming a problem, returns a finding with the reviewer's message. */
function messageFinding(review: SlotReview): Omit<Finding, 'id'> {
  return findingWithoutPlace(review, review.message?.trim() || 'The reviewer failed the change and did not say why.');
}

function findingWithoutPlace(review: SlotReview, issue: string): Omit<Finding, 'id'> {
  const nowhere = { file: null, line: null, code: null, anchor: null, mark: null, entry: null, seen: null };
  const problem: ReportedProblem = { ...nowhere, issue, fix: null, priority: 'critical' };
  return { ...common(review, problem), kept: 'open', since: review.iteration, closed: null };
}
