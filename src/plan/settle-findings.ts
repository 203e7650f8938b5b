import type { RepoPath } from '../domain/brand.ts';
import {
  type Anchor,
  type Closing,
  type Disposition,
  type Finding,
  isOpen,
  type KnownFinding,
  type Priority,
  type Resolution,
} from '../domain/finding.ts';
import type { Entry, GateContent, GateId } from '../domain/gate.ts';
import type { Whereabouts } from '../domain/scope.ts';
import type { StandingFinding } from './gate-state.ts';
import { graver, isBelow, onlyWarns } from './priority.ts';

/** A problem as a reviewer reported it, with what it points at. */
export type Reported = {
  readonly file: RepoPath | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly anchor: Anchor | null;
  readonly issue: string;
  readonly fix: string | null;
  readonly priority: Priority;
  readonly mark: Finding['mark'];
  readonly entry: Entry | null;
  readonly seen: string | null;
};

/** One look of a slot that came to a verdict. */
export type Look = {
  readonly gate: GateId;
  readonly scope: string;
  readonly slot: number;
  readonly agent: string;
  readonly iteration: number;
  readonly at: string;
  readonly content: GateContent;
  readonly where: Whereabouts;
  /** The files changed while it looked: then it closes nothing. */
  readonly isStale?: boolean;
  /** Whether the slot gave a verdict before in this cycle. */
  readonly isRerun: boolean;
  readonly failOn: Priority;
  readonly rerunNewIssueThreshold: Priority;
  readonly status: 'pass' | 'fail';
  readonly reported: readonly Reported[];
  readonly previous: readonly Disposition[];
  readonly message: string | null;
  /** The gate's findings as they stood before. */
  readonly earlier: readonly StandingFinding[];
  /** What a file is now, in the form of a finding's `seen`. */
  seenNow(file: RepoPath): string | null;
  /** What differs at a file now, as the gate sees it. */
  entryNow(file: RepoPath): Entry | null;
};

type RefutedClaim = { readonly id: string; readonly claim: Resolution };

/** What becomes of the slot's findings. */
export type Settled = {
  readonly updated: readonly Finding[];
  readonly added: readonly Omit<Finding, 'id'>[];
  /** Waived before and reported again: still waived. */
  readonly waived: readonly KnownFinding[];
  /** Findings that were claimed to be fixed, and are not. */
  readonly refuted: readonly RefutedClaim[];
};

/** Joins what a reviewer says with what was open: by what it points at, never by prose. */
export function settleFindings(look: Look): Settled {
  const own = look.earlier.filter(({ finding }) => finding.slot === look.slot);
  const matched = matchEarlier(look.reported, own);
  const taken = new Set(matched.values());
  const updated: Finding[] = [];
  const added: Omit<Finding, 'id'>[] = [];
  const waived: KnownFinding[] = [];
  for (const reported of look.reported) {
    const earlier = matched.get(reported);
    if (earlier === undefined) added.push(newFinding(look, reported));
    else if (earlier.finding.resolution?.how === 'skipped') waived.push(earlier.finding);
    else updated.push(again(look, reported, earlier));
  }
  const claims: KnownFinding[] = [];
  let staysOpen = 0;
  for (const standing of own) {
    if (taken.has(standing)) {
      claims.push(standing.finding);
      continue;
    }
    if (standing.state !== 'warning' && !isOpen(standing.state)) continue;
    const closing = closingOf(look, standing.finding);
    if (closing !== null) updated.push({ ...withoutWord(standing.finding), kept: 'closed', closed: closing });
    else if (isOpen(standing.state)) {
      staysOpen++;
      if (wordOn(look, standing.finding)?.state === 'open') updated.push(confirmed(look, standing.finding));
      claims.push(standing.finding);
    }
  }
  if (look.status === 'fail' && look.reported.length === 0 && staysOpen === 0) added.push(messageFinding(look));
  const refuted = claims.flatMap(({ id, resolution }): RefutedClaim[] =>
    resolution?.how === 'fixed' ? [{ id, claim: resolution }] : [],
  );
  return { updated, added, waived, refuted };
}

