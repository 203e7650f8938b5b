import { estimateTokens, type KeptSession } from '@onceover/base/kernel/agent';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import { cacheTtl, ttlOfCall } from './cache-life.ts';
import { type CachePrices, type CacheTtl, cachePrices, cacheRule } from './cache-rules.ts';
import { filesToHandOver, isSameFile, opensAgain, type ResumedReview } from './handover.ts';
import { decideDispatch } from './resume.ts';
import { costAfterCacheExpiry, type SharedStart } from './session-cost.ts';
import type { JobReuse, ResumePrompt, ReuseHistory, ReuseJob, SessionDelta, WholeFile } from './types.ts';

/** The plan of a job that shares no session with other jobs. */
export type SessionPlan = Omit<JobReuse, 'reading'>;

/** Returns whether a job starts a new session or resumes its last one, with the prompts for both. */
export function planSession(job: ReuseJob, jobs: readonly ReuseJob[], history: ReuseHistory): SessionPlan {
  const { agent, past, now } = job;
  const given = filesForNewSession(job);
  const fresh = job.compose(given);
  const ttl = requestedTtl(job, history);
  const delta = deltaOf(job);
  const session = past?.session ?? null;
  const cost =
    delta === null || session === null
      ? null
      : costAfterCacheExpiry(session, promptLengths(job, jobs, { fresh, given, delta }), {
          ...{ now: history.now, ttl, history: history.cache },
        });
  const dispatch = decideDispatch({
    ...{ who: 'reviewer', wanted: job.wanted, now, canResume: agent.canResume, isFinalValidation: false, cost },
    // A session that saw only one part of the change cannot be resumed for the whole change.
    session: fresh.length > 1 ? null : session,
    lost: past?.delta != null && 'lost' in past.delta ? past.delta.lost : null,
    changed: past?.sawThisContent !== true,
    deltaLength: delta?.prompt.dynamic.length ?? 0,
  });
  const isResumed = dispatch.kind === 'resumed';
  const callTtl = ttlOfCall(history.cacheTtl, ttl, isResumed && cost !== null ? { ...session, ...cost } : null);
  // If the provider's cache of their sessions has expired, resumed reviewers can share the start of their prompts
  // again, like new ones.
  const start = isResumed ? delta?.prompt : fresh[0];
  const startsUncached = !isResumed || cost?.cacheExpired === true;
  return {
    ...{ dispatch, fresh, ttl: callTtl, note: cost?.note ?? null },
    given: given.map(({ path }) => path),
    resumed:
      isResumed && delta !== null && session !== null && past !== null
        ? withWholeFiles({ delta, session }, { earlier: past.resumedReviews, seen: past.seen, sessions: 1 }, callTtl)
        : null,
    prefix: agent.sharesPrefix && startsUncached ? `${now.agent}\0${start?.stable ?? ''}` : null,
    answersAtOnce: session?.cache?.opening?.requests === 1,
  };
}

function deltaOf({ past }: ReuseJob): SessionDelta | null {
  return past?.delta == null || 'lost' in past.delta ? null : past.delta;
}

/**
 * Returns the files to show in the prompt for a new session. The price is that of the short cache lifetime for all
 * reviewers of an agent, so that their prompts begin alike.
 */
function filesForNewSession({ agent, now, openingLength, openedBefore }: ReuseJob) {
  const rule = cacheRule(agent.provider, now.model ?? agent.usualModel);
  const candidates = openedBefore.map((file) => ({ ...file, more: file.text.length }));
  const to = { kind: 'fresh', contextTokens: estimateTokens(openingLength), prices: cachePrices(rule, '5m') } as const;
  return filesToHandOver(candidates, to);
}

function requestedTtl({ agent, now, past }: ReuseJob, history: ReuseHistory): CacheTtl {
  const rule = cacheRule(agent.provider, now.model ?? agent.usualModel ?? past?.session?.cache?.model ?? null);
  const pauseMs = past === null ? null : history.now.getTime() - Date.parse(past.at);
  return cacheTtl(history.cacheTtl, rule, { next: history.cache.next.reviewer, pauseMs });
}

type Prompts = {
  readonly fresh: readonly ComposedPrompt[];
  readonly given: readonly { readonly text: string }[];
  readonly delta: SessionDelta;
};

function promptLengths(job: ReuseJob, jobs: readonly ReuseJob[], { fresh, given, delta }: Prompts) {
  // The cost estimate of a new session already counts the files that the reviewer opens, so do not count these files
  // twice.
  const givenLength = given.reduce((sum, { text }) => sum + text.length, 0);
  return {
    delta: delta.prompt.dynamic.length,
    fresh: fresh.reduce((sum, { length }) => sum + length, 0) - givenLength,
    given: given.length,
    ...(job.agent.sharesPrefix ? { shared: sharedStarts(job, jobs, fresh[0]) } : {}),
  };
}

