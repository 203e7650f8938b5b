import { setTimeout as sleep } from 'node:timers/promises';
import { maskDocument } from '@onceover/base/kernel/mask-secrets';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { decidePending } from './decide-checks.ts';
import { decidePublish, isSameAction, type PublishFacts } from './decide-publish.ts';
import type { FindingDocument } from './describe-finding.ts';
import type { PublishedRun } from './describe-summary.ts';
import { publicationSubject } from './standing/publication-subject.ts';
import { type ResultSource, readStanding } from './standing/read-standing.ts';
import type { Forge, NewThread, PublishAction, WriteEnd } from './types.ts';

/** One action and how it ended; `planned` if it was a dry run that wrote nothing. */
export type PublishStep = { readonly action: PublishAction; readonly end: WriteEnd | 'planned' };

export type PublishOutcome = {
  readonly forge: string;
  readonly steps: readonly PublishStep[];
  readonly isOutdated: boolean;
  /** Whether a new read of the pull request shows everything that was written. */
  readonly isVisible: boolean;
};

export type PublishOptions = Omit<PublishFacts, 'state' | 'standing'> & {
  readonly source: ResultSource;
  readonly isDry: boolean;
};

type Wait = (milliseconds: number) => Promise<unknown>;

/** The waits between the attempts to see our own writes on the forge. */
const PATIENCE_MS = [0, 500, 1000, 2000, 4000];

/**
 * Reads the pull request, decides what to write, and writes it. If this is interrupted, the next call writes the rest.
 */
export async function publishRun(
  forge: Forge,
  wish: PublishOptions,
  wait: Wait = sleep,
): Promise<Result<PublishOutcome>> {
  const pullRequest = await forge.read();
  if (!pullRequest.ok) return pullRequest;
  const { value: state } = pullRequest;
  const standing = await readStanding(forge, wish.run, wish.source, { commit: wish.commit, state });
  if (!standing.ok) return standing;
  const options = { ...wish, run: maskRun(wish.run), standing: standing.value };
  const { actions, isOutdated } = decidePublish({ ...options, state });
  const about = { forge: forge.name, isOutdated };
  if (options.isDry) {
    const steps = actions.map((action) => ({ action, end: 'planned' }) as const);
    return ok({ ...about, steps, isVisible: true });
  }
  const threads = await perform(
    forge,
    actions.filter((action) => !isComment(action)),
    state.head,
  );
  if (!threads.ok) return threads;
  // The result is for an old commit, so publish only the checks. The job of the new commit publishes everything else.
  if (threads.value.hasMoved) return ok({ ...about, isOutdated: true, steps: threads.value.steps, isVisible: true });
  // The summary lists the findings that have a thread, so it is decided again without those that the forge refused.
  const finalOptions = { ...options, refused: refusedThreads(threads.value.steps) };
  const comments = await perform(
    forge,
    decidePublish({ ...finalOptions, state }).actions.filter(isComment),
    state.head,
  );
  if (!comments.ok) return comments;
  const steps = [...threads.value.steps, ...comments.value.steps];
  if (steps.every(({ end }) => end !== 'done')) return ok({ ...about, steps, isVisible: true });
  const visibility = await waitUntilVisible(forge, finalOptions, steps, wait);
  if (!visibility.ok) return visibility;
  return ok({ ...about, steps: [...steps, ...visibility.value.steps], isVisible: visibility.value.isVisible });
}

/** Shows that the review of a pull request has started, unless a verdict about the same change is shown. */
export async function beginPublication(forge: Forge, commit: string): Promise<Result<void>> {
  const pullRequest = await forge.read();
  if (!pullRequest.ok) return pullRequest;
  const { pull, checks } = pullRequest.value;
  if (pull === null || pull.head !== commit) return ok(undefined);
  const { head, headRepository, repository, base } = pull;
  const subject = publicationSubject({ head, headRepository, repository, base, baseCommit: null, gates: null });
  const check = decidePending(subject, checks);
  if (check === null) return ok(undefined);
  const end = await forge.createCheck(check);
  return end.ok ? ok(undefined) : end;
}

