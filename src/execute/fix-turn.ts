import type { SnapshotId } from '../domain/brand.ts';
import type { KnownFinding, Resolution } from '../domain/finding.ts';
import type { Entry } from '../domain/gate.ts';
import { leftOut } from '../domain/left-out.ts';
import type { Fix, LoopEnd } from '../domain/loop.ts';
import type { Comparison, Proof, Reviewers } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { RunNotice, RunOutcome } from '../domain/run.ts';
import { failingChecks, openFindings } from '../plan/loop-round.ts';
import { droppedFiles, isSameMeasure } from '../plan/same-measure.ts';
import type { FixTask } from '../prompt/fix.ts';
import { fixLog } from '../text/fix-log.ts';
import { askFixer, type FixerEnd, type FixerSession } from './ask-fixer.ts';
import type { Budget } from './budget.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';

/** What stays the same over a loop. */
export type Loop = {
  readonly ports: RunPorts;
  readonly request: RunRequest;
  readonly fixer: string;
  readonly reviewers: Reviewers;
  readonly budget: Budget;
  readonly proof: Proof;
  /** Whether settings, rules, prompts and agents are still those that the loop began with. */
  isSameConfig(): Promise<boolean>;
};

/** The change at one moment. */
export type Sight = {
  readonly comparison: Comparison;
  readonly entries: readonly Entry[];
  readonly tree: SnapshotId;
};

/** What came of a fixer's turn. */
export type FixTurn = {
  /** Null: it was not asked, for the budget is used up. */
  readonly fix: Fix | null;
  readonly session: FixerSession | null;
  readonly after: Sight;
  /** Null: the loop goes on. */
  readonly end: LoopEnd | null;
  readonly notices: readonly RunNotice[];
};

/** Has the fixer mend what a review left open; its word is kept, its work judged by nobody yet. */
export async function takeTurn(
  loop: Loop,
  run: RunOutcome,
  at: { readonly round: number; readonly session: FixerSession | null },
): Promise<Result<FixTurn>> {
  const { ports, request, fixer: agent } = loop;
  const { session, round } = at;
  const open = openFindings(run);
  const task = taskOf(run, open);
  const before = await look(loop);
  if (!before.ok) return before;
  if (loop.budget.over() !== null) {
    return done({ fix: null, session: null, after: before.value, end: 'budget', notices: [] });
  }
  ports.reporter.tell({
    kind: 'fix-started',
    round,
    agent,
    dispatch: session === null ? 'fresh' : 'resumed',
    findings: task.findings.length,
    checks: task.checks.length,
  });
  const noted = await loop.proof.note();
  const end = await askFixer({ ...loop, agent, task, session });
  // Before anything is looked at: what is believed later on must not be the fixer's word either.
  const taken = await noted.takeBack();
  if (!taken.ok) return taken;
  const after = await look(loop);
  if (!after.ok) return after;
  const filesChanged = await changedFiles(loop, before.value, after.value);
  if (!filesChanged.ok) return filesChanged;
  const fix = fixOf(end, agent, filesChanged.value, open);
  ports.reporter.tell({ kind: 'fix-ended', agent, fix });
  const asked = [...task.findings, ...task.checks].map(({ id }) => id);
  const log = fixLog(fix, { round, iteration: run.iteration, asked }, end.exchanges);
  const logged = await ports.records.writeFixLog(agent, run.iteration ?? 0, log);
  if (!logged.ok) return logged;
  const notices: readonly RunNotice[] = [
    ...(taken.value.length === 0 ? [] : [{ kind: 'proof-taken-back', paths: taken.value } as const]),
    ...(await noteCost(loop, end, after.value)),
  ];
  const turn = { fix, session: null, after: after.value, notices };
  if (request.stop?.aborted === true) return done({ ...turn, end: 'interrupted' });
  if (await isMeasuredOtherwise(loop, before.value, after.value)) return done({ ...turn, end: 'gate-changed' });
  if (end.failure === 'budget') return done({ ...turn, end: 'budget' });
  if (end.failure !== null) return done({ ...turn, end: 'fixer-failed' });
  const kept = await keepWords(loop, end, open, run.iteration);
  return kept.ok ? done({ ...turn, session: end.session, end: null }) : kept;
}

