import type { Place } from '../domain/change.ts';
import { isRecord } from '../domain/is-record.ts';
import { done, type Result } from '../domain/result.ts';
import type { StopMemory } from '../domain/stop.ts';
import { indexName } from '../io/index-name.ts';
import { treePrint } from '../io/tree-print.ts';
import { isHeld } from '../stores/lock.ts';
import type { FailingGate } from '../text/failing-gate.ts';
import { getRun, type StartedRun, startRun } from './started-run.ts';

/** What came of having the gates run. */
export type StopRun =
  /** It goes on; `awaited` is what to wait for at the next stop, where that is our own. */
  | { readonly kind: 'running'; readonly progress: readonly string[]; readonly awaited: StopMemory['awaited'] }
  /** Somebody else's run goes on. */
  | { readonly kind: 'busy' }
  /** `isAboutThis`: the tree is what it was when the run was started, as far as that can be told. */
  | {
      readonly kind: 'judged';
      readonly exitCode: number;
      readonly gates: readonly FailingGate[];
      readonly isAboutThis: boolean;
    }
  | { readonly kind: 'unjudged'; readonly why: string };

/** Waits until then for the run that an earlier stop left, or for a new one. */
export async function runForStop(
  place: Place,
  awaited: StopMemory['awaited'],
  until: number,
): Promise<Result<StopRun>> {
  const now = printOf(place);
  const left = awaited === null ? null : await getRun(place, awaited.run, { seconds: 0 });
  const isLeft =
    left?.ok === true && (left.value.state === 'running' || (left.value.state === 'done' && awaited?.print === now));
  if (!isLeft) {
    const busy = await isHeld(place);
    if (!busy.ok || busy.value) return busy.ok ? done({ kind: 'busy' }) : busy;
  }
  const begun = isLeft ? left : await startRun(place, { paths: [], gate: null });
  if (!begun.ok) return begun;
  const print = isLeft ? (awaited?.print ?? null) : now;
  const { id } = begun.value;
  const run = await getRun(place, id, { seconds: Math.max(0, (until - performance.now()) / 1000) });
  if (!run.ok) return run;
  if (run.value.state === 'running') {
    return done({
      kind: 'running',
      progress: run.value.progress,
      awaited: print === null ? null : { run: id, print },
    });
  }
  return done(readAnswer(run.value, print === null || printOf(place) === print));
}

function printOf(place: Place): string | null {
  return treePrint(place, indexName(place.root))?.print ?? null;
}

/** What a run's document, which another process of ours wrote, comes to. */
function readAnswer({ state, answer, progress }: StartedRun, isAboutThis: boolean): StopRun {
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
    gates: gates.filter(isToTell).map(({ id, detail, output, slots }) => ({
      id: String(id),
      detail: [String(detail), ...troubles(slots)].join('; '),
      output: typeof output === 'string' ? output : null,
      log: null,
    })),
  };
}

/** Why reviewers gave no verdict. */
function troubles(slots: unknown): readonly string[] {
  return (Array.isArray(slots) ? slots : [])
    .filter(isRecord)
    .filter(({ status }) => status === 'error')
    .map(({ slot, agent, detail }) => `@${slot} (${agent ?? 'no agent'}) ${detail}`);
}

/** What no finding tells of. */
export function isToTell(gate: {
  readonly kind?: unknown;
  readonly status?: unknown;
  readonly why?: unknown;
}): boolean {
  return gate.status === 'error' || (gate.status === 'fail' && gate.kind === 'check') || gate.why === 'retry-limit';
}
