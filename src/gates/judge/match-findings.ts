import { type RepoPath, sha256 } from '../../kernel/ids.ts';
import type { BranchContext, Entry } from '../../kernel/repository.ts';
import type { ReportedFinding } from '../run-types.ts';
import {
  type Closing,
  type Disposition,
  type Finding,
  type GateContent,
  isOpen,
  type KnownFinding,
  type Resolution,
} from '../types.ts';
import { isBelow, moreSevere, onlyWarns, type WarnLevels } from './priority.ts';

/** Returns a key that stays the same if the same problem is reported again under another id. */
export function findingKey({ id, gate, file, anchor, code }: Finding): string {
  const text = anchor === null ? code : `${anchor.text}\0${anchor.occurrence}`;
  return text === null || file === null ? id : JSON.stringify([gate, file, text]);
}

/** A problem as a reviewer reported it, with the code that it points at. */
export type ReportedProblem = Pick<
  Finding,
  'file' | 'line' | 'code' | 'anchor' | 'issue' | 'fix' | 'priority' | 'mark' | 'entry' | 'seen'
>;

/** A slot's review that ended with a verdict, as input for `matchFindings`. */
export type SlotReview = Pick<Finding, 'gate' | 'scope' | 'slot' | 'agent' | 'at'> &
  WarnLevels & {
    readonly iteration: number;
    readonly content: GateContent;
    readonly where: BranchContext;
    /** Whether the files changed during the review, so that the review closes no finding. */
    readonly isStale?: boolean;
    /** Whether the slot has already given a verdict on this branch with the current prompt. */
    readonly isRerun: boolean;
    readonly status: 'pass' | 'fail';
    readonly reported: readonly ReportedProblem[];
    readonly previous: readonly Disposition[];
    readonly message: string | null;
    readonly earlier: readonly ReportedFinding[];
    seenNow(file: RepoPath): string | null;
    /** Returns the file's entry in the current snapshot; `null` if the file is not part of the gate. */
    entryNow(file: RepoPath): Entry | null;
  };

type RefutedClaim = { readonly id: string; readonly claim: Resolution };

export type MatchedFindings = {
  readonly updated: readonly Finding[];
  readonly added: readonly Omit<Finding, 'id'>[];
  /** Open findings that stay as they are, because the reviewer neither repeated, confirmed nor closed them. */
  readonly unchanged: readonly KnownFinding[];
  /** Waived findings that were reported again: they stay waived. */
  readonly waived: readonly KnownFinding[];
  /** Claims of a fix that the reviewer rejected, with the finding's id. */
  readonly refuted: readonly RefutedClaim[];
};

/** Matches a slot's reported problems with its earlier findings: by the code that they point at, not by their text. */
export function matchFindings(review: SlotReview): MatchedFindings {
  const own = review.earlier.filter(({ finding }) => finding.slot === review.slot);
  const matched = matchEarlier(review.reported, own);
  const repeated = new Set(matched.values());
  const updated: Finding[] = [];
  const added: Omit<Finding, 'id'>[] = [];
  const waived: KnownFinding[] = [];
  for (const problem of review.reported) {
    const earlier = matched.get(problem);
    if (earlier === undefined) added.push(newFinding(review, problem));
    else if (earlier.finding.resolution?.how === 'skipped') waived.push(earlier.finding);
    else updated.push(repeatedFinding(review, problem, earlier));
  }
  const unchanged: KnownFinding[] = [];
  const confirmed: KnownFinding[] = [];
  for (const earlier of own) {
    const { finding, state } = earlier;
    if (repeated.has(earlier) || (state !== 'warning' && !isOpen(state))) continue;
    const closed = closingOf(review, finding);
    if (closed !== null) updated.push({ ...withoutResolution(finding), kept: 'closed', closed });
    else if (isOpen(state)) (dispositionOf(review, finding)?.state === 'open' ? confirmed : unchanged).push(finding);
  }
  updated.push(...confirmed.map((finding) => confirmedFinding(review, finding)));
  const stillOpen = [...confirmed, ...unchanged];
  if (review.status === 'fail' && review.reported.length === 0 && stillOpen.length === 0) {
    added.push(messageFinding(review));
  }
  const notFixed = [...[...repeated].map(({ finding }) => finding), ...stillOpen];
  const refuted = notFixed.flatMap(({ id, resolution }): RefutedClaim[] =>
    resolution?.how === 'fixed' ? [{ id, claim: resolution }] : [],
  );
  return { updated, added, unchanged, waived, refuted };
}

