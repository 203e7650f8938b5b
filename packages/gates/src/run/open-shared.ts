import { AGENT_NAMES } from '@onceover/base/kernel/agent-names';
import type { Failure } from '@onceover/base/kernel/failure';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
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
export function openShared(repository: RepositoryPaths, read: RunSettings, use: SharedUse): SharedPasses {
  const stop = new AbortController();
  const opening = openTrusted(repository, read, { now: () => new Date() });
  const isUsed = use.acceptsPasses || use.acceptsWaivers;
  let fetching: Promise<Result<boolean>> | null = null;
  const startFetch = ({ carrier }: Trusted) => {
    fetching ??= carrier.fetch(stop.signal);
    // A caller that awaits the fetch gets its error. Without this line, an error before that would end the process.
    fetching.catch(() => {});
    return fetching;
  };
  const fetches = use.fetches && isUsed;
  const known = new Map<string, Acceptance>();
  let trouble: NoBasePolicy | null = null;
  let isClosed = false;
  let isLate = false;
  const startEarly = (opened: Awaited<typeof opening>) => {
    if (opened.ok && !isClosed && !opened.value.carrier.isFresh()) startFetch(opened.value);
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
  const awaitFetch = async (trusted: Trusted): Promise<boolean | null> => {
    if (!fetches || isClosed) return false;
    const fetched = await startFetch(trusted);
    if (fetched.ok) return fetched.value;
    report(fetched.failure);
    return null;
  };

  /**
   * Decides which of the requested passes count. First it uses what an earlier run fetched, and waits for the fetch
   * only if that is not enough.
   */
  const decide = async (requests: readonly PassRequest[], trusted: Trusted): Promise<readonly Acceptance[]> => {
    const before = await inTime(() => trusted.passes.accept(requests, [], signal()));
    const left = requests.filter((_, i) => before.passes[i]?.kind !== 'accepted');
    const isNew = left.length === 0 ? false : await awaitFetch(trusted);
    if (isNew === null) return before.passes.map(asUnreachable);
    if (!isNew) {
      report(before.failure);
      return before.passes;
    }
    const after = await inTime(() => trusted.passes.accept(left, [], signal()));
    report(after.failure);
    const byRequest = new Map(left.map((request, i) => [request, after.passes[i]]));
    return requests.map((request, i) => byRequest.get(request) ?? before.passes[i] ?? NOT_CONFIGURED);
  };

  return {
    async accept(wanted) {
      if (!use.acceptsPasses) return [];
      const opened = await opening;
      if (!opened.ok) {
        trouble ??= opened.why;
        return wanted.map(() => NOT_CONFIGURED);
      }
      // Decide about each pass only once, so that the plan and the verdict of the run agree.
      const unknown = wanted.filter((request) => !known.has(keyOf(request)));
      const decided = unknown.length === 0 ? [] : await decide(unknown, opened.value);
      for (const [i, request] of unknown.entries()) known.set(keyOf(request), decided[i] ?? NOT_CONFIGURED);
      return wanted.map((request) => known.get(keyOf(request)) ?? NOT_CONFIGURED);
    },
    async waivers(wanted) {
      const opened = use.acceptsWaivers ? await opening : null;
      if (opened?.ok !== true || opened.value.policy.waiverSigners === null) return new Map();
      const { passes } = opened.value;
      await awaitFetch(opened.value);
      return (await inTime(() => passes.accept([], wanted, signal()))).waivers;
    },
    async explain(request) {
      const opened = await opening;
      return opened.ok ? opened.value.passes.explain(request) : NOT_CONFIGURED;
    },
    async share(statements, isAsked) {
      const opened = await opening;
      const carrier = opened.ok ? opened.value.carrier.name : '';
      const nothing = { kind: 'shared', passes: 0, waivers: 0, carrier } as const;
      if (!opened.ok) return nothing;
      const share = isAsked ? 'auto' : use.sharesBySetting ? opened.value.policy.passes.share : 'off';
      if (share === 'off') return nothing;
      const { countUnshared, shareStatements } = await import('@onceover/passes/share');
      if (share === 'ask') {
        const unshared = await countUnshared(repository, opened.value, statements);
        return unshared.ok ? { kind: 'to-ask', ...unshared.value, carrier } : nothing;
      }
      const shared = await shareStatements(repository, opened.value, statements);
      return shared.ok ? { kind: 'shared', ...shared.value, carrier } : { kind: 'not-shared', failure: shared.failure };
    },
    problem: () => trouble,
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

function keyOf({ subject: { gate, slot, content, scope, promptDigest } }: PassRequest): string {
  return JSON.stringify([gate, slot, content, scope, promptDigest]);
}