/** Returns how many tokens the running reviewers have in common: in new sessions, and in their earlier sessions. */
function sharedStarts(
  { content, past }: ReuseJob,
  jobs: readonly ReuseJob[],
  prompt: ComposedPrompt | undefined,
): { readonly fresh: SharedStart; readonly resumed: SharedStart } {
  const digest = past?.session?.stableDigest;
  const sameContentJobs = jobs.filter((job) => job.content === content);
  const resumedJobs = jobs.filter(
    (job) => digest !== undefined && job.past?.session != null && job.past.session.stableDigest === digest,
  );
  const tokensOf = (sharingJobs: readonly ReuseJob[]) => {
    const tokenCounts = sharingJobs.map((job) => job.past?.session?.cache?.opening?.shared ?? 0);
    return Math.max(...tokenCounts, estimateTokens(prompt?.stable.length ?? 0));
  };
  // The figures of a forked session include files that another session read for it. New sessions can share such a
  // session again, but resumed sessions share only the start of their prompts. So leave out forked sessions here.
  const resumedTokens = tokensOf(sameContentJobs.filter((job) => job.past?.isFork !== true));
  return {
    fresh: { reviewers: sameContentJobs.length, tokens: tokensOf(sameContentJobs) },
    resumed: { reviewers: resumedJobs.length, tokens: resumedTokens },
  };
}

/** The earlier reviews in a session, the files that it saw, and how many reviewers continue from it. */
type SessionReads = {
  readonly earlier: readonly ResumedReview[];
  readonly seen: readonly string[];
  readonly sessions: number;
};

/** Whether the prompt that resumes a session could show whole files, so that their diffs are needed. */
export function mayShowWholeFiles({ earlier, seen }: Pick<SessionReads, 'earlier' | 'seen'>): boolean {
  return seen.length > 0 && opensAgain(earlier) > 0;
}

/**
 * Replaces the diff of a changed file by one that shows the whole file, if the sessions saw the file before and this is
 * cheaper than to let them open it again.
 */
export function withWholeFiles(
  { delta, session }: { readonly delta: SessionDelta; readonly session: KeptSession },
  reads: SessionReads,
  ttl: CacheTtl,
): ResumePrompt {
  const { earlier, sessions } = reads;
  const files = mayShowWholeFiles(reads) ? delta.wholeFiles.flatMap((file) => likelyFile(file, reads)) : [];
  const rule = cacheRule(session.cache?.provider ?? null, session.cache?.model ?? null);
  // It is unknown whether a single resumed reviewer needs the file. If several reviewers continue from one session, one
  // of them probably does.
  const isUnknown = sessions === 1 && !earlier.some(({ handed }) => handed.length === 0);
  const handed = isUnknown ? [] : handedFiles(files, session, sessions, cachePrices(rule, ttl));
  const otherFiles = files.filter((file) => !handed.includes(file));
  const reopens = {
    files: otherFiles.reduce((sum, { likely }) => sum + likely, 0),
    tokens: otherFiles.reduce((sum, { likely, more }) => sum + likely * estimateTokens(Math.max(0, more)), 0),
  };
  if (handed.length === 0) return { prompt: delta.prompt, session, handed: [], reopens };
  const sections = delta.sections.map((section) => handed.find((file) => file.section === section)?.all ?? section);
  const paths = files.filter((file) => handed.includes(file)).map(({ path }) => path);
  return { prompt: delta.compose(sections, paths), session, handed: paths, reopens };
}

type LikelyFile = WholeFile & { readonly likely: number; readonly more: number };

function likelyFile(file: WholeFile, { earlier, seen }: SessionReads): readonly LikelyFile[] {
  // A reviewer that did not need the file before will probably not open it for a small change.
  if (!seen.some((seenFile) => isSameFile(seenFile, file.path))) return [];
  return [
    { ...file, likely: opensAgain(earlier, file.isAdded), more: file.all.text.length - file.section.text.length },
  ];
}

function handedFiles(
  files: readonly LikelyFile[],
  session: KeptSession,
  sessions: number,
  prices: CachePrices,
): readonly LikelyFile[] {
  // `contextTokens` lacks the tokens that the first call found in the cache, so use the length of the first prompt if
  // that is more.
  const contextTokens = Math.max(session.contextTokens ?? 0, estimateTokens(session.firstPromptLength));
  return filesToHandOver(files, { kind: 'resumed', contextTokens: contextTokens * sessions, prices });
}