/** Maps each reported problem to the earlier finding that it repeats; open findings are matched first. */
function matchEarlier(
  reported: readonly ReportedProblem[],
  own: readonly ReportedFinding[],
): ReadonlyMap<ReportedProblem, ReportedFinding> {
  const order = ({ finding, state }: ReportedFinding) =>
    isOpen(state) ? 0 : state === 'warning' ? 1 : finding.kept === 'closed' ? 3 : 2;
  const candidates = new Set([...own].sort((a, b) => order(a) - order(b)));
  const matched = new Map<ReportedProblem, ReportedFinding>();
  for (const problem of reported) {
    const found = [...candidates].find((earlier) => isSame(problem, earlier));
    if (found === undefined) continue;
    candidates.delete(found);
    matched.set(problem, found);
  }
  return matched;
}

function isSame({ anchor, file, priority }: ReportedProblem, { finding, state }: ReportedFinding): boolean {
  const isWaived = finding.resolution?.how === 'skipped';
  // A finding that no longer applies cannot match again. A waived finding can, because waivers count on every branch.
  if (state === 'gone' && !isWaived) return false;
  if (anchor === null || finding.anchor === null || file !== finding.file) return false;
  if (anchor.text !== finding.anchor.text || anchor.occurrence !== finding.anchor.occurrence) return false;
  // A waiver applies up to the priority of its finding. A more severe problem at the same place is a new finding.
  return !isWaived || !isBelow(finding.priority, priority);
}

function newFinding(review: SlotReview, problem: ReportedProblem): Omit<Finding, 'id'> {
  const when = review.isRerun ? ({ onRerun: true } as const) : {};
  const kept = onlyWarns(problem.priority, when, review) ? 'warning' : 'open';
  return { ...common(review, problem), ...when, kept, since: review.iteration, closed: null };
}

/** Returns the finding as reported again. An open finding stays open, even if it is now reported as less severe. */
function repeatedFinding(review: SlotReview, problem: ReportedProblem, { finding, state }: ReportedFinding): Finding {
  const priority = moreSevere(finding.priority, problem.priority);
  const warns =
    state === 'warning' ? onlyWarns(priority, finding, review) : !isOpen(state) && isBelow(priority, review.failOn);
  const kept = warns ? 'warning' : 'open';
  const since = sinceOf(review, finding);
  return { ...withoutResolution(finding), ...common(review, problem), priority, kept, since, closed: null };
}

function common(review: SlotReview, problem: ReportedProblem) {
  const { gate, scope, slot, agent, at, content, where } = review;
  return { ...problem, gate, scope, slot, agent, at, content, ...where, cycleEnded: false };
}

function withoutResolution({ resolution: _, ...finding }: KnownFinding): Finding {
  return finding;
}

/** Returns the reviewer's answer about an earlier finding. If there are several answers, `open` counts. */
function dispositionOf(review: SlotReview, { id }: KnownFinding): Disposition | undefined {
  const answers = review.previous.filter((one) => one.id === id);
  return answers.find(({ state }) => state === 'open') ?? answers[0];
}

/** Returns a finding that its reviewer confirmed as open, updated as if it had been reported on the current content. */
function confirmedFinding(review: SlotReview, finding: KnownFinding): Finding {
  const { content, where, at } = review;
  const { file } = finding;
  const now = file === null ? {} : { seen: review.seenNow(file), entry: review.entryNow(file) ?? finding.entry };
  const since = sinceOf(review, finding);
  return { ...withoutResolution(finding), ...now, content, at, ...where, kept: 'open', since, cycleEnded: false };
}

// The numbers of archived runs are used again, so a finding that outlived its cycle gets the number of this run.
function sinceOf({ iteration }: SlotReview, { since, cycleEnded }: KnownFinding): number {
  return cycleEnded ? iteration : since;
}