/** The change as it is now. */
export async function look({ ports, request }: Pick<Loop, 'ports' | 'request'>): Promise<Result<Sight>> {
  const comparison = await ports.snapshots.compare(request.selection, request.settings.base);
  if (!comparison.ok) return comparison;
  const taken = await ports.snapshots.take(comparison.value, leftOut(request.settings));
  if (!taken.ok) return taken;
  const tree = await taken.value.tree();
  if (!tree.ok) return tree;
  return done({ comparison: comparison.value, entries: taken.value.entries, tree: tree.value });
}

/** Whether the fixer has changed what it is judged by, or what is looked at. */
async function isMeasuredOtherwise(loop: Loop, before: Sight, after: Sight): Promise<boolean> {
  if (!isSameMeasure(before.comparison, after.comparison) || !(await loop.isSameConfig())) return true;
  const contents = loop.ports.contents();
  for (const path of droppedFiles(before.entries, after.entries)) {
    if ((await contents.exists(path)) === 'file') return true;
  }
  return false;
}

async function changedFiles({ ports }: Loop, before: Sight, after: Sight): Promise<Result<number>> {
  if (after.tree === before.tree) return done(0);
  const sections = await ports.snapshots.sections(before.tree, after.tree, 0);
  return sections.ok ? done(new Set(sections.value.flatMap(({ paths }) => paths)).size) : sections;
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
      objection: resolution?.how === 'disputed' && resolution.why !== '' ? resolution.why : null,
    })),
    checks: failingChecks(run).map(({ id, check }) => ({
      id,
      command: check?.command ?? '',
      output: check?.tail ?? '',
    })),
  };
}

type Word = { readonly id: string; readonly state: 'fixed' | 'declined'; readonly why: string };

/** What it says of findings that it was given; where it says several things of one, the last counts. */
function wordsOf({ answer }: FixerEnd, open: readonly KnownFinding[]): readonly Word[] {
  const given = new Set(open.map(({ id }) => id));
  const words = new Map((answer?.dispositions ?? []).map((word) => [word.id.trim().toUpperCase(), word]));
  return [...words].filter(([id]) => given.has(id)).map(([id, { state, why }]) => ({ id, state, why }));
}

function fixOf(end: FixerEnd, agent: string, filesChanged: number, open: readonly KnownFinding[]): Fix {
  const words = wordsOf(end, open);
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

const LONGEST_WORD = 2000;

/** Keeps what the fixer says of the findings: claims and objections, which reviewers decide about. It can waive nothing. */
async function keepWords(
  { ports }: Loop,
  end: FixerEnd,
  open: readonly KnownFinding[],
  iteration: number | null,
): Promise<Result<void>> {
  for (const { id, state, why } of wordsOf(end, open)) {
    const resolution: Resolution = {
      how: state === 'fixed' ? 'fixed' : 'disputed',
      why: why.slice(0, LONGEST_WORD),
      at: ports.clock.now().toISOString(),
      iteration: iteration ?? 0,
    };
    const kept = await ports.findings.resolve(id, resolution);
    if (!kept.ok) return kept;
  }
  return done(undefined);
}

/** What the turn cost is worth a word where it cannot be written down, and does not end the loop. */
async function noteCost(
  { ports, request, fixer }: Loop,
  { model, dispatch, exchanges, usage, durationMs }: FixerEnd,
  { comparison }: Sight,
): Promise<readonly RunNotice[]> {
  const kept = await ports.ledger.add({
    kind: 'fix',
    at: ports.clock.now().toISOString(),
    durationMs: Math.round(durationMs),
    startedBy: request.startedBy,
    branch: comparison.where.branch,
    agent: fixer,
    model,
    dispatch,
    asks: exchanges.length,
    usage,
  });
  return kept.ok ? [] : [{ kind: 'not-in-ledger', failure: kept.failure }];
}
