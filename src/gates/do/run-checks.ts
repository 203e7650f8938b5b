import { lastLines } from '../../kernel/escape.ts';
import type { SnapshotId } from '../../kernel/ids.ts';
import type { CheckEnd } from '../../kernel/ports.ts';
import { forEachOk, ok, type Result } from '../../kernel/result.ts';
import { checkLog, describeCheckEnd } from '../describe/reasons.ts';
import type { CheckActions } from '../judge/judge-run.ts';
import type { RunContext, RunFacts, RunPorts } from '../ports.ts';
import type { CheckRecord } from '../record-types.ts';
import type { CheckOutcome } from '../run-types.ts';
import type { CheckGate, CheckReceipt } from '../types.ts';

type RanCheck = CheckActions & { readonly gate: CheckGate };

type CheckRun = Pick<RunFacts, 'comparison' | 'names'> & {
  readonly gates: readonly CheckGate[];
  readonly iteration: number;
  /** The tree before the first check. */
  readonly tree: SnapshotId;
};

/**
 * Runs the checks one after the other. If all pass but change files, they run a second time on the changed tree. A pass
 * is recorded only for a tree that no check changed.
 */
export async function runChecks(
  run: RunContext,
  checks: CheckRun,
  takeTree: () => Promise<Result<SnapshotId>>,
): Promise<Result<readonly RanCheck[]>> {
  let { tree } = checks;
  for (let round = 1; ; round++) {
    const once = await runOnce(run, { ...checks, tree }, takeTree);
    if (!once.ok) return once;
    const { ran, after, isSteady } = once.value;
    if (isSteady) {
      const passed = ran.filter(({ status }) => status === 'pass');
      const written = await forEachOk(passed, ({ gate }) => writeReceipt(run.ports, gate, tree, 'pass'));
      return written.ok ? ok(ran) : written;
    }
    if (ran.some(({ status }) => status !== 'pass')) return ok(ran);
    tree = after;
    if (round === 2) return ok(ran.map((check) => ({ ...check, status: 'error', why: 'check-keeps-changing-files' })));
  }
}

function writeReceipt(
  ports: RunPorts,
  gate: CheckGate,
  tree: SnapshotId,
  verdict: CheckReceipt['verdict'],
): Promise<Result<void>> {
  const at = ports.clock.now().toISOString();
  return ports.receipts.write('check', { gate: gate.id, command: gate.command, tree, verdict, at });
}

/** One round of the checks. `isSteady`: whether the tree was the same after every check. */
type Round = { readonly ran: readonly RanCheck[]; readonly after: SnapshotId; readonly isSteady: boolean };

async function runOnce(
  { ports, request }: RunContext,
  checks: CheckRun,
  takeTree: () => Promise<Result<SnapshotId>>,
): Promise<Result<Round>> {
  const ran: RanCheck[] = [];
  let after = checks.tree;
  let isSteady = true;
  for (const gate of checks.gates) {
    ports.reporter.tell({ kind: 'check-started', gate: gate.id, command: gate.command });
    const timeoutSeconds = gate.timeoutSeconds ?? request.settings.timeoutSeconds;
    const env = { ONCEOVER_ENTRY: gate.entry };
    const end = await ports.checks.run(gate.command, { timeoutSeconds, env, stop: request.stop });
    const check = judge(gate, end, timeoutSeconds);
    const { status } = check;
    const { why } = check.outcome;
    ports.reporter.tell({ kind: 'check-ended', gate: gate.id, status, why, durationMs: end.durationMs });
    ran.push(check);
    if (end.ending === 'cancelled') return ok({ ran, after, isSteady: false });
    // A failure replaces an earlier pass on this tree at once, so that it counts even if the run is interrupted later.
    const revoked = status === 'fail' ? await writeReceipt(ports, gate, after, 'fail') : ok(undefined);
    if (!revoked.ok) return revoked;
    const recorded = await recordCheck(ports, checks, { gate, status, why, end });
    if (!recorded.ok) return recorded;
    const tree = await takeTree();
    if (!tree.ok) return tree;
    after = tree.value;
    // Even if a later check restores a file that an earlier one changed, some check ran on another tree than the final
    // one.
    if (after !== checks.tree) isSteady = false;
  }
  return ok({ ran, after, isSteady });
}

/**
 * Returns a check's result: exit code 0 passes; another code, a signal or a timeout fails; a check that was stopped or
 * could not start is an error.
 */
function judge(gate: CheckGate, end: CheckEnd, seconds: number): RanCheck {
  const isPass = end.ending === 'by-itself' && end.exitCode === 0;
  const outcome: CheckOutcome = {
    command: gate.command,
    exitCode: end.exitCode,
    why: isPass ? null : describeCheckEnd(end, seconds),
    durationMs: end.durationMs,
    tail: lastLines(end.output),
  };
  if (isPass) return { gate, status: 'pass', why: 'passed', outcome };
  if (end.ending === 'cancelled') return { gate, status: 'error', why: 'interrupted', outcome };
  if (end.ending === 'not-started') return { gate, status: 'error', why: 'check-broken', outcome };
  return { gate, status: 'fail', why: 'check-failed', outcome };
}

async function recordCheck(
  ports: RunPorts,
  { iteration, comparison, names, tree }: CheckRun,
  { gate, status, why, end }: Pick<RanCheck, 'gate' | 'status'> & Pick<CheckRecord, 'why'> & { readonly end: CheckEnd },
): Promise<Result<void>> {
  const record: CheckRecord = {
    gate: gate.id,
    iteration,
    timestamp: ports.clock.now().toISOString(),
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
