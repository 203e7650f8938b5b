import { lastLines } from '../domain/last-lines.ts';
import type { RunFacts } from '../execute/read-run.ts';
import type { RunPorts, RunRequest } from '../execute/run-ports.ts';
import { failedChecks } from '../plan/failed-checks.ts';
import { gateFileName } from '../stores/record-names.ts';
import { checkOutput } from '../text/check.ts';
import type { FailingGate } from '../text/failing-gate.ts';
import { tellFailedCheck } from '../text/gate-reason.ts';

/** The checks that failed when they ran last, with the end of what they printed and where all of it is. */
export async function failingChecks(
  { ports, request }: { readonly ports: Pick<RunPorts, 'records'>; readonly request: Pick<RunRequest, 'settings'> },
  facts: RunFacts,
): Promise<readonly FailingGate[]> {
  const failing: FailingGate[] = [];
  for (const record of failedChecks(facts.checks, facts.past.checks, facts.comparison.where)) {
    const { gate: id, iteration } = record;
    const name = facts.names.get(id);
    const log = name === undefined ? null : await ports.records.readLog(name, null, iteration);
    failing.push({
      id,
      detail: tellFailedCheck(record),
      output: log === null ? null : lastLines(checkOutput(log).join('\n')),
      log:
        log === null || name === undefined
          ? null
          : `${request.settings.logDir}/${gateFileName(name.stem, iteration, 'log')}`,
    });
  }
  return failing;
}