/** Each reported problem with the earlier finding that it is again; open ones are matched before others. */
function matchEarlier(
  reported: readonly Reported[],
  own: readonly StandingFinding[],
): ReadonlyMap<Reported, StandingFinding> {
  const order = (standing: StandingFinding) =>
    isOpen(standing.state) ? 0 : standing.state === 'warning' ? 1 : standing.finding.kept === 'closed' ? 3 : 2;
  const candidates = [...own].sort((a, b) => order(a) - order(b));
  const taken = new Set<StandingFinding>();
  const matched = new Map<Reported, StandingFinding>();
  for (const one of reported) {
    const found = candidates.find((standing) => !taken.has(standing) && isSame(one, standing));
    if (found === undefined) continue;
    taken.add(found);
    matched.set(one, found);
  }
  return matched;
}

function isSame(reported: Reported, { finding, state }: StandingFinding): boolean {
  // What counts no more here was another cycle's; only a waiver reaches over.
  if (state === 'gone' && finding.resolution?.how !== 'skipped') return false;
  if (reported.anchor === null || finding.anchor === null || reported.file !== finding.file) return false;
  if (reported.anchor.text !== finding.anchor.text || reported.anchor.occurrence !== finding.anchor.occurrence) {
    return false;
  }
  // A waiver was given for what was known then: something graver at the same place is a finding of its own.
  return finding.resolution?.how !== 'skipped' || !isBelow(finding.priority, reported.priority);
}

function newFinding(look: Look, reported: Reported): Omit<Finding, 'id'> {
  const when = look.isRerun ? ({ onRerun: true } as const) : {};
  const warns = onlyWarns(reported.priority, when, look);
  return { ...common(look, reported), ...when, kept: warns ? 'warning' : 'open', since: look.iteration, closed: null };
}

/** A finding that was reported before: what was open stays so, whatever is said of its priority now. */
function again(look: Look, reported: Reported, { finding, state }: StandingFinding): Finding {
  const priority = graver(finding.priority, reported.priority);
  const warns =
    state === 'warning' ? onlyWarns(priority, finding, look) : !isOpen(state) && isBelow(priority, look.failOn);
  return {
    ...withoutWord(finding),
    ...common(look, reported),
    priority,
    kept: warns ? 'warning' : 'open',
    closed: null,
  };
}

function common(look: Look, reported: Reported) {
  const { gate, scope, slot, agent, at, content, where } = look;
  return { ...reported, gate, scope, slot, agent, at, content, ...where, cycleEnded: false };
}

function withoutWord({ resolution: _said, ...finding }: KnownFinding): Finding {
  return finding;
}

/** What the reviewer says of a finding; where it says several things, that it is open counts. */
function wordOn(look: Look, { id }: KnownFinding): Disposition | undefined {
  const words = look.previous.filter((one) => one.id === id);
  return words.find(({ state }) => state === 'open') ?? words[0];
}

/** A finding that its reviewer calls open: it is as good as reported on what is there now. */
function confirmed(look: Look, finding: KnownFinding): Finding {
  const { content, where, at } = look;
  const now =
    finding.file === null
      ? {}
      : { seen: look.seenNow(finding.file), entry: look.entryNow(finding.file) ?? finding.entry };
  return { ...withoutWord(finding), ...now, content, at, ...where, kept: 'open', cycleEnded: false };
}

/** Why a finding that was not reported again is closed; null: it is not. */
function closingOf(look: Look, finding: KnownFinding): Closing | null {
  if (look.isStale === true) return null;
  const said = wordOn(look, finding);
  const { iteration } = look;
  switch (said?.state) {
    case 'withdrawn':
      return { how: 'withdrawn', why: said.why, iteration };
    case 'fixed':
      // Nothing can have been fixed where nothing changed.
      return finding.content !== look.content ? { how: 'fixed', why: said.why, iteration } : null;
    case 'open':
      return null;
    case undefined: {
      const seenNow = finding.file === null ? null : look.seenNow(finding.file);
      const isUnchanged = finding.seen !== null && finding.seen === seenNow;
      return isUnchanged ? null : { how: 'silent', why: '', iteration };
    }
  }
}

/** A reviewer that fails without naming a problem has one: its message. */
function messageFinding(look: Look): Omit<Finding, 'id'> {
  const issue = look.message?.trim() || 'The reviewer failed the change and did not say why.';
  const reported: Reported = {
    file: null,
    line: null,
    code: null,
    anchor: null,
    issue,
    fix: null,
    priority: 'critical',
    mark: null,
    entry: null,
    seen: null,
  };
  return { ...common(look, reported), kept: 'open', since: look.iteration, closed: null };
}
