import { quoteName } from '../domain/quote-name.ts';

/** What there is to tell of a run that was started. */
type Told = {
  readonly run_id: string;
  readonly state: 'running' | 'done' | 'died';
  readonly progress: readonly string[];
  readonly run: {
    readonly status: string;
    readonly exit_code: number;
    readonly gates: readonly { readonly id: string; readonly status: string; readonly detail: string }[];
    readonly findings: readonly ToldFinding[];
  } | null;
  readonly error: { readonly message: string; readonly next: string } | null;
};

type ToldFinding = {
  readonly id: string;
  readonly state: string;
  readonly priority: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly issue: string;
  readonly fix: string | null;
};

/** A started run in words for an agent: how far it is, or what came of it and what to do. */
export function tellStartedRun(told: Told): string {
  if (told.state === 'running') {
    const last = told.progress.length === 0 ? '' : `\n\n${told.progress.join('\n')}`;
    return `Run ${told.run_id} is going on. Call get_run again for its end.${last}`;
  }
  if (told.error !== null) return `The run could not judge.\n${told.error.message}\n${told.error.next}`;
  if (told.run === null) {
    return `The run ended without a result.\n${told.progress.join('\n')}\nStart it again with start_run.`;
  }
  const { run } = told;
  if (run.status === 'lock_conflict') {
    return 'Another run is going on in this working tree.\nWait until it has ended, then call start_run again.';
  }
  const gates = run.gates.map(({ id, status, detail }) => `${status}: ${quoteName(id)} (${detail})`);
  const open = run.findings.filter(({ state }) => state === 'open' || state === 'fixed_claimed');
  return [
    `Result: ${run.status} (exit code ${run.exit_code})`,
    ...(gates.length === 0 ? [] : [gates.join('\n')]),
    ...open.map(tellFinding),
    open.length === 0
      ? run.exit_code === 0
        ? 'Nothing is open.'
        : 'Nothing is open, but not every gate could be judged; see above.'
      : 'Mend what is open, then start_run again. What is wrong or must stay: resolve_finding with how "skip" and the reason.',
  ].join('\n\n');
}

function tellFinding(finding: ToldFinding): string {
  const place =
    finding.file === null ? '' : ` ${quoteName(finding.file)}${finding.line === null ? '' : `:${finding.line}`}`;
  return [
    `${finding.id} (${finding.priority})${place}`,
    ...(finding.code === null ? [] : [`  code: ${finding.code}`]),
    `  issue: ${finding.issue}`,
    ...(finding.fix === null ? [] : [`  fix: ${finding.fix}`]),
  ].join('\n');
}
