import { grouped } from '@onceover/base/kernel/collections';
import { groupBySameCode } from '@onceover/gates/findings/same-code';
import type { RunDocument } from '@onceover/gates/result/json';
import { placeFinder } from './decide-anchor.ts';
import { type FindingDocument, isOpenFinding, partOfChange } from './describe-finding.ts';
import { markerOf } from './describe-marker.ts';
import { codeSpan } from './describe-text.ts';
import {
  describeClosedThread,
  describeClosing,
  describeReopening,
  describeThread,
  reviewersIn,
} from './describe-thread.ts';
import type { ForgeComment, ForgeThread, PublishAction, PullRequestState } from './types.ts';

export type ThreadPlan = {
  readonly actions: readonly PublishAction[];
  /** The fingerprints of findings that have a thread, had one before, or get one now. */
  readonly posted: readonly string[];
};

/** A review thread that onceover started, with what its comments and hidden markers say. */
type OwnThread = {
  readonly thread: ForgeThread;
  readonly first: ForgeComment;
  readonly fingerprints: readonly string[];
  /** Whether the first comment of the thread says that the findings are closed. */
  readonly isClosedByEdit: boolean;
  /** Whether our newest status reply in the thread closed or reopened it; null if there is no such reply. */
  readonly lastReply: 'closed' | 'reopened' | null;
  /** Whether someone else wrote in the thread. onceover never changes a thread in which someone else wrote. */
  readonly hasReply: boolean;
};

type ThreadFacts = {
  readonly commit: string;
  /** The fingerprints that the summary lists as posted. */
  readonly posted: readonly string[];
  /** The fingerprints of findings whose threads the forge refused in this publication. */
  readonly refused: readonly string[];
};

/**
 * Decides what to do with each existing thread, and which findings get a new one. A finding never gets a second thread,
 * even if someone deleted the first.
 */
export function decideThreads(
  document: RunDocument,
  state: PullRequestState,
  { commit, posted, refused }: ThreadFacts,
): ThreadPlan {
  const all = state.threads.flatMap(ownThread);
  const { kept, extra } = withoutDuplicates(all);
  const findings = findingsByFingerprint(document);
  const known = new Set([...posted, ...all.flatMap(({ fingerprints }) => fingerprints)]);
  const place = placeFinder(state.files);
  const created: PublishAction[] = [];
  const joined = new Map<OwnThread, FindingDocument[]>();
  for (const group of openGroups(document)) {
    const fresh = group.filter(({ fingerprint }) => !known.has(fingerprint));
    const [one] = fresh;
    if (one === undefined) continue;
    const home = kept.find(
      (thread) => canTouch(thread) && group.some(({ fingerprint }) => thread.fingerprints.includes(fingerprint)),
    );
    if (home !== undefined) joined.set(home, [...(joined.get(home) ?? []), ...fresh]);
    else {
      const at = place(one);
      const isRefused = fresh.some(({ fingerprint }) => refused.includes(fingerprint));
      if (at !== null && !isRefused) created.push({ kind: 'create-thread', thread: newThread(fresh, at) });
    }
    for (const { fingerprint } of fresh) known.add(fingerprint);
  }
  // A gate that passes on a part of the change can have open findings in the rest.
  const passing = partOfChange(document) === null ? passingGates(document) : [];
  const actions = kept.flatMap((thread) => actionsFor(thread, { findings, passing, commit, joined }));
  // A later publication, with a token that may create threads, tries the refused ones again.
  return {
    actions: [...extra, ...actions, ...created],
    posted: [...known].filter((fingerprint) => !refused.includes(fingerprint)),
  };
}

function newThread(
  findings: readonly FindingDocument[],
  place: NonNullable<ReturnType<ReturnType<typeof placeFinder>>>,
) {
  const { path, oldPath } = place;
  return {
    fingerprints: findings.map(({ fingerprint }) => fingerprint),
    place,
    body: describeThread(findings, place),
    asFile: describeThread(findings, { kind: 'file', path, oldPath }),
  };
}

