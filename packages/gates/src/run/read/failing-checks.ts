import { lastLines } from '@onceover/base/kernel/escape';
import type { BranchContext } from '@onceover/base/kernel/repository';
import { describeFailedCheck, type FailingGate } from '../../result/describe/reasons.ts';
import { isSameBranch } from '../decide/gate-state.ts';
import type { CheckState } from '../decide/plan-run.ts';
import { checkOutput } from '../describe/check-log.ts';
import type { RunFacts, RunPorts, RunRequest } from '../ports.ts';
import { gateFileName } from '../record/record-names.ts';
import type { CheckRecord } from '../record-types.ts';

/** For each check that has to run, returns the last record of its command on this branch, if that was not a pass. */
export function failedChecks(
  checks: readonly CheckState[],
  records: readonly CheckRecord[],
  where: BranchContext,
): readonly CheckRecord[] {
  return checks.flatMap(({ gate, holds }) => {
    if (holds) return [];
    const [last] = records
      .filter((record) => record.gate === gate.id && record.command === gate.command && isSameBranch(record, where))
      .sort((a, b) => b.iteration - a.iteration);
    return last === undefined || last.status === 'pass' ? [] : [last];
  });
}

/** Returns the checks that failed last time, with the end of their output and the path of the whole log. */
export async function failingChecks(
  ports: Pick<RunPorts, 'records'>,
  { settings }: Pick<RunRequest, 'settings'>,
  { checks, past, comparison, nameOf }: RunFacts,
): Promise<readonly FailingGate[]> {
  const failing: FailingGate[] = [];
  for (const record of failedChecks(checks, past.checks, comparison.where)) {
    const { gate: id, iteration } = record;
    const name = nameOf(id);
    const text = await ports.records.readLog(name, null, iteration);
    const output = text === null ? null : lastLines(checkOutput(text).join('\n'));
    const log = text === null ? null : `${settings.logDir}/${gateFileName(name.stem, iteration, 'log')}`;
    failing.push({ id, detail: describeFailedCheck(record), output, log });
  }
  return failing;
}
