import type { SnapshotId } from '../domain/brand.ts';
import type { KnownFinding, Resolution } from '../domain/finding.ts';
import type { Fix, LoopEnd, LoopOutcome, LoopRound } from '../domain/loop.ts';
import type { Reviewers } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { RunOutcome } from '../domain/run.ts';
import { addUsage } from '../domain/usage.ts';
import { findingKey } from '../plan/finding-key.ts';
import { loopEnd, type RoundFacts } from '../plan/loop-end.ts';
import type { FixTask } from '../prompt/fix.ts';
import { askFixer, type FixerEnd, type FixerSession } from './ask-fixer.ts';
import { type Budget, openBudget } from './budget.ts';
import { leftOut } from './read-run.ts';
import { executeRun } from './run.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';

export type LoopRequest = {
  readonly fixer: string;
  /** Null: as many as the settings allow a gate to fail, and one. */
  readonly mostIterations: number | null;
  /** Whether settings, rules and prompts are still those that the loop began with. */
  isSameConfig(): Promise<boolean>;
};

type Loop = {
  readonly ports: RunPorts;
  readonly request: RunRequest;
  readonly wish: LoopRequest;
  readonly reviewers: Reviewers;
  readonly budget: Budget;
};

/** Review, fix, review: until every gate holds, or going on would be no use. */
export async function untilPass(ports: RunPorts, request: RunRequest, wish: LoopRequest): Promise<Result<LoopOutcome>> {
  const reviewers = await ports.reviewers();
  if (!reviewers.found.includes(wish.fixer)) {
    return failed({ kind: 'unknown-agent', name: wish.fixer, known: reviewers.found });
  }
  const budget = openBudget(request.settings.budget);
  const loop: Loop = { ports, request, wish, reviewers, budget };
  const rounds: LoopRound[] = [];
  const facts: RoundFacts[] = [];
  let session: FixerSession | null = null;
  for (;;) {
    const before = budget.dispatches();
    const tree = await treeNow(loop);
    if (!tree.ok) return tree;
    const ran = await executeRun(ports, request, budget);
    if (!ran.ok) return ran;
    const run = ran.value;
    const open = openOf(run);
    facts.push(factsOf(run, open, tree.value));
    const round = roundOf(run, open, rounds.at(-1), budget.dispatches() - before);
    const stopped = request.stop?.aborted === true ? 'interrupted' : null;
    const end = stopped ?? loopEnd(facts, wish.mostIterations ?? request.settings.maxRetries + 1);
    if (end !== null) return done(outcomeOf(end, [...rounds, round], run, budget));
    const fixed = await fix(loop, run, open, session, rounds.length + 1);
    if (!fixed.ok) return fixed;
    rounds.push({ ...round, fix: fixed.value.fix });
    if (fixed.value.end !== null) return done(outcomeOf(fixed.value.end, rounds, run, budget));
    ({ session } = fixed.value);
  }
}

type Fixed = {
  readonly fix: Fix | null;
  readonly session: FixerSession | null;
  /** Null: the loop goes on. */
  readonly end: LoopEnd | null;
};

/** One turn of the fixer, with what came of it. */
async function fix(
  loop: Loop,
  run: RunOutcome,
  open: readonly KnownFinding[],
  session: FixerSession | null,
  round: number,
): Promise<Result<Fixed>> {
  const { ports, request, wish, reviewers, budget } = loop;
  const task = taskOf(run, open);
  const before = await treeNow(loop);
  if (!before.ok) return before;
  const agent = wish.fixer;
  const dispatch = session === null ? 'fresh' : 'resumed';
  const counts = { findings: task.findings.length, checks: task.checks.length };
  ports.reporter.tell({ kind: 'fix-started', round, agent, dispatch, ...counts });
  const end = await askFixer({ ports, request, reviewers, budget, agent, task, session });
  const changed = await changedSince(loop, before.value);
  if (!changed.ok) return changed;
  const told = fixOf(end, agent, changed.value, task);
  ports.reporter.tell({ kind: 'fix-ended', agent, fix: told });
  if (request.stop?.aborted === true) return done({ fix: told, session: null, end: 'interrupted' });
  if (end.failure === 'budget') return done({ fix: null, session: null, end: 'budget' });
  if (!(await wish.isSameConfig())) return done({ fix: told, session: null, end: 'gate-changed' });
  if (end.failure !== null) return done({ fix: told, session: null, end: 'fixer-failed' });
  const kept = await keepWords(loop, end, open, run.iteration);
  return kept.ok ? done({ fix: told, session: end.session, end: null }) : kept;
}

function openOf({ findings }: RunOutcome): readonly KnownFinding[] {
  return findings.filter(({ state }) => state === 'open' || state === 'fixed_claimed').map(({ finding }) => finding);
}

