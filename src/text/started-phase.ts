import { quoteName } from '../domain/quote-name.ts';

/** What there is to tell of a loop that was started. */
type Told = {
  readonly loop_id: string;
  readonly state: 'running' | 'waiting' | 'ended' | 'died';
  readonly progress: readonly string[];
  readonly phase: {
    readonly phase: string;
    readonly feature: string;
    readonly status: string;
    readonly end: string | null;
    readonly loops: readonly {
      readonly role: string;
      readonly iterations: readonly { readonly error: string | null; readonly agent: string }[];
    }[];
    readonly open_issues: readonly ToldIssue[];
  } | null;
  readonly error: { readonly message: string; readonly next: string } | null;
};

type ToldIssue = {
  readonly role: string;
  readonly severity: string;
  readonly category: string | null;
  readonly location: string | null;
  readonly description: string;
  readonly suggestion: string | null;
};

/** A loop in words for the agent that plays it: how far it is, what is open, and what to do. */
export function tellStartedPhase(told: Told): string {
  const { loop_id, state, phase, error } = told;
  if (state === 'running') {
    const last = told.progress.length === 0 ? '' : `\n\n${told.progress.join('\n')}`;
    return `Loop ${loop_id} is in a round. Call continue_phase without a summary for its end.${last}`;
  }
  const again = `Call continue_phase with loop_id "${loop_id}" and without a summary to play it again.`;
  if (error !== null) return `The round could not be played.\n${error.message}\n${error.next}\n${again}`;
  if (phase === null) return ['The round ended without a result.', ...told.progress, again].join('\n');
  const what = `${phase.phase} of ${phase.feature === '' ? 'this folder' : quoteName(phase.feature)}`;
  return [
    `${state === 'waiting' ? 'Not yet approved' : (RESULTS[phase.status] ?? phase.status)}: ${what}${phase.end === null ? '' : ` (${phase.end})`}`,
    ...tellErrors(phase),
    ...phase.open_issues.slice(0, MOST_ISSUES).map(tellIssue),
    ...more(phase.open_issues),
    state === 'waiting'
      ? `Mend what is open, then call continue_phase with loop_id "${loop_id}" and a summary of what you did. What is wrong or must stay: say why in the summary; the reviewer decides.`
      : (NEXT[phase.status] ?? again),
  ].join('\n\n');
}

const RESULTS: Readonly<Record<string, string>> = {
  approved: 'Approved',
  needs_work: 'Not approved',
  stalled: 'Stalled, not approved',
  cap: 'Not approved after the last iteration',
  error: 'Could not judge',
};

const NEXT: Readonly<Record<string, string>> = {
  approved: 'Nothing is left to do in this phase.',
  stalled:
    'Nothing changed twice in a row, so the loop has ended. Tell the person what is open; start_phase begins anew once it is mended.',
  cap: 'The loop has ended. Tell the person what is open: they may have it mended and reviewed anew (start_phase), or take it as it is ("onceover phase … --accept-with-notes").',
};

const MOST_ISSUES = 50;

function tellIssue(issue: ToldIssue): string {
  const about = [issue.role, issue.category, issue.location].filter((one) => one !== null && one !== '');
  return [
    `${issue.severity} (${about.join(', ')})`,
    `  ${issue.description}`,
    ...(issue.suggestion === null ? [] : [`  suggestion: ${issue.suggestion}`]),
  ].join('\n');
}

function more(issues: readonly ToldIssue[]): readonly string[] {
  const left = issues.length - MOST_ISSUES;
  return left > 0 ? [`… and ${left} more: see open_issues.`] : [];
}

function tellErrors({ loops }: NonNullable<Told['phase']>): readonly string[] {
  return loops.flatMap(({ role, iterations }) => {
    const last = iterations.at(-1);
    return last === undefined || last.error === null ? [] : [`${role} gave no verdict: ${last.agent} ${last.error}`];
  });
}
