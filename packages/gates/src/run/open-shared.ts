import { AGENT_NAMES } from '@onceover/base/kernel/agent-names';
import type { Failure } from '@onceover/base/kernel/failure';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import { subjectKey } from '@onceover/base/kernel/review-subject';
import { openTrusted } from '@onceover/passes/open-trusted';
import type { Acceptance, PassRequest } from '@onceover/passes/types';
import type { NoBasePolicy } from '@onceover/repo/config/base-policy';
import type { RunSettings } from '@onceover/repo/config/effective-settings';
import type { SharedPasses } from './ports.ts';

/** How a run uses the passes of other clones. */
type SharedUse = {
  /** Whether passes of other clones count. The options `--no-accept` and `--fresh` turn this off. */
  readonly acceptsPasses: boolean;
  readonly acceptsWaivers: boolean;
  /** Whether to fetch the newest passes. A preview does not fetch; it uses what an earlier run fetched. */
  readonly fetches: boolean;
  /**
   * Whether the setting `share` applies. In the CI job of a pull request it does not; there, only the option `--share`
   * shares passes.
   */
  readonly sharesBySetting: boolean;
};

/**
 * How long a run waits until it knows which passes of other clones count. The time limit of the fetch itself depends on
 * whether passes come from a git remote or an HTTP store.
 */
const LONGEST_WAIT_MS = 5000;

/** The agents that need no settings. A pass of any other agent counts only if the settings define that agent. */
export const BUILT_IN_AGENTS: readonly string[] = AGENT_NAMES;

/**
 * Opens the passes of other clones and starts to fetch them while git scans the working tree. If they were fetched
 * shortly before, it fetches again only if a pass is missing.
 */
