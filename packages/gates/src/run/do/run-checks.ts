import { lastLines } from '@onceover/base/kernel/escape';
import type { SnapshotId } from '@onceover/base/kernel/ids';
import type { CheckEnd } from '@onceover/base/kernel/ports';
import { forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import type { CheckGate } from '../../gate-types.ts';
import { describeCheckEnd } from '../../result/describe/reasons.ts';
import { checkLog } from '../describe/check-log.ts';
import type { CheckResult } from '../judge/judge-run.ts';
import type { RunContext, RunFacts, RunPorts } from '../ports.ts';
import type { CheckRecord } from '../record-types.ts';
import type { CheckReceipt } from '../types.ts';

type CheckRun = Pick<RunFacts, 'comparison' | 'nameOf'> & {
  readonly gates: readonly CheckGate[];
  readonly iteration: number;
  /** The git tree of the working tree before the first check. */
  readonly tree: SnapshotId;
};

/** The results of the checks, and their records. */
export type RanChecks = { readonly ran: readonly CheckResult[]; readonly records: readonly CheckRecord[] };

/**
 * Runs the checks one after the other. If all pass but change files, they run a second time on the changed files. A
 * pass is recorded only for a tree that no check changed. If the run ends here, the records do not count as an
 * iteration; `confirmIteration` changes that.
 */
export async function runChecks(
  run: RunContext,
  checks: CheckRun,
  takeTree: () => Promise<Result<SnapshotId>>,
): Promise<Result<RanChecks>> {
  let { tree } = checks;
  for (let round = 1; ; round++) {
    const roundResult = await runOnce(run, { ...checks, tree }, takeTree);
    if (!roundResult.ok) return roundResult;
    const { ran, records, after, isSteady } = roundResult.value;
    if (isSteady) {
      const passedGates = checks.gates.filter((gate) =>
        ran.some(({ id, status }) => id === gate.id && status === 'pass'),
      );
      const writeResult = await forEachOk(passedGates, (gate) => writeReceipt(run.ports, gate, tree, 'pass'));
      return writeResult.ok ? ok({ ran, records }) : writeResult;
    }
    if (ran.some(({ status }) => status !== 'pass')) return ok({ ran, records });
    tree = after;
    if (round < 2) continue;
    const brokenChecks = ran.map(
      (check) => ({ ...check, status: 'error', why: 'check-keeps-changing-files' }) as const,
    );
    return ok({ ran: brokenChecks, records });
  }
}

/**
 * Records that the run continues with reviews after these checks. Otherwise a later run could use the same iteration
 * number.
 */
export function confirmIteration(
  { ports }: RunContext,
  { nameOf }: Pick<RunFacts, 'nameOf'>,
  { records }: RanChecks,
): Promise<Result<void>> {
  return forEachOk(records, (record) =>
    ports.records.writeCheck({ ...record, iterationTookPlace: true }, nameOf(record.gate), null),
  );
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

/** The result of running all checks once. `isSteady`: no check changed the tree. */
type Round = RanChecks & { readonly after: SnapshotId; readonly isSteady: boolean };

async function runOnce(
  { ports, request }: RunContext,
  checks: CheckRun,
  takeTree: () => Promise<Result<SnapshotId>>,
): Promise<Result<Round>> {
  const results: CheckResult[] = [];
  const records: CheckRecord[] = [];
  let treeAfter = checks.tree;
  let isSteady = true;
  for (const gate of checks.gates) {
    ports.reporter.tell({ kind: 'check-started', gate: gate.id, command: gate.command });
    const timeoutSeconds = gate.timeoutSeconds ?? request.settings.timeoutSeconds;
    const env = { ONCEOVER_ENTRY: gate.entry };
    const end = await ports.checks.run(gate.command, { timeoutSeconds, env, stop: request.stop });
    const check = judge(gate, end, timeoutSeconds);
    const { status } = check;
    const { why } = check.check;
    ports.reporter.tell({ kind: 'check-ended', gate: gate.id, status, why, durationMs: end.durationMs });
    results.push(check);
    if (end.ending === 'cancelled') return ok({ ran: results, records, after: treeAfter, isSteady: false });
    // If the check passed on this tree before, replace that pass at once, so that the failure counts even if the run is
    // interrupted.
    const revokeResult = status === 'fail' ? await writeReceipt(ports, gate, treeAfter, 'fail') : ok(undefined);
    if (!revokeResult.ok) return revokeResult;
    const checkRecord = await recordCheck(ports, checks, { gate, status, why, end });
    if (!checkRecord.ok) return checkRecord;
    records.push(checkRecord.value);
    const tree = await takeTree();
    if (!tree.ok) return tree;
    treeAfter = tree.value;
    // Even if a later check undoes the change, an earlier check ran on other files than the final ones.
    if (treeAfter !== checks.tree) isSteady = false;
  }
  return ok({ ran: results, records, after: treeAfter, isSteady });
}

function judge({ id, kind, command }: CheckGate, end: CheckEnd, seconds: number): CheckResult {
  const { ending, exitCode, durationMs, output } = end;
  const isPass = ending === 'by-itself' && exitCode === 0;
  const reason = isPass ? null : describeCheckEnd(end, seconds);
  const base = { id, kind, slots: [], check: { command, exitCode, why: reason, durationMs, tail: lastLines(output) } };
  if (isPass) return { ...base, status: 'pass', why: 'passed' };
  if (ending === 'cancelled') return { ...base, status: 'error', why: 'interrupted' };
  if (ending === 'not-started') return { ...base, status: 'error', why: 'check-broken' };
  return { ...base, status: 'fail', why: 'check-failed' };
}

async function recordCheck(
  ports: RunPorts,
  { iteration, comparison, nameOf, tree }: CheckRun,
  {
    gate,
    status,
    why,
    end,
  }: Pick<CheckRecord, 'status' | 'why'> & { readonly gate: CheckGate; readonly end: CheckEnd },
): Promise<Result<CheckRecord>> {
  const { id, command } = gate;
  const timestamp = ports.clock.now().toISOString();
  const { where, scope } = comparison;
  const outcome = { status, why, exitCode: end.exitCode, durationMs: Math.round(end.durationMs) };
  const record: CheckRecord = {
    ...{ gate: id, command, iteration, timestamp, tree, ...outcome, ...where, scope: scope.key },
    iterationTookPlace: false,
  };
  const writeResult = await ports.records.writeCheck(record, nameOf(id), checkLog(record, end.output));
  return writeResult.ok ? ok(record) : writeResult;
}
