import { lastLines } from '../../kernel/escape.ts';
import type { GateId, SnapshotId } from '../../kernel/ids.ts';
import type { CheckEnd } from '../../kernel/ports.ts';
import type { Comparison } from '../../kernel/repository.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { checkLog, describeCheckEnd } from '../describe/reasons.ts';
import type { RunPorts, RunRequest } from '../ports.ts';
import type { CheckRecord, GateName } from '../record-types.ts';
import type { CheckOutcome, GateReason } from '../run-types.ts';
import type { CheckGate, CheckReceipt } from '../types.ts';

/** The result of a check. */
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
  /** The tree before the first check. */
  readonly tree: SnapshotId;
};

/**
 * Runs the checks one after the other. A pass counts for the tree before the checks. If the checks changed the tree and
 * all passed, they run a second time on the changed tree.
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
      const written = await writePasses(ports, ran, tree);
      return written.ok ? ok(ran) : written;
    }
    if (ran.some(({ status }) => status !== 'pass')) return ok(ran);
    tree = after;
    if (round === 2) return ok(ran.map((check) => ({ ...check, status: 'error', why: 'check-keeps-changing-files' })));
  }
}

/** Writes the receipts of passed checks, for a tree that no check changed. */
async function writePasses(ports: RunPorts, ran: readonly RanCheck[], tree: SnapshotId): Promise<Result<void>> {
  for (const check of ran) {
    if (check.status !== 'pass') continue;
    const written = await writeReceipt(ports, check, tree, 'pass');
    if (!written.ok) return written;
  }
  return ok(undefined);
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

/** One round of the checks. `isSteady`: the tree was the same after every check. */
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
      why: check.status === 'pass' ? null : describeCheckEnd(end, secondsFor(gate, request)),
      durationMs: end.durationMs,
    });
    ran.push(check);
    if (end.ending === 'cancelled') return ok({ ran, after, isSteady: false });
    // A failure revokes an earlier pass of this tree at once, even if the run is interrupted later.
    const revoked = check.status === 'fail' ? await writeReceipt(ports, check, after, 'fail') : ok(undefined);
    if (!revoked.ok) return revoked;
    const recorded = await recordCheck(ports, request, checks, check, end);
    if (!recorded.ok) return recorded;
    const tree = await takeTree();
    if (!tree.ok) return tree;
    after = tree.value;
    // A later check may restore a file that an earlier one changed, but it ran on another tree than the final one.
    if (after !== checks.tree) isSteady = false;
  }
  return ok({ ran, after, isSteady });
}

/** Judges a check: exit code 0 passes; another code, a signal or a timeout fails; not having run is an error. */
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

async function recordCheck(
  ports: RunPorts,
  request: RunRequest,
  { iteration, comparison, names, tree }: CheckRun,
  { gate, status }: RanCheck,
  end: CheckEnd,
): Promise<Result<void>> {
  const at = ports.clock.now().toISOString();
  const why = status === 'pass' ? null : describeCheckEnd(end, secondsFor(gate, request));
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
  return name === undefined ? ok(undefined) : ports.records.writeCheck(record, name, checkLog(record, end.output));
}