/** Returns why a finding that was not reported again is closed; `null` if it stays open. */
function closingOf(review: SlotReview, finding: KnownFinding): Closing | null {
  if (review.isStale === true) return null;
  const answer = dispositionOf(review, finding);
  const { iteration } = review;
  switch (answer?.state) {
    case 'withdrawn':
      return { how: 'withdrawn', why: answer.why, iteration };
    case 'fixed':
      // If the content is unchanged, the problem cannot have been fixed, so the finding stays open.
      return finding.content !== review.content ? { how: 'fixed', why: answer.why, iteration } : null;
    case 'open':
      return null;
    case undefined: {
      const seenNow = finding.file === null ? null : review.seenNow(finding.file);
      const isUnchanged = finding.seen !== null && finding.seen === seenNow;
      return isUnchanged ? null : { how: 'silent', why: '', iteration };
    }
  }
}

/** Returns a finding with the reviewer's message, for a review that failed without naming a problem. */
function messageFinding(review: SlotReview): Omit<Finding, 'id'> {
  const issue = review.message?.trim() || 'The reviewer failed the change and did not say why.';
  const nowhere = { file: null, line: null, code: null, anchor: null, mark: null, entry: null, seen: null };
  const problem: ReportedProblem = { ...nowhere, issue, fix: null, priority: 'critical' };
  return { ...common(review, problem), kept: 'open', since: review.iteration, closed: null };
}

/** The position of a finding in a file's text, and the problem with that position (`mark`). */
export type FindingLocation = Pick<Finding, 'anchor' | 'line'> & {
  readonly mark: 'no-such-line' | 'code-not-found' | null;
};

/**
 * Locates a finding by the occurrence of the quoted code that is nearest to the reported line or, without code, by the
 * text of that line. White space around lines is ignored. If the file does not contain the code, `anchor` is `null`.
 * `given` is the reported line: `null` if there is none, below 1 if it is not a valid line number.
 */
export function locateFinding(text: string | null, given: number | null, code: string | null): FindingLocation {
  const line = given !== null && given < 1 ? null : given;
  if (text === null) return { anchor: null, line, mark: null };
  const lines = trimmedLines(text);
  // A line break at the end of the text does not start another line.
  if (/[\r\n]$/.test(text)) lines.pop();
  const quoted = code === null ? [] : trimmedLines(code);
  while (quoted[0] === '') quoted.shift();
  while (quoted.at(-1) === '') quoted.pop();
  if (quoted.length > 0) {
    const starts = occurrences(lines, quoted);
    const nearest = nearestTo(starts, (line ?? 1) - 1);
    if (nearest === null) return { anchor: null, line, mark: 'code-not-found' };
    const anchor = { text: quoted.join('\n'), occurrence: starts.indexOf(nearest) + 1 };
    return { anchor, line: nearest + 1, mark: null };
  }
  const exists = given === line && (line === null || line <= lines.length);
  if (!exists) return { anchor: null, line, mark: 'no-such-line' };
  const pointed = line === null ? '' : (lines[line - 1] ?? '');
  if (line === null || pointed === '') return { anchor: null, line, mark: null };
  const starts = occurrences(lines, [pointed]);
  return { anchor: { text: pointed, occurrence: starts.indexOf(line - 1) + 1 }, line, mark: null };
}

function trimmedLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/).map((line) => line.trim());
}

/** Returns the line indexes at which the quoted code begins. A single quoted line may be part of a line in the file. */
function occurrences(lines: readonly string[], quoted: readonly string[]): number[] {
  const [only] = quoted;
  const found: number[] = [];
  for (let i = 0; i + quoted.length <= lines.length; i++) {
    const matches =
      quoted.length === 1 && only !== undefined
        ? (lines[i] ?? '').includes(only)
        : quoted.every((one, n) => lines[i + n] === one);
    if (matches) found.push(i);
  }
  return found;
}

function nearestTo(starts: readonly number[], index: number): number | null {
  const distance = (start: number) => Math.abs(start - index);
  return [...starts].sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

/** Returns a text that changes whenever the file's content does; `null` if nothing is known about the file. */
export function fileFingerprint(entry: Entry | undefined, text: string | null): string | null {
  if (text !== null) return `text ${sha256(text)}`;
  return entry === undefined ? null : `blob ${entry.headBlob ?? 'deleted'}`;
}