/**
 * Returns the open findings in groups, one thread per group. Findings on the same code or with the same fingerprint
 * share a group.
 */
function openGroups({ findings }: RunDocument): readonly (readonly FindingDocument[])[] {
  const open = findings.filter(isOpenFinding);
  const bySameCode = groupBySameCode(open, (finding) => finding);
  const home = new Map<string, FindingDocument[]>();
  const groups: FindingDocument[][] = [];
  for (const group of bySameCode) {
    const known = group.map(({ fingerprint }) => home.get(fingerprint)).find((one) => one !== undefined);
    const target = known ?? [];
    if (known === undefined) groups.push(target);
    target.push(...group);
    for (const { fingerprint } of group) home.set(fingerprint, target);
  }
  return groups;
}

/**
 * Returns the findings of a run by fingerprint. If findings with the same fingerprint are open, the closed ones are
 * left out. Of several closed findings of one reviewer, only the newest is returned.
 */
function findingsByFingerprint({ findings, settled }: RunDocument): ReadonlyMap<string, readonly FindingDocument[]> {
  const result = new Map<string, readonly FindingDocument[]>();
  for (const [fingerprint, own] of grouped([...findings, ...settled], (one) => one.fingerprint)) {
    const open = own.filter(isOpenFinding);
    const newest = [...grouped(own, ({ slot }) => slot).values()].flatMap((ofReviewer) => ofReviewer.slice(0, 1));
    result.set(fingerprint, open.length > 0 ? open : newest);
  }
  return result;
}

/** Returns the ids of the gates that pass, formatted as code spans because threads name gates in that form. */
function passingGates({ gates }: RunDocument): readonly string[] {
  return gates.filter(({ status }) => status === 'pass' || status === 'holds').map(({ id }) => codeSpan(id));
}

function ownThread(thread: ForgeThread): OwnThread[] {
  const [first, ...replies] = thread.comments;
  const marker = first?.isTrusted === true ? markerOf(first.body) : null;
  if (first === undefined || marker?.kind !== 'thread') return [];
  const kinds = replies.map((reply) => (reply.isTrusted ? markerOf(reply.body)?.kind : undefined));
  const ours = kinds.filter((kind) => kind === 'closed' || kind === 'reopened');
  return [
    {
      thread,
      first,
      fingerprints: marker.fingerprints,
      isClosedByEdit: marker.isClosed,
      lastReply: ours.at(-1) ?? null,
      hasReply: ours.length < replies.length,
    },
  ];
}

function canTouch({ hasReply }: OwnThread): boolean {
  return !hasReply;
}

/**
 * Keeps the first thread of each finding. Two jobs at the same time may have created a second thread; that thread is
 * deleted.
 */
function withoutDuplicates(all: readonly OwnThread[]): {
  readonly kept: readonly OwnThread[];
  readonly extra: readonly PublishAction[];
} {
  const seen = new Set<string>();
  const kept: OwnThread[] = [];
  const extra: PublishAction[] = [];
  for (const one of all) {
    const isDuplicate = one.fingerprints.every((fingerprint) => seen.has(fingerprint));
    for (const fingerprint of one.fingerprints) seen.add(fingerprint);
    const { comments } = one.thread;
    if (isDuplicate && canTouch(one) && comments.every(({ isOwn }) => isOwn)) {
      extra.push({
        kind: 'delete-thread',
        comments: comments.map(({ id }) => id),
        why: 'a second thread of a finding',
      });
    } else kept.push(one);
  }
  return { kept, extra };
}

type Known = {
  readonly findings: ReadonlyMap<string, readonly FindingDocument[]>;
  readonly passing: readonly string[];
  readonly commit: string;
  readonly joined: ReadonlyMap<OwnThread, readonly FindingDocument[]>;
};

