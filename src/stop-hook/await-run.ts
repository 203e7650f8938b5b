import { getRun, type StartedRun, startRun } from '../gates/background-run.ts';
import type { FailingGate } from '../gates/describe/reasons.ts';
import { statusFingerprint } from '../git/change-detection.ts';
import { indexName } from '../git/worktree-paths.ts';
import { isRecord } from '../kernel/json.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import { isHeld } from '../platform/lock.ts';
import type { StopMemory } from './decide.ts';

/** The result of running the gates for a stop. */
export type StopRun =
  /** The run continues; the next stop waits for `awaited`, if it is a run of this hook. */
  | { readonly kind: 'running'; readonly progress: readonly string[]; readonly awaited: StopMemory['awaited'] }
  /** Another process runs the gates. */
  | { readonly kind: 'busy' }
  /** `isAboutThis`: as far as is known, the working tree is the same as when the run started. */
  | {
      readonly kind: 'judged';
      readonly exitCode: number;
      readonly gates: readonly FailingGate[];
      readonly isAboutThis: boolean;
    }
  | { readonly kind: 'unjudged'; readonly why: string };

/** Waits for the run of an earlier stop, or starts a new one, until the time `until`. */
export async function runForStop(
  place: RepositoryPaths,
  awaited: StopMemory['awaited'],
  until: number,
): Promise<Result<StopRun>> {
  const now = fingerprint(place);
  const earlier = awaited === null ? null : await getRun(place, awaited.run, { seconds: 0 });
  const isUsable =
    earlier?.ok === true &&
    (earlier.value.state === 'running' || (earlier.value.state === 'done' && awaited?.print === now));
  if (!isUsable) {
    const busy = await isHeld(place);
    if (!busy.ok || busy.value) return busy.ok ? ok({ kind: 'busy' }) : busy;
  }
  const begun = isUsable ? earlier : await startRun(place, { paths: [], gate: null });
  if (!begun.ok) return begun;
  const print = isUsable ? (awaited?.print ?? null) : now;
  const { id } = begun.value;
  const run = await getRun(place, id, { seconds: Math.max(0, (until - performance.now()) / 1000) });
  if (!run.ok) return run;
  if (run.value.state === 'running') {
    const { progress } = run.value;
    return ok({ kind: 'running', progress, awaited: print === null ? null : { run: id, print } });
  }
  return ok(readResult(run.value, print === null || fingerprint(place) === print));
}

function fingerprint(place: RepositoryPaths): string | null {
  return statusFingerprint(place, indexName(place.root))?.print ?? null;
}

/** Reads the result of a background run from its JSON document. */
function readResult({ state, answer, progress }: StartedRun, isAboutThis: boolean): StopRun {
  if (state === 'died' || !isRecord(answer)) {
    return { kind: 'unjudged', why: `the run ended without a result. ${progress.at(-1) ?? ''}`.trim() };
  }
  if (answer['status'] === 'lock_conflict') return { kind: 'busy' };
  const error = answer['error'];
  if (isRecord(error)) return { kind: 'unjudged', why: String(error['message']) };
  const gates = Array.isArray(answer['gates']) ? answer['gates'].filter(isRecord) : [];
  return {
    kind: 'judged',
    exitCode: Number(answer['exit_code']),
    isAboutThis,
    gates: gates.filter(needsExplanation).map(({ id, detail, output, slots }) => ({
      id: String(id),
      detail: [String(detail), ...troubles(slots)].join('; '),
      output: typeof output === 'string' ? output : null,
      log: null,
    })),
  };
}

/** Returns why reviewers gave no verdict. */
function troubles(slots: unknown): readonly string[] {
  return (Array.isArray(slots) ? slots : [])
    .filter(isRecord)
    .filter(({ status }) => status === 'error')
    .map(({ slot, agent, detail }) => `@${slot} (${agent ?? 'no agent'}) ${detail}`);
}

/** Whether a gate failed for a reason that no finding shows: an error, a failed check, or the retry limit. */
export function needsExplanation(gate: {
  readonly kind?: unknown;
  readonly status?: unknown;
  readonly why?: unknown;
}): boolean {
  return gate.status === 'error' || (gate.status === 'fail' && gate.kind === 'check') || gate.why === 'retry-limit';
}
