import type { SnapshotId } from '../domain/brand.ts';
import type { CheckGate, GateId } from '../domain/gate.ts';
import { lastLines } from '../domain/last-lines.ts';
import type { CheckEnd, Comparison, GateName } from '../domain/ports.ts';
import type { CheckReceipt } from '../domain/receipt.ts';
import type { CheckRecord } from '../domain/record.ts';
import { done, type Result } from '../domain/result.ts';
import type { CheckOutcome, GateReason } from '../domain/run.ts';
import { checkLog, tellCheckEnd } from '../text/check.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';

/** How a check ended. */
export type RanCheck = {
  readonly gate: CheckGate;
  readonly status: 'pass' | 'fail' | 'error';
  readonly why: GateReason;
  readonly outcome: CheckOutcome;
};

type CheckRun = {
  readonly gates: readonly CheckGate[];
  readonly iteration: number;
  readonly comparison: Comparison;
  readonly names: ReadonlyMap<GateId, GateName>;
  /** The tree before the first of them. */
  readonly tree: SnapshotId;
};

/**
 * Runs checks one after the other. A check passes for the tree before it; if they changed the tree, they run once more
 * on what they made of it.
 */
export async function runChecks(
  ports: RunPorts,
  request: RunRequest,
  checks: CheckRun,
  takeTree: () => Promise<Result<SnapshotId>>,
): Promise<Result<readonly RanCheck[]>> {
  let { tree } = checks;
  for (let round = 1; ; round++) {
    const once = await runOnce(ports, request, { ...checks, tree }, takeTree);
    if (!once.ok) return once;
    const { ran, after, isSteady } = once.value;
    if (isSteady) {
      const vouched = await vouch(ports, ran, tree);
      return vouched.ok ? done(ran) : vouched;
    }
    if (ran.some(({ status }) => status !== 'pass')) return done(ran);
    tree = after;
    if (round === 2) return done(ran.map(keepsChanging));
  }
}

/** A pass counts for a tree that stayed as it was while the checks ran. */
async function vouch(ports: RunPorts, ran: readonly RanCheck[], tree: SnapshotId): Promise<Result<void>> {
  for (const check of ran) {
    if (check.status !== 'pass') continue;
    const written = await writeReceipt(ports, check, tree, 'pass');
    if (!written.ok) return written;
  }
  return done(undefined);
}

function writeReceipt(
  ports: RunPorts,
  { gate }: RanCheck,
  tree: SnapshotId,
  verdict: CheckReceipt['verdict'],
): Promise<Result<void>> {
  const at = ports.clock.now().toISOString();
  return ports.receipts.writeCheck({ gate: gate.id, command: gate.command, tree, verdict, at });
}

function keepsChanging(check: RanCheck): RanCheck {
  return { ...check, status: 'error', why: 'check-keeps-changing-files' };
}

/** One round of the checks: how each ended, the tree after them, and whether it was the same after every one. */
type Round = { readonly ran: readonly RanCheck[]; readonly after: SnapshotId; readonly isSteady: boolean };

async function runOnce(
  ports: RunPorts,
  request: RunRequest,
  checks: CheckRun,
  takeTree: () => Promise<Result<SnapshotId>>,
): Promise<Result<Round>> {
  const ran: RanCheck[] = [];
  let after = checks.tree;
  let isSteady = true;
  for (const gate of checks.gates) {
    ports.reporter.tell({ kind: 'check-started', gate: gate.id, command: gate.command });
    const end = await ports.checks.run(gate.command, {
      timeoutSeconds: secondsFor(gate, request),
      env: { ONCEOVER_ENTRY: gate.entry },
      stop: request.stop,
    });
    const check = judge(gate, end, secondsFor(gate, request));
    ports.reporter.tell({
      kind: 'check-ended',
      gate: gate.id,
      status: check.status,
      why: check.status === 'pass' ? null : tellCheckEnd(end, secondsFor(gate, request)),
      durationMs: end.durationMs,
    });
    ran.push(check);
    if (end.ending === 'cancelled') return done({ ran, after, isSteady: false });
    // What passed this tree before is outweighed at once, whatever becomes of the run.
    const outweighed = check.status === 'fail' ? await writeReceipt(ports, check, after, 'fail') : done(undefined);
    if (!outweighed.ok) return outweighed;
    const kept = await keep(ports, request, checks, check, end);
    if (!kept.ok) return kept;
    const tree = await takeTree();
    if (!tree.ok) return tree;
    after = tree.value;
    // What one check writes and the next puts back was seen by the second as it never was.
    if (after !== checks.tree) isSteady = false;
  }
  return done({ ran, after, isSteady });
}

/** Exit code 0 is a pass; another one, a signal or the time limit is a failure; not to have run is an error. */
function judge(gate: CheckGate, end: CheckEnd, seconds: number): RanCheck {
  const outcome: CheckOutcome = {
    command: gate.command,
    exitCode: end.exitCode,
    overtime: end.ending === 'timeout' ? seconds : null,
    durationMs: end.durationMs,
    tail: lastLines(end.output),
  };
  if (end.ending === 'by-itself' && end.exitCode === 0) return { gate, status: 'pass', why: 'passed', outcome };
  if (end.ending === 'cancelled') return { gate, status: 'error', why: 'interrupted', outcome };
  if (end.ending === 'not-started') return { gate, status: 'error', why: 'check-broken', outcome };
  return { gate, status: 'fail', why: 'check-failed', outcome };
}

function secondsFor(gate: CheckGate, request: RunRequest): number {
  return gate.timeoutSeconds ?? request.settings.timeoutSeconds;
}

async function keep(
  ports: RunPorts,
  request: RunRequest,
  { iteration, comparison, names, tree }: CheckRun,
  { gate, status }: RanCheck,
  end: CheckEnd,
): Promise<Result<void>> {
  const at = ports.clock.now().toISOString();
  const why = status === 'pass' ? null : tellCheckEnd(end, secondsFor(gate, request));
  const record: CheckRecord = {
    gate: gate.id,
    iteration,
    timestamp: at,
    status,
    command: gate.command,
    exitCode: end.exitCode,
    durationMs: Math.round(end.durationMs),
    tree,
    ...comparison.where,
    scope: comparison.scope.key,
    why,
  };
  const name = names.get(gate.id);
  return name === undefined ? done(undefined) : ports.records.writeCheck(record, name, checkLog(record, end.output));
}
