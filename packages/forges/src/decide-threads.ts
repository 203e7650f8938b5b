import { grouped } from '@onceover/base/kernel/collections';
import { groupBySameCode } from '@onceover/gates/findings/same-code';
import type { RunDocument } from '@onceover/gates/result/json';
import { placeFinder } from './decide-anchor.ts';
import { type FindingDocument, isOpenFinding, partOfChange } from './describe-finding.ts';
import { markerOf } from './describe-marker.ts';
import { describeClosedThread, describeClosing, describeReopening, describeThread } from './describe-thread.ts';
import type { Marker } from './marker-schema.ts';
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
  readonly marker: Extract<Marker, { kind: 'thread' }>;
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
  const ownThreads = state.threads.flatMap(ownThread);
  const { kept, extra } = withoutDuplicates(ownThreads);
  const findings = findingsByFingerprint(document);
  const postedFingerprints = new Set([...posted, ...ownThreads.flatMap(({ marker }) => marker.fingerprints)]);
  const place = placeFinder(state.files);
  const creations: PublishAction[] = [];
  const findingsByThread = new Map<OwnThread, FindingDocument[]>();
  for (const group of openGroups(document)) {
    const fresh = group.filter(({ fingerprint }) => !postedFingerprints.has(fingerprint));
    const [firstFinding] = fresh;
    if (firstFinding === undefined) continue;
    const home = kept.find(
      (thread) => canTouch(thread) && group.some(({ fingerprint }) => thread.marker.fingerprints.includes(fingerprint)),
    );
    if (home !== undefined) findingsByThread.set(home, [...(findingsByThread.get(home) ?? []), ...fresh]);
    else {
      const at = place(firstFinding);
      const isRefused = fresh.some(({ fingerprint }) => refused.includes(fingerprint));
      if (at !== null && !isRefused) creations.push({ kind: 'create-thread', thread: newThread(fresh, at) });
    }
    for (const { fingerprint } of fresh) postedFingerprints.add(fingerprint);
  }
  // A gate that passes on a part of the change can have open findings in the rest.
  const passing = partOfChange(document) === null ? passingGates(document) : [];
  const actions = kept.flatMap((thread) => actionsFor(thread, { findings, passing, commit, joined: findingsByThread }));
  // A later publication, with a token that may create threads, tries the refused ones again.
  return {
    actions: [...extra, ...actions, ...creations],
    posted: [...postedFingerprints].filter((fingerprint) => !refused.includes(fingerprint)),
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
    const existingGroup = group
      .map(({ fingerprint }) => home.get(fingerprint))
      .find((candidate) => candidate !== undefined);
    const target = existingGroup ?? [];
    if (existingGroup === undefined) groups.push(target);
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
  for (const [fingerprint, matches] of grouped([...findings, ...settled], (finding) => finding.fingerprint)) {
    const open = matches.filter(isOpenFinding);
    const newest = [...grouped(matches, ({ slot }) => slot).values()].flatMap((ofReviewer) => ofReviewer.slice(0, 1));
    result.set(fingerprint, open.length > 0 ? open : newest);
  }
  return result;
}

function passingGates({ gates }: RunDocument): readonly string[] {
  return gates.filter(({ status }) => status === 'pass' || status === 'holds').map(({ id }) => id);
}

