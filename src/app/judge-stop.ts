import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../domain/change.ts';
import { isRecord } from '../domain/is-record.ts';
import { done, type Result } from '../domain/result.ts';
import type { Rule } from '../domain/rule.ts';
import type { RunOutcome } from '../domain/run.ts';
import type { StopAnswer, StopMemory, StopRequest, StopVerdict } from '../domain/stop.ts';
import { previewRun } from '../execute/run.ts';
import { findPlace } from '../io/place.ts';
import { trace, treePrint } from '../io/tree-print.ts';
import { isAskedAlready } from '../plan/asked-already.ts';
import { decideStop } from '../plan/decide-stop.ts';
import { readMemory, withSession, writeMemory } from '../stores/stop-memory.ts';
import { tellFailure } from '../text/failure.ts';
import { type FailingGate, tellStillRunning, tellStopReason } from '../text/stop-reason.ts';
import { NOBODY, openRun } from './run.ts';
import { getRun, type StartedRun, startRun } from './started-run.ts';

/** Answers an agent that wants to stop by what the gates say, running them where they have not been asked yet. */
export async function judgeStop(request: StopRequest): Promise<StopAnswer> {
  const place = await findPlace(request.cwd);
  // An agent may work anywhere; where there is no repository there are no gates.
  if (!place.ok && place.failure.kind === 'not-a-repository') return { kind: 'let-go', message: null };
  const judged = place.ok
    ? await judge(place.value, request.deadlineSeconds)
    : unjudged(tellFailure(place.failure).what);
  if (!place.ok) return decideStop(judged, null).answer;
  const memory = readMemory(place.value);
  const { answer, blocks } = decideStop(judged, memory.sessions[request.session] ?? null);
  const kept = await keepable(place.value, judged);
  writeMemory(place.value, { ...withSession(memory, request.session, blocks), judged: kept });
  return answer;
}

const unjudged = (why: string): StopVerdict => ({ kind: 'unjudged', why });

async function judge(place: Place, deadlineSeconds: number): Promise<StopVerdict> {
  const until = Date.now() + deadlineSeconds * 1000;
  for (;;) {
    const stands = await standing(place);
    if (!stands.ok) return unjudged(tellFailure(stands.failure).what);
    if (stands.value.outcome.exitCode === 0) return { kind: 'holds' };
    if (stands.value.asked) return fails(stands.value.outcome, []);
    const ran = await runGates(place, until);
    if (!ran.ok) return unjudged(`${tellFailure(ran.failure).what} ${tellFailure(ran.failure).next}`);
    const run = ran.value;
    if (run.state === 'running') {
      return { kind: 'fails', open: [STILL_RUNNING], reason: tellStillRunning(run.progress) };
    }
    const told = readAnswer(run);
    if (told.kind === 'unjudged') return unjudged(told.why);
    const after = await standing(place);
    if (!after.ok) return unjudged(tellFailure(after.failure).what);
    if (after.value.outcome.exitCode === 0) return { kind: 'holds' };
    // It passed, and is not what is there any more: that has to be looked at too.
    if (told.kind === 'judged' && told.exitCode === 0 && Date.now() < until) continue;
    if (told.kind === 'busy') {
      if (Date.now() >= until) return { kind: 'fails', open: [STILL_RUNNING], reason: tellStillRunning([]) };
      await sleep(BUSY_PAUSE_MS);
      continue;
    }
    if (told.exitCode === 3) return unjudged(told.gates.map(({ id, detail }) => `${id}: ${detail}`).join('; '));
    return fails(after.value.outcome, told.gates);
  }
}

const STILL_RUNNING = 'a run that goes on';
const BUSY_PAUSE_MS = 1000;

function fails({ findings }: RunOutcome, gates: readonly FailingGate[]): StopVerdict {
  const open = findings.filter(({ state }) => state === 'open' || state === 'fixed_claimed');
  const names = [...open.map(({ finding }) => finding.id), ...gates.map(({ id }) => id)];
  return { kind: 'fails', open: names, reason: tellStopReason(open, gates) };
}

/** Waits for the run that is going on, or starts one. */
async function runGates(place: Place, until: number): Promise<Result<StartedRun>> {
  const seconds = () => Math.max(0, (until - Date.now()) / 1000);
  const going = await getRun(place, null, 0);
  const started =
    going.ok && going.value.state === 'running' ? going : await startRun(place, { paths: [], gate: null });
  return started.ok ? getRun(place, started.value.id, seconds()) : started;
}

type Told =
  | { readonly kind: 'judged'; readonly exitCode: number; readonly gates: readonly FailingGate[] }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unjudged'; readonly why: string };

/** What a run's document, which another process of ours wrote, comes to. */
function readAnswer({ state, answer, progress }: StartedRun): Told {
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
    gates: gates
      .filter(
        ({ kind, status, why }) =>
          status === 'error' || (status === 'fail' && kind === 'check') || why === 'retry-limit',
      )
      .map(({ id, detail, output }) => ({
        id: String(id),
        detail: String(detail),
        output: typeof output === 'string' ? output : null,
      })),
  };
}

type Standing = {
  readonly outcome: RunOutcome;
  /** Whether all that a run would ask has been asked. */
  readonly asked: boolean;
  readonly traces: Readonly<Record<string, string>>;
};

/** Where the gates stand on what is there now, and what that depends on beside the working tree. */
async function standing(place: Place): Promise<Result<Standing>> {
  const opened = await openRun(place, { ...NOBODY, selection: { kind: 'change', base: null } });
  if (!opened.ok) return opened;
  const { ports, request } = opened.value;
  const files = ['onceover.yml', request.settings.logDir, ...request.rubrics.keys(), ...ruleFiles(request.rules)];
  const paths = [...files.map((file) => join(place.root, file)), ...STORES.map((name) => join(place.commonDir, name))];
  const before = tracesOf(paths);
  const previewed = await previewRun(ports, request);
  if (!previewed.ok) return previewed;
  const { outcome, plan, facts } = previewed.value;
  const refs = ['heads', 'remotes', 'tags'].map((kind) => join(place.commonDir, 'refs', kind, outcome.baseName ?? ''));
  return done({ outcome, asked: isAskedAlready(plan, facts.checks), traces: { ...before, ...tracesOf(refs) } });
}

const STORES = ['onceover/findings', 'onceover/receipts', 'onceover/trusted.json', 'packed-refs', 'reftable', 'config'];

function ruleFiles(rules: readonly Rule[]): string[] {
  return [...new Set(rules.map(({ source }) => source.file))];
}

function tracesOf(paths: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(paths.map((path) => [path, trace(path)]));
}

/** The verdict with what it is about, where that can be told: it is looked at once more between two equal prints. */
async function keepable(place: Place, verdict: StopVerdict): Promise<StopMemory['judged']> {
  if (verdict.kind === 'fails' && verdict.open.includes(STILL_RUNNING)) return null;
  const before = treePrint(place);
  const stands = await standing(place);
  const after = treePrint(place);
  if (before === null || after === null || before.print !== after.print || !stands.ok) return null;
  const { outcome, traces } = stands.value;
  const withheld = new Set<string>(outcome.withheld.map(({ path }) => path));
  // What no look has taken in may be anything.
  if (!after.untracked.every((path) => withheld.has(path.replace(/\/$/, '')))) return null;
  if ((outcome.exitCode === 0) !== (verdict.kind === 'holds')) return null;
  return { print: after.print, traces, verdict };
}