function failingChecks({ gates }: RunOutcome) {
  return gates.filter(({ kind, status }) => kind === 'check' && status === 'fail');
}

function factsOf(run: RunOutcome, open: readonly KnownFinding[], tree: SnapshotId): RoundFacts {
  const { status, exitCode } = run;
  return { status, exitCode, tree, open: [...open.map(findingKey), ...failingChecks(run).map(({ id }) => id)] };
}

function roundOf(
  run: RunOutcome,
  findings: readonly KnownFinding[],
  before: LoopRound | undefined,
  dispatches: number,
): LoopRound {
  const open = findings.map(({ id }) => id);
  return {
    iteration: run.iteration,
    status: run.status,
    open,
    closed: before?.open.filter((id) => !open.includes(id)).length ?? 0,
    added: open.filter((id) => !(before?.open ?? []).includes(id)).length,
    failingChecks: failingChecks(run).map(({ id }) => id),
    dispatches,
    usage: run.usage,
    saved: run.saved,
    fix: null,
  };
}

function taskOf(run: RunOutcome, open: readonly KnownFinding[]): FixTask {
  return {
    findings: open.map(({ id, priority, file, line, code, issue, fix, resolution }) => ({
      id,
      priority,
      file,
      line,
      code,
      issue,
      fix,
      refuted: refutedWord(resolution),
    })),
    checks: failingChecks(run).map(({ id, check }) => ({
      id,
      command: check?.command ?? '',
      output: check?.tail ?? '',
    })),
  };
}

function refutedWord(resolution: Resolution | null): string | null {
  if (resolution === null || resolution.why === '') return null;
  return resolution.how === 'refuted' || resolution.how === 'disputed' ? resolution.why : null;
}

function fixOf(end: FixerEnd, agent: string, filesChanged: number, task: FixTask): Fix {
  const given = new Set(task.findings.map(({ id }) => id));
  const words = (end.answer?.dispositions ?? []).filter(({ id }) => given.has(id));
  return {
    agent,
    dispatch: end.dispatch,
    summary: end.answer?.summary ?? '',
    fixed: words.filter(({ state }) => state === 'fixed').map(({ id }) => id),
    declined: words.filter(({ state }) => state === 'declined').map(({ id }) => id),
    filesChanged,
    usage: end.usage,
    durationMs: end.durationMs,
    failure: end.failure === 'budget' ? null : end.failure,
  };
}

/** Keeps what the fixer says of the findings: claims and objections, which reviewers decide about. It can waive nothing. */
async function keepWords(
  { ports }: Loop,
  { answer }: FixerEnd,
  open: readonly KnownFinding[],
  iteration: number | null,
): Promise<Result<void>> {
  for (const { id, state, why } of answer?.dispositions ?? []) {
    if (!open.some((finding) => finding.id === id)) continue;
    const resolution: Resolution = {
      how: state === 'fixed' ? 'fixed' : 'disputed',
      why,
      at: ports.clock.now().toISOString(),
      iteration: iteration ?? 0,
    };
    const kept = await ports.findings.resolve(id, resolution);
    if (!kept.ok) return kept;
  }
  return done(undefined);
}

async function treeNow({ ports, request }: Loop): Promise<Result<SnapshotId>> {
  const compared = await ports.snapshots.compare(request.selection, request.settings.base);
  if (!compared.ok) return compared;
  const taken = await ports.snapshots.take(compared.value, leftOut(request.settings));
  return taken.ok ? taken.value.tree() : taken;
}

async function changedSince(loop: Loop, before: SnapshotId): Promise<Result<number>> {
  const now = await treeNow(loop);
  if (!now.ok) return now;
  if (now.value === before) return done(0);
  const sections = await loop.ports.snapshots.sections(before, now.value, 0);
  return sections.ok ? done(new Set(sections.value.flatMap(({ paths }) => paths)).size) : sections;
}

/** The last review, with what all rounds have paid and saved. */
function outcomeOf(end: LoopEnd, rounds: readonly LoopRound[], run: RunOutcome, budget: Budget): LoopOutcome {
  const used = rounds.flatMap(({ usage, fix: own }) => [usage, own?.usage ?? null]);
  const sum = (lever: keyof RunOutcome['saved']) => rounds.reduce((total, { saved }) => total + saved[lever], 0);
  return {
    end,
    rounds,
    run: {
      ...run,
      usage: used.reduce((total, one) => addUsage(total, one), null),
      dispatches: budget.dispatches(),
      saved: { pass: sum('pass'), slot: sum('slot'), session: sum('session'), prefix: sum('prefix') },
    },
  };
}