function ownThread(thread: ForgeThread): OwnThread[] {
  const [first, ...replies] = thread.comments;
  const marker = first?.isOwn === true ? markerOf(first.body) : null;
  if (first === undefined || marker?.kind !== 'thread') return [];
  const kinds = replies.map((reply) => (reply.isOwn ? markerOf(reply.body)?.kind : undefined));
  const statusReplies = kinds.filter((kind) => kind === 'closed' || kind === 'reopened');
  return [
    {
      thread,
      first,
      marker,
      lastReply: statusReplies.at(-1) ?? null,
      hasReply: statusReplies.length < replies.length,
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
function withoutDuplicates(threads: readonly OwnThread[]): {
  readonly kept: readonly OwnThread[];
  readonly extra: readonly PublishAction[];
} {
  const coveredFingerprints = new Set<string>();
  const uniqueThreads: OwnThread[] = [];
  const extra: PublishAction[] = [];
  for (const ourThread of threads) {
    const isDuplicate = ourThread.marker.fingerprints.every((fingerprint) => coveredFingerprints.has(fingerprint));
    for (const fingerprint of ourThread.marker.fingerprints) coveredFingerprints.add(fingerprint);
    const { comments } = ourThread.thread;
    if (isDuplicate && canTouch(ourThread) && comments.every(({ isOwn }) => isOwn)) {
      extra.push({
        kind: 'delete-thread',
        comments: comments.map(({ id }) => id),
        why: 'a second thread of a finding',
      });
    } else uniqueThreads.push(ourThread);
  }
  return { kept: uniqueThreads, extra };
}

type Known = {
  readonly findings: ReadonlyMap<string, readonly FindingDocument[]>;
  readonly passing: readonly string[];
  readonly commit: string;
  readonly joined: ReadonlyMap<OwnThread, readonly FindingDocument[]>;
};

function actionsFor(ourThread: OwnThread, facts: Known): readonly PublishAction[] {
  if (!canTouch(ourThread)) return [];
  const about = ourThread.marker.fingerprints.flatMap((fingerprint) => facts.findings.get(fingerprint) ?? []);
  const open = about.filter(isOpenFinding);
  const joinedFindings = facts.joined.get(ourThread) ?? [];
  if (open.length + joinedFindings.length > 0)
    return actionsForOpen(ourThread, [...open, ...joinedFindings], joinedFindings.length > 0, facts);
  // A thread may contain a finding that the run's document does not list. Then close the thread only if every gate that
  // the thread names passes.
  const isUnknown = ourThread.marker.fingerprints.some((fingerprint) => !facts.findings.has(fingerprint));
  const gates = [...new Set(ourThread.marker.findings.map(({ gate }) => gate))];
  const allPass = gates.length > 0 && gates.every((gate) => facts.passing.includes(gate));
  if (isUnknown && !allPass) return [];
  return actionsForClosed(ourThread, isUnknown ? [] : about, gates, facts.commit);
}

function actionsForOpen(
  ourThread: OwnThread,
  findings: readonly FindingDocument[],
  hasNew: boolean,
  { commit }: Known,
): readonly PublishAction[] {
  const { thread, first } = ourThread;
  const reopening = ourThread.lastReply === 'closed';
  const why = 'a finding is open again';
  // Findings of two reviewers have the same fingerprint if they quote the same code. The second may come later.
  const isNamed = ({ gate, slot }: FindingDocument) =>
    ourThread.marker.findings.some((named) => named.gate === gate && named.slot === slot);
  const isMore = hasNew || !findings.every(isNamed);
  const body = describeThread(findings, null, ourThread.marker.fingerprints);
  const reply = describeReopening(findings, commit);
  return [
    // Unhide the comment before editing it: after the edit, nothing in the thread says that onceover hid the comment.
    ...(ourThread.marker.isClosed && first.isHidden ? [{ kind: 'show', comment: first.id, why } as const] : []),
    ...((isMore || ourThread.marker.isClosed) && body.trim() !== first.body.trim()
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

function actionsForClosed(
  ourThread: OwnThread,
  findings: readonly FindingDocument[],
  gates: readonly string[],
  commit: string,
): readonly PublishAction[] {
  const { thread, first } = ourThread;
  const why = 'its findings are closed';
  const reply = describeClosing(findings, gates, commit);
  // The first comment is hidden, so a reply that says "open again" would be the last thing that people see.
  const isContradicted = ourThread.lastReply === 'reopened';
  if (ourThread.marker.isClosed) {
    return [
      ...(first.isHidden ? [] : [{ kind: 'hide', comment: first.id, why } as const]),
      ...(isContradicted ? [{ kind: 'reply', thread: thread.id, body: reply, why } as const] : []),
    ];
  }
  // onceover replies only after it has resolved a thread. If the last reply says closed, someone reopened the thread by
  // hand, so leave it open.
  if (ourThread.lastReply === 'closed') return [];
  if (thread.isResolved) return thread.resolvedByUs ? [{ kind: 'reply', thread: thread.id, body: reply, why }] : [];
  const closedBody = describeClosedThread(first.body, ourThread.marker, findings, gates, commit);
  return [
    {
      kind: 'resolve',
      thread: thread.id,
      reply,
      why,
      orElse: { comment: first.id, body: closedBody, reply: isContradicted ? reply : null },
    },
  ];
}