function actionsFor(own: OwnThread, known: Known): readonly PublishAction[] {
  if (!canTouch(own)) return [];
  const about = own.fingerprints.flatMap((fingerprint) => known.findings.get(fingerprint) ?? []);
  const open = about.filter(isOpenFinding);
  const more = known.joined.get(own) ?? [];
  if (open.length + more.length > 0) return actionsForOpen(own, [...open, ...more], more.length > 0, known);
  // A thread may contain a finding that the run's document does not list. Then close the thread only if every gate that
  // the thread names passes.
  const isUnknown = own.fingerprints.some((fingerprint) => !known.findings.has(fingerprint));
  const named = reviewersIn(own.first.body);
  const gates = [...new Set(named.map(({ gate }) => gate))];
  const allPass = gates.length > 0 && gates.every((gate) => known.passing.includes(gate));
  if (isUnknown && !allPass) return [];
  return actionsForClosed(own, isUnknown ? [] : about, gates, known.commit);
}

function actionsForOpen(
  own: OwnThread,
  findings: readonly FindingDocument[],
  hasNew: boolean,
  { commit }: Known,
): readonly PublishAction[] {
  const { thread, first } = own;
  const reopening = own.lastReply === 'closed';
  const why = 'a finding is open again';
  // Findings of two reviewers have the same fingerprint if they quote the same code. The second may come later.
  const named = reviewersIn(first.body);
  const isNamed = ({ gate, slot }: FindingDocument) =>
    named.some((one) => one.gate === codeSpan(gate) && one.slot === slot);
  const isMore = hasNew || !findings.every(isNamed);
  const body = withAllFingerprints(describeThread(findings, null), own.fingerprints);
  const reply = describeReopening(findings, commit);
  return [
    // Unhide the comment before editing it: after the edit, nothing in the thread says that onceover hid the comment.
    ...(own.isClosedByEdit && first.isHidden ? [{ kind: 'show', comment: first.id, why } as const] : []),
    ...((isMore || own.isClosedByEdit) && body.trim() !== first.body.trim()
      ? [
          {
            kind: 'edit-thread',
            comment: first.id,
            body,
            why: isMore ? 'another reviewer reports the same code' : why,
          } as const,
        ]
      : []),
    ...(reopening && thread.isResolved && thread.resolvedByUs
      ? [{ kind: 'reopen', thread: thread.id, reply, why } as const]
      : []),
    ...(reopening && !thread.isResolved ? [{ kind: 'reply', thread: thread.id, body: reply, why } as const] : []),
  ];
}

/**
 * Keeps the fingerprints of closed findings in the marker of an edited thread, so that those findings never get another
 * thread.
 */
function withAllFingerprints(body: string, before: readonly string[]): string {
  const marker = markerOf(body);
  if (marker?.kind !== 'thread') return body;
  const all = [...new Set([...before, ...marker.fingerprints])];
  return body.replace(marker.fingerprints.join(','), all.join(','));
}

function actionsForClosed(
  own: OwnThread,
  findings: readonly FindingDocument[],
  gates: readonly string[],
  commit: string,
): readonly PublishAction[] {
  const { thread, first } = own;
  const why = 'its findings are closed';
  const reply = describeClosing(findings, gates, commit);
  // The first comment is hidden, so a reply that says "open again" would be the last thing that people see.
  const isContradicted = own.lastReply === 'reopened';
  if (own.isClosedByEdit) {
    return [
      ...(first.isHidden ? [] : [{ kind: 'hide', comment: first.id, why } as const]),
      ...(isContradicted ? [{ kind: 'reply', thread: thread.id, body: reply, why } as const] : []),
    ];
  }
  // onceover replies only after it has resolved a thread. If the last reply says closed, someone reopened the thread by
  // hand, so leave it open.
  if (own.lastReply === 'closed') return [];
  if (thread.isResolved) return thread.resolvedByUs ? [{ kind: 'reply', thread: thread.id, body: reply, why }] : [];
  const edited = describeClosedThread(first.body, own.fingerprints, findings, gates, commit);
  return [
    {
      kind: 'resolve',
      thread: thread.id,
      reply,
      why,
      orElse: { comment: first.id, body: edited, reply: isContradicted ? reply : null },
    },
  ];
}
