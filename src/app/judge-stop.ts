import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../domain/change.ts';
import type { Failure } from '../domain/failure.ts';
import { isOpen } from '../domain/finding.ts';
import type { RunOutcome } from '../domain/run.ts';
import type { Spot, StopAnswer, StopMemory, StopRequest, StopVerdict, Traces } from '../domain/stop.ts';
import { indexName } from '../io/index-name.ts';
import { findPlace } from '../io/place.ts';
import { treePrint } from '../io/tree-print.ts';
import { decideStop } from '../plan/decide-stop.ts';
import { isPullRequest } from '../plan/pull-request.ts';
import { readMemory } from '../stores/stop-memory.ts';
import type { FailingGate } from '../text/failing-gate.ts';
import { tellFailure } from '../text/failure.ts';
import { tellGateDetail } from '../text/gate-reason.ts';
import { tellRunNotice } from '../text/run.ts';
import { tellStillRunning, tellStopReason } from '../text/stop-reason.ts';
import { countBlocks } from './count-blocks.ts';
import { standing } from './standing.ts';
import { isToTell, runForStop } from './stop-run.ts';

/** Answers an agent that wants to stop by what the gates say, running them where they have not been asked yet. */
export async function judgeStop(request: StopRequest): Promise<StopAnswer> {
  const place = await findPlace(request.cwd);
  if (!place.ok) return outOfPlace(place.failure);
  const { verdict, traces, awaited } = await judge(place.value, request.deadlineSeconds);
  const judged = await keepable(place.value, verdict, traces);
  // Another session may have been answered meanwhile.
  const spot = spotOf(place.value);
  const memory = readMemory(spot);
  const decided = decideStop(verdict, memory.sessions[request.session] ?? null);
  return countBlocks(spot, { ...memory, judged, awaited }, request.session, decided);
}

// An agent may work anywhere; where there is no working tree there are no gates.
function outOfPlace(failure: Failure): StopAnswer {
  if (failure.kind === 'not-a-repository' || failure.kind === 'bare-repository') return { kind: 'let-go', why: null };
  return decideStop(unjudged(failure), null).answer;
}

function unjudged(failure: Failure): StopVerdict & { readonly kind: 'unjudged' } {
  const { what, next } = tellFailure(failure);
  return { kind: 'unjudged', why: `${what} ${next}`.trim() };
}

function spotOf({ root, commonDir, index }: Place): Spot {
  return { root, commonDir, gitDir: dirname(index) };
}

type Judgement = {
  readonly verdict: StopVerdict;
  /** What the verdict depends on beside the working tree; null where it is not known. */
  readonly traces: Traces | null;
  readonly awaited: StopMemory['awaited'];
};

const CHANGING = 'files change while they are being judged';
const BUSY_PAUSE_MS = 500;
const MOST_ROUNDS = 3;

async function judge(place: Place, deadlineSeconds: number): Promise<Judgement> {
  const until = performance.now() + deadlineSeconds * 1000;
  let { awaited } = readMemory(spotOf(place));
  let traces: Traces | null = null;
  const judged = (verdict: StopVerdict): Judgement => ({ verdict, traces, awaited: null });
  for (let round = 1; ; ) {
    const before = await standing(place);
    if (!before.ok) return { ...judged(unjudged(before.failure)), traces: null };
    traces = before.value.traces;
    const { outcome, asked } = before.value;
    if (outcome.exitCode === 0 || asked) return judged(concluded(outcome, outcome.gates.filter(isToTell).map(told)));

    const run = await runForStop(place, awaited, until);
    if (!run.ok) return judged(unjudged(run.failure));
    const { value } = run;
    if (value.kind === 'running') {
      return { verdict: stillRunning(value.progress), traces: null, awaited: value.awaited };
    }
    awaited = null;
    if (value.kind === 'busy') {
      if (performance.now() >= until) return { ...judged(stillRunning([])), traces: null };
      await sleep(BUSY_PAUSE_MS);
      continue;
    }
    if (value.kind === 'unjudged') return judged(value);

    const after = await standing(place);
    if (!after.ok) return { ...judged(unjudged(after.failure)), traces: null };
    traces = after.value.traces;
    if (after.value.outcome.exitCode === 0) return judged({ kind: 'holds' });
    // What it judged is not what is there any more: that has to be looked at too.
    if ((!value.isAboutThis || value.exitCode === 0) && round++ < MOST_ROUNDS) continue;
    return judged(
      value.exitCode === 1
        ? fails(after.value.outcome, value.gates)
        : { kind: 'unjudged', why: `${tellGates(value.gates) || CHANGING}. "onceover run" tries again.` },
    );
  }
}

/** What stands where nobody is left to be asked. */
function concluded(outcome: RunOutcome, gates: readonly FailingGate[]): StopVerdict {
  if (outcome.exitCode === 0) return { kind: 'holds' };
  if (outcome.exitCode === 1) return fails(outcome, gates);
  return { kind: 'unjudged', why: tellGates(gates) || outcome.notices.map(tellRunNotice).join(' ') };
}

function told(gate: RunOutcome['gates'][number]): FailingGate {
  return { id: gate.id, detail: tellGateDetail(gate), output: gate.check?.tail ?? null, log: null };
}

function tellGates(gates: readonly FailingGate[]): string {
  return gates.map(({ id, detail }) => `${id}: ${detail}`).join('; ');
}

function stillRunning(progress: readonly string[]): StopVerdict {
  return { kind: 'running', reason: tellStillRunning(progress) };
}

function fails({ findings }: RunOutcome, gates: readonly FailingGate[]): StopVerdict {
  const open = findings.filter(({ state }) => isOpen(state));
  const names = [...open.map(({ finding }) => finding.id), ...gates.map(({ id }) => id)];
  return { kind: 'fails', open: names, reason: tellStopReason(open, gates) };
}

/**
 * The verdict with what it is about, where that can be told. It is looked at once more, between two equal prints: what
 * changed in the same moment in which it was traced shows by then.
 */
async function keepable(place: Place, verdict: StopVerdict, traces: Traces | null): Promise<StopMemory['judged']> {
  if (verdict.kind === 'running' || traces === null || isPullRequest(process.env)) return null;
  const index = indexName(place.root);
  const before = treePrint(place, index);
  const stands = await standing(place);
  const after = treePrint(place, index);
  if (before === null || after === null || before.print !== after.print || !stands.ok) return null;
  const { outcome } = stands.value;
  if ((outcome.exitCode === 0) !== (verdict.kind === 'holds')) return null;
  if (JSON.stringify(stands.value.traces) !== JSON.stringify(traces)) return null;
  // What no look has taken in may be anything. A repository in the repository is never among the files that are
  // withheld, since git ends its name with a slash: from its first commit on it is part of the change.
  const withheld = new Set<string>(outcome.withheld.map(({ path }) => path));
  if (!after.untracked.every((path) => withheld.has(path))) return null;
  return { index, print: after.print, traces, verdict };
}