/**
 * Returns the run without secrets: a reviewer can quote a password that it found. The quoted code of a finding is only
 * compared with the diff and never shown, so it stays as it is.
 */
function maskRun(run: PublishedRun): PublishedRun {
  if (run.kind === 'error') return maskDocument(run);
  const { document } = run;
  const mask = (finding: FindingDocument): FindingDocument => ({ ...maskDocument(finding), anchor: finding.anchor });
  const [findings, settled] = [document.findings.map(mask), document.settled.map(mask)];
  return { kind: 'run', document: { ...maskDocument(document), findings, settled } };
}

const COMMENTS: readonly string[] = [
  'create-comment',
  'edit-comment',
  'delete-comment',
] satisfies PublishAction['kind'][];

function isComment({ kind }: PublishAction): boolean {
  return COMMENTS.includes(kind);
}

function refusedThreads(steps: readonly PublishStep[]): readonly string[] {
  return steps.flatMap(({ action, end }) =>
    action.kind === 'create-thread' && end === 'refused' ? action.thread.fingerprints : [],
  );
}

/**
 * Waits until the forge shows what was written, so that the next publication sees it and writes nothing twice. Deletes
 * duplicate threads and summaries that another job may have created at the same time.
 */
async function waitUntilVisible(
  forge: Forge,
  options: Omit<PublishFacts, 'state'>,
  writtenSteps: readonly PublishStep[],
  wait: Wait,
): Promise<Result<{ readonly steps: readonly PublishStep[]; readonly isVisible: boolean }>> {
  const steps: PublishStep[] = [];
  // The forge will never show what it refused.
  const isRefused = (candidate: PublishAction) =>
    [...writtenSteps, ...steps].some(({ action, end }) => end === 'refused' && isSameAction(action, candidate));
  for (const milliseconds of PATIENCE_MS) {
    if (milliseconds > 0) await wait(milliseconds);
    const pullRequest = await forge.read();
    if (!pullRequest.ok) return pullRequest;
    const { actions } = decidePublish({ ...options, state: pullRequest.value });
    const missing = actions.filter((action) => action.kind !== 'hide' && !isRefused(action));
    if (missing.length === 0) return ok({ steps, isVisible: true });
    const extra = missing.filter(({ kind }) => kind === 'delete-thread' || kind === 'delete-comment');
    const deletion = await perform(forge, extra, pullRequest.value.head);
    if (!deletion.ok) return deletion;
    steps.push(...deletion.value.steps);
  }
  return ok({ steps, isVisible: false });
}

/**
 * The steps that were done. `hasMoved` says that the rest was not done, because the pull request got new commits
 * meanwhile.
 */
type Performed = { readonly steps: readonly PublishStep[]; readonly hasMoved: boolean };

async function perform(
  forge: Forge,
  actions: readonly PublishAction[],
  head: string | null,
): Promise<Result<Performed>> {
  const steps: PublishStep[] = [];
  const threads = actions.filter((action) => action.kind === 'create-thread');
  let areCreated = threads.length === 0;
  for (const action of actions) {
    if (action.kind === 'create-thread') {
      if (areCreated) continue;
      areCreated = true;
      const ends = await createThreads(
        forge,
        threads.map(({ thread }) => thread),
        head,
      );
      if (!ends.ok) return ends;
      if (ends.value === 'moved') return ok({ steps, hasMoved: true });
      const { value } = ends;
      steps.push(...threads.map((creation, index) => ({ action: creation, end: value[index] ?? 'rejected' })));
      continue;
    }
    const end = await performOne(forge, action);
    if (!end.ok) return end;
    // A publication that cannot post its comments reaches no one, so this is an error.
    const isNeeded = action.kind === 'create-comment' || action.kind === 'edit-comment';
    if (isNeeded && end.value === 'refused') {
      return err({ kind: 'forge-refused', forge: forge.name, status: 403, said: 'it does not accept comments' });
    }
    steps.push({ action, end: end.value });
  }
  return ok({ steps, hasMoved: false });
}

