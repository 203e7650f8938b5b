import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';
import { requirements } from '../requirements.ts';

/** After a full run, prints the number of pending requirements, and fails if a tested one has no passing test. */
export default class RequirementsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: readonly unknown[], reason: TestRunEndReason): void {
    // A run of some files or some tests cannot judge the others.
    if (!isFullRun()) return;
    const cited = citedBy(modules);
    const count = (state: string) => requirements.filter((one) => one.state === state).length;
    const tested = requirements.filter((one) => one.state === 'tested');
    process.stdout.write(
      `\nRequirements: ${tested.length} tested, ${count('pending')} pending, ${count('n/a')} not applicable.\n`,
    );
    if (reason !== 'passed') return;
    const uncited = tested.filter((one) => !cited.has(one.id));
    for (const { id, says } of uncited) process.stdout.write(`No passing test cites ${id}: ${says}\n`);
    if (uncited.length > 0) process.exitCode = 1;
  }
}

function citedBy(modules: readonly TestModule[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const module of modules) {
    for (const test of module.children.allTests('passed')) {
      for (const cited of test.fullName.match(
        /(?:REVIEW-REQ-009|JOBS-REQ-004|RUN-SLOTS|REUSE)[A-Za-z0-9./-]*[A-Za-z0-9]/g,
      ) ?? []) {
        ids.add(cited);
      }
    }
  }
  return ids;
}

function isFullRun(): boolean {
  const args = process.argv.slice(2).filter((argument) => !['run', '--run', '--coverage'].includes(argument));
  return args.join(' ') === '--project unit';
}
