import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '@onceover/base/kernel/failure';
import type { RepositoryPaths, StatFingerprints, WorktreePaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { isHeld } from '@onceover/base/platform/lock';
import { openFolder } from '@onceover/base/platform/private-files';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { isPullRequest } from '@onceover/repo/config/pull-request';
import { statFingerprints, statusFingerprint } from '@onceover/repo/git/fingerprints';
import { findRepository } from '@onceover/repo/git/locate';
import { indexName } from '@onceover/repo/git/private-index';
import { gitFiles } from '@onceover/repo/git/watched-files';
import { isOpen, waitsForPerson } from '../findings/types.ts';
import type { FailingGate } from '../result/describe/reasons.ts';
import { describeRunNotice } from '../result/describe/result.ts';
import { gateDocument, type RunDocument } from '../result/json.ts';
import type { RunOutcome } from '../result/types.ts';
import { getRun, type StartedRun, startRun } from '../run/background-run.ts';
import { hasNothingLeftToAsk } from '../run/decide/plan-run.ts';
import { previewGates, READ_ONLY } from '../run/open-run.ts';
import { decideStop, type StopAnswer, type StopMemory, type StopRequest, type StopVerdict } from './decide.ts';
import { describeStillRunning, describeStopReason } from './describe-block.ts';
import { countBlocks, MEMORY_FOLDER, readMemory, SNOOZED } from './memory.ts';

type CurrentStatus = {
  readonly outcome: RunOutcome;
  /**
   * Whether another run would be useless: all checks pass, and every reviewer that would run has already failed the
   * current content.
   */
  readonly asked: boolean;
  /** Fingerprints of the files, besides the changed ones, on which the status depends. */
  readonly traces: StatFingerprints;
};

async function currentStatus(place: RepositoryPaths): Promise<Result<CurrentStatus>> {
  const preview = await previewGates(place, { ...READ_ONLY, selection: { kind: 'change', base: null } });
  if (!preview.ok) return preview;
  const { request, configFiles, outcome, plan, facts } = preview.value;
  const files = await gitFiles(place, outcome.baseName, process.env);
  if (!files.ok) return files;
  const paths = [
    ...[...configFiles].map((file) => join(place.root, file)),
    `${join(place.root, request.settings.logDir)}/`,
    `${join(place.commonDir, 'onceover/findings')}/`,
    // The final slash makes the fingerprint cover each file in the folder. Otherwise, overwriting a file would not be
    // noticed.
    `${join(place.commonDir, 'onceover/receipts')}/`,
    join(place.commonDir, 'onceover/trusted.json'),
    // Reviewers do not get files that are too large. Watch them, because a file that shrinks becomes part of the
    // review.
    ...outcome.withheld.filter(({ why }) => why === 'too-large').map(({ path }) => join(place.root, path)),
    ...files.value,
  ];
  return ok({ outcome, asked: hasNothingLeftToAsk(plan, facts.checks), traces: statFingerprints(paths) });
}

/**
 * Answers an agent that wants to stop, according to the state of the gates. Runs the gates first if they have no
 * verdict yet.
 */
export async function judgeStop(request: StopRequest): Promise<StopAnswer> {
  const place = await findRepository(request.cwd);
  if (!place.ok) return outsideRepository(place.failure);
  const { verdict, traces, awaited } = await judge(place.value, request.deadlineSeconds);
  const judgement = await rememberable(place.value, verdict, traces);
  const worktree = worktreeOf(place.value);
  // Read the memory only after the run, because another session may have written to it during the run.
  const memory = readMemory(worktree);
  const decision = decideStop(verdict, memory.sessions[request.session] ?? null);
  return countBlocks(worktree, { ...memory, judged: judgement, awaited }, request.session, decision);
}

// Outside a repository there are no gates, so the agent may stop. For any other failure, the user gets a message.
function outsideRepository(failure: Failure): StopAnswer {
  if (failure.kind === 'not-a-repository' || failure.kind === 'bare-repository') return { kind: 'let-go', why: null };
  return decideStop(unjudgedVerdict(failure), null).answer;
}

function unjudgedVerdict(failure: Failure): StopVerdict & { readonly kind: 'unjudged' } {
  const { what, next } = describeFailure(failure);
  return { kind: 'unjudged', why: `${what} ${next}`.trim() };
}

function worktreeOf({ root, commonDir, index }: RepositoryPaths): WorktreePaths {
  return { root, commonDir, gitDir: dirname(index) };
}

type Judgement = {
  readonly verdict: StopVerdict;
  /** Fingerprints of the files on which the verdict depends; `null` if they are unknown. */
  readonly traces: StatFingerprints | null;
  readonly awaited: StopMemory['awaited'];
};

const CHANGING = 'files changed during the review';
const BUSY_PAUSE_MS = 500;
const MOST_ROUNDS = 3;

async function judge(place: RepositoryPaths, deadlineSeconds: number): Promise<Judgement> {
  const until = performance.now() + deadlineSeconds * 1000;
  let { awaited } = readMemory(worktreeOf(place));
  let traces: StatFingerprints | null = null;
  const toJudgement = (verdict: StopVerdict): Judgement => ({ verdict, traces, awaited: null });
  for (let round = 1; ; ) {
    const before = await currentStatus(place);
    if (!before.ok) return { ...toJudgement(unjudgedVerdict(before.failure)), traces: null };
    traces = before.value.traces;
    const { outcome, asked } = before.value;
    if (outcome.exitCode === 0 || asked) return toJudgement(verdictOf(outcome));

    const run = await runForStop(place, awaited, until);
    if (!run.ok) return toJudgement(unjudgedVerdict(run.failure));
    const { value } = run;
    if (value.kind === 'running') {
      return { verdict: stillRunning(value.progress), traces: null, awaited: value.awaited };
    }
    awaited = null;
    if (value.kind === 'busy') {
      if (performance.now() >= until) return { ...toJudgement(stillRunning([])), traces: null };
      await sleep(BUSY_PAUSE_MS);
      continue;
    }
    if (value.kind === 'unjudged') return toJudgement(value);

    const after = await currentStatus(place);
    if (!after.ok) return { ...toJudgement(unjudgedVerdict(after.failure)), traces: null };
    traces = after.value.traces;
    if (after.value.outcome.exitCode === 0) return toJudgement({ kind: 'holds' });
    const { run: runResult, isAboutThis } = value;
    // The content changed during the run, so the current content needs another run.
    if ((!isAboutThis || runResult.exit_code === 0) && round++ < MOST_ROUNDS) continue;
    const gates = failingGates(runResult.gates);
    return toJudgement(
      runResult.exit_code === 1
        ? fails(after.value.outcome, gates)
        : { kind: 'unjudged', why: `${describeGates(gates) || CHANGING}. Run "onceover run" to try again.` },
    );
  }
}

type StopRun =
  /** The run continues in the background. The next stop waits for it, unless `awaited` is `null`. */
  | { readonly kind: 'running'; readonly progress: readonly string[]; readonly awaited: StopMemory['awaited'] }
  | { readonly kind: 'busy' }
  /** `isAboutThis`: whether the working tree is still as it was when the run started; true if that is unknown. */
  | { readonly kind: 'judged'; readonly run: RunDocument; readonly isAboutThis: boolean }
  | { readonly kind: 'unjudged'; readonly why: string };

/**
 * Waits, at most until the time `until`, for the run that an earlier stop started. If there is none, starts one and
 * waits for it.
 */
async function runForStop(
  place: RepositoryPaths,
  awaitedRun: StopMemory['awaited'],
  until: number,
): Promise<Result<StopRun>> {
  const fingerprint = () => statusFingerprint(place, indexName(place.root))?.print ?? null;
  const now = fingerprint();
  const earlier = awaitedRun === null ? null : await getRun(place, awaitedRun.run, { seconds: 0 });
  const isUsable =
    earlier?.ok === true &&
    (earlier.value.state === 'running' || (earlier.value.state === 'done' && awaitedRun?.print === now));
  if (!isUsable) {
    const busy = await isHeld(place);
    if (!busy.ok || busy.value) return busy.ok ? ok({ kind: 'busy' }) : busy;
  }
  const backgroundRun = isUsable ? earlier : await startRun(place, { paths: [], gate: null });
  if (!backgroundRun.ok) return backgroundRun;
  const print = isUsable ? (awaitedRun?.print ?? null) : now;
  const { id } = backgroundRun.value;
  const run = await getRun(place, id, { seconds: Math.max(0, (until - performance.now()) / 1000) });
  if (!run.ok) return run;
  if (run.value.state === 'running') {
    const { progress } = run.value;
    return ok({ kind: 'running', progress, awaited: print === null ? null : { run: id, print } });
  }
  return ok(await readResult(run.value, print === null || fingerprint() === print));
}

async function readResult(backgroundRun: StartedRun, isAboutThis: boolean): Promise<StopRun> {
  // Import this only here: loading the schemas of results would slow down calls of the hook that start no run.
  const { startedRunDocument } = await import('../result/describe/background.ts');
  const { state, run, error, progress } = startedRunDocument(backgroundRun);
  if (error !== null) return { kind: 'unjudged', why: error.message };
  if (state === 'died' || run === null) {
    return { kind: 'unjudged', why: `the run ended without a result. ${progress.at(-1) ?? ''}`.trim() };
  }
  return run.status === 'lock_conflict' ? { kind: 'busy' } : { kind: 'judged', run, isAboutThis };
}

/** Returns the gates that failed without a finding: because of an error, a failed check, or the retry limit. */
function failingGates(gates: RunDocument['gates']): readonly FailingGate[] {
  return gates
    .filter(
      ({ kind, status, why }) => status === 'error' || (status === 'fail' && kind === 'check') || why === 'retry-limit',
    )
    .map(({ id, detail, output = null, slots }) => {
      const troubles = slots
        .filter(({ status }) => status === 'error')
        .map((slot) => `@${slot.slot} (${slot.agent ?? 'no agent'}) ${slot.detail}`);
      return { id, detail: [detail, ...troubles].join('; '), output, log: null };
    });
}

/** Returns the verdict for a status that needs no run: all gates pass, or another run would be useless. */
function verdictOf(outcome: RunOutcome): StopVerdict {
  if (outcome.exitCode === 0) return { kind: 'holds' };
  const gates = failingGates(outcome.gates.map(gateDocument));
  if (outcome.exitCode === 1) return fails(outcome, gates);
  return { kind: 'unjudged', why: describeGates(gates) || outcome.notices.map(describeRunNotice).join(' ') };
}

function describeGates(gates: readonly FailingGate[]): string {
  return gates.map(({ id, detail }) => `${id}: ${detail}`).join('; ');
}

function stillRunning(progress: readonly string[]): StopVerdict {
  return { kind: 'running', reason: describeStillRunning(progress) };
}

function fails({ findings }: RunOutcome, gates: readonly FailingGate[]): StopVerdict {
  const open = findings.filter(({ state }) => isOpen(state));
  const names = [...open.map(({ finding }) => finding.id), ...gates.map(({ id }) => id)];
  const proposedIds = open.filter(({ finding }) => waitsForPerson(finding)).map(({ finding }) => finding.id);
  return { kind: 'fails', open: names, proposed: proposedIds, reason: describeStopReason(open, gates) };
}

/**
 * Returns the verdict with fingerprints of everything on which it depends; `null` if it must not be stored. To notice
 * changes since the verdict, it reads the status again, and fingerprints the working tree before and after that.
 */
async function rememberable(
  place: RepositoryPaths,
  verdict: StopVerdict,
  traces: StatFingerprints | null,
): Promise<StopMemory['judged']> {
  if (verdict.kind === 'running' || traces === null || isPullRequest(process.env)) return null;
  const index = indexName(place.root);
  const before = statusFingerprint(place, index);
  const status = await currentStatus(place);
  const after = statusFingerprint(place, index);
  if (before === null || after === null || before.print !== after.print || !status.ok) return null;
  const { outcome } = status.value;
  if ((outcome.exitCode === 0) !== (verdict.kind === 'holds')) return null;
  if (JSON.stringify(status.value.traces) !== JSON.stringify(traces)) return null;
  // The fingerprint covers only the names of `untracked` files, so the verdict may be stored only if reviewers do not
  // get these files. git ends the name of a nested repository with a slash, so it is never in this set. That is
  // intended, because its first commit makes it part of the change.
  const withheld = new Set<string>(outcome.withheld.map(({ path }) => path));
  if (!after.untracked.every((path) => withheld.has(path))) return null;
  return { index, print: after.print, traces, verdict };
}

/**
 * Turns the stop hook of a clone off for some minutes. Returns when it will be on again; `null` if `minutes` is 0,
 * which turns it on now.
 */
export function snooze({ commonDir }: Pick<RepositoryPaths, 'commonDir'>, minutes: number): Result<Date | null> {
  const folder = openFolder(commonDir, MEMORY_FOLDER);
  const until = minutes === 0 ? null : new Date(Date.now() + minutes * 60_000);
  const writeResult = until === null ? folder.remove(SNOOZED) : folder.write(SNOOZED, `${until.getTime()}\n`);
  return writeResult.ok ? ok(until) : writeResult;
}