/**
 * Creates threads. If the forge rejects the lines of a thread, the thread is created on the whole file. If that fails
 * too, only the summary shows the finding.
 */
async function createThreads(
  forge: Forge,
  threads: readonly NewThread[],
  head: string | null,
): Promise<Result<readonly WriteEnd[] | 'moved'>> {
  const first = await forge.createThreads(threads);
  if (!first.ok) return first;
  const again = threads.filter(({ place }, index) => first.value[index] === 'rejected' && place.kind === 'lines');
  if (again.length === 0) return first;
  // The forge may have rejected the lines because of a push after we read the diff, so compare the head again.
  const now = await forge.read();
  if (!now.ok) return now;
  if (now.value.head !== head) return ok('moved');
  const onFiles = again.map((thread): NewThread => {
    const { path, oldPath } = thread.place;
    return { ...thread, place: { kind: 'file', path, oldPath }, body: thread.asFile };
  });
  const second = await forge.createThreads(onFiles);
  if (!second.ok) return second;
  const ends = new Map(again.map((thread, index) => [thread, second.value[index] ?? 'rejected']));
  return ok(threads.map((thread, index) => ends.get(thread) ?? first.value[index] ?? 'rejected'));
}

type SingleAction = Exclude<PublishAction, { kind: 'create-thread' }>;

async function performOne(forge: Forge, action: SingleAction): Promise<Result<WriteEnd>> {
  switch (action.kind) {
    case 'edit-thread':
      return forge.editThreadComment(action.comment, action.body);
    case 'reply':
      return forge.reply(action.thread, action.body);
    case 'resolve': {
      // The reply comes last: if it is missing, the next publication adds it.
      const resolveEnd = await forge.setResolved(action.thread, true);
      if (!resolveEnd.ok) return resolveEnd;
      if (resolveEnd.value === 'done') return forge.reply(action.thread, action.reply);
      const editEnd = await forge.editThreadComment(action.orElse.comment, action.orElse.body);
      if (!editEnd.ok || editEnd.value !== 'done') return editEnd;
      const hideEnd = await forge.setHidden(action.orElse.comment, true);
      if (!hideEnd.ok) return hideEnd;
      const { reply } = action.orElse;
      const replyEnd = reply === null ? hideEnd : await forge.reply(action.thread, reply);
      return replyEnd.ok ? ok('refused') : replyEnd;
    }
    case 'reopen': {
      const reopenEnd = await forge.setResolved(action.thread, false);
      if (!reopenEnd.ok) return reopenEnd;
      // If the token may not reopen the thread, the reply is the only sign in it that the finding is open again.
      const replyEnd = await forge.reply(action.thread, action.reply);
      return replyEnd.ok && replyEnd.value === 'done' ? reopenEnd : replyEnd;
    }
    case 'hide':
    case 'show':
      return forge.setHidden(action.comment, action.kind === 'hide');
    case 'delete-thread': {
      for (const comment of action.comments.toReversed()) {
        const deleteEnd = await forge.deleteThreadComment(comment);
        if (!deleteEnd.ok || deleteEnd.value !== 'done') return deleteEnd;
      }
      return ok('done');
    }
    case 'create-comment':
      return forge.createComment(action.body);
    case 'edit-comment': {
      const editEnd = await forge.editComment(action.comment, action.body);
      // The edit was refused because someone deleted the comment or because it belongs to another account, so post a
      // new one.
      return editEnd.ok && editEnd.value === 'refused' ? forge.createComment(action.body) : editEnd;
    }
    case 'delete-comment':
      return forge.deleteComment(action.comment);
    case 'create-check':
      return forge.createCheck(action.check);
  }
}