export function openShared(repository: RepositoryPaths, runSettings: RunSettings, use: SharedUse): SharedPasses {
  const stop = new AbortController();
  const opening = openTrusted(repository, runSettings, { now: () => new Date() });
  const isUsed = use.acceptsPasses || use.acceptsWaivers;
  let fetching: Promise<Result<boolean>> | null = null;
  const startFetch = ({ carrier }: Trusted) => {
    fetching ??= carrier.fetch(stop.signal);
    // A caller that awaits the fetch gets its error. Without this line, an error before that would end the process.
    fetching.catch(() => {});
    return fetching;
  };
  const fetches = use.fetches && isUsed;
  const decisions = new Map<string, Acceptance>();
  let trouble: NoBasePolicy | null = null;
  let isClosed = false;
  let isLate = false;
  let isBlocked = false;
  const startEarly = (openResult: Awaited<typeof opening>) => {
    if (openResult.ok && !isClosed && !openResult.value.carrier.isFresh()) startFetch(openResult.value);
  };
  // A caller that awaits `opening` gets its error. Without this line, an error before that would end the process.
  if (fetches) opening.then(startEarly).catch(() => {});

  const report = (failure: Failure | null) => {
    if (failure !== null) trouble ??= { kind: 'failed', failure: isLate ? asTimeout(failure) : failure };
  };

  /** Runs `work`, which asks a git remote or a store, and stops it after the time limit. */
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const timer = setTimeout(() => {
      isLate = true;
      stop.abort();
    }, LONGEST_WAIT_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  };

  // After closing, the fetch stops, but later questions to an HTTP store still get an answer.
  const signal = () => (isClosed ? null : stop.signal);

  /** Waits for the fetch. Returns whether it brought new passes; `null` if it failed. */
  const awaitFetch = async (passSource: Trusted): Promise<boolean | null> => {
    if (!fetches || isClosed) return false;
    const fetchResult = await startFetch(passSource);
    if (fetchResult.ok) return fetchResult.value;
    report(fetchResult.failure);
    return null;
  };

  /**
   * Decides which of the requested passes count. First it uses what an earlier run fetched, and waits for the fetch
   * only if that is not enough.
   */
  const decide = async (requests: readonly PassRequest[], passSource: Trusted): Promise<readonly Acceptance[]> => {
    const firstAnswer = await inTime(() => passSource.passes.accept(requests, [], signal()));
    const pendingRequests = requests.filter((_, i) => firstAnswer.passes[i]?.kind !== 'accepted');
    const isNew = pendingRequests.length === 0 ? false : await awaitFetch(passSource);
    if (isNew === null) return firstAnswer.passes.map(asUnreachable);
    if (!isNew) {
      report(firstAnswer.failure);
      return firstAnswer.passes;
    }
    const secondAnswer = await inTime(() => passSource.passes.accept(pendingRequests, [], signal()));
    report(secondAnswer.failure);
    const byRequest = new Map(pendingRequests.map((request, i) => [request, secondAnswer.passes[i]]));
    return requests.map((request, i) => byRequest.get(request) ?? firstAnswer.passes[i] ?? NOT_CONFIGURED);
  };

  return {
    async accept(requests) {
      if (!use.acceptsPasses) return [];
      const openResult = await opening;
      if (!openResult.ok) {
        trouble ??= openResult.why;
        return requests.map(() => NOT_CONFIGURED);
      }
      const { noAudit } = openResult.value;
      if (noAudit !== null) {
        trouble ??= { kind: 'failed', failure: noAudit };
        isBlocked = noAudit.kind === 'no-audit-secret' || noAudit.kind === 'short-audit-secret';
        return requests.map(() => NOT_CONFIGURED);
      }
      // Decide about each pass only once, so that the plan and the verdict of the run agree.
      const newRequests = requests.filter((request) => !decisions.has(keyOf(request)));
      const acceptances = newRequests.length === 0 ? [] : await decide(newRequests, openResult.value);
      for (const [i, request] of newRequests.entries()) decisions.set(keyOf(request), acceptances[i] ?? NOT_CONFIGURED);
      return requests.map((request) => decisions.get(keyOf(request)) ?? NOT_CONFIGURED);
    },
    async waivers(waiverRequests) {
      const openResult = use.acceptsWaivers ? await opening : null;
      if (openResult?.ok !== true || openResult.value.policy.waiverSigners === null) return new Map();
      const { passes } = openResult.value;
      await awaitFetch(openResult.value);
      return (await inTime(() => passes.accept([], waiverRequests, signal()))).waivers;
    },
    async explain(request) {
      const openResult = await opening;
      return openResult.ok ? openResult.value.passes.explain(request) : NOT_CONFIGURED;
    },
    async share(statements, isAsked) {
      const openResult = await opening;
      const carrier = openResult.ok ? openResult.value.carrier.name : '';
      const emptyResult = { kind: 'shared', passes: 0, waivers: 0, carrier } as const;
      if (!openResult.ok) return emptyResult;
      const share = isAsked ? 'auto' : use.sharesBySetting ? openResult.value.policy.passes.share : 'off';
      if (share === 'off') return emptyResult;
      const { countUnshared, shareStatements } = await import('@onceover/passes/share');
      if (share === 'ask') {
        const unsharedCounts = await countUnshared(repository, openResult.value, statements);
        return unsharedCounts.ok ? { kind: 'to-ask', ...unsharedCounts.value, carrier } : emptyResult;
      }
      const shareResult = await shareStatements(repository, openResult.value, statements);
      return shareResult.ok
        ? { kind: 'shared', ...shareResult.value, carrier }
        : { kind: 'not-shared', failure: shareResult.failure };
    },
    problem: () => trouble,
    refusal: () => (isBlocked && trouble?.kind === 'failed' ? trouble.failure : null),
    close() {
      isClosed = true;
      stop.abort();
    },
  };
}

type Trusted = Extract<Awaited<ReturnType<typeof openTrusted>>, { ok: true }>['value'];

const NOT_CONFIGURED: Acceptance = { kind: 'refused', why: 'not-configured', statement: null };

/** Turns the failure of a fetch that the time limit stopped into a timeout. */
function asTimeout(failure: Failure): Failure {
  return failure.kind === 'passes-carrier' && failure.why === 'stopped' ? { ...failure, why: 'timeout' } : failure;
}

/**
 * If the newest passes could not be fetched, a missing pass may exist after all, so report that the passes were
 * unreachable.
 */
function asUnreachable(decision: Acceptance): Acceptance {
  const isMissing = decision.kind === 'refused' && decision.why === 'no-statement';
  return isMissing ? { ...decision, why: 'unreachable' } : decision;
}

function keyOf({ subject }: PassRequest): string {
  return JSON.stringify([subject.slot, subject.scope, ...subjectKey(subject)]);
}
