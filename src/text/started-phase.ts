import { quoteName } from '../domain/quote-name.ts';

/** What there is to tell of a loop that was started. */
type StartedPhase = {
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
    readonly warnings: readonly string[];
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
export function tellStartedPhase(told: StartedPhase & { readonly next: string }): string {
  return [...blocksOf(told), told.next].filter((block) => block !== '').join('\n\n');
}

/** What the agent is to do now. */
export function nextOfStartedPhase({ loop_id, state, phase, error }: Omit<StartedPhase, 'progress'>): string {
  const call = `continue_phase with loop_id "${loop_id}" and`;
  const again = `call ${call} without a summary to play the round again.`;
  if (state === 'running') return `Call ${call} without a summary: it waits for the end of the round.`;
  if (error !== null) return `${error.next} Then ${again}`;
  if (phase === null) return `C${again.slice(1)}`;
  if (state === 'waiting')
    return `Mend what is open, then call ${call} a summary of what you did. What is wrong or must stay: say why in the summary; the reviewer decides.`;
  return (
    NEXT[phase.status] ?? `${PUT_RIGHT[phase.end ?? ''] ?? 'Put right what kept it from a verdict'}, then ${again}`
  );
}

function blocksOf({ loop_id, state, progress, phase, error }: StartedPhase): readonly string[] {
  if (state === 'running') return [`Loop ${loop_id} is in a round.`, progress.join('\n')];
  if (error !== null) return [`The round could not be played.\n${error.message}`];
  if (phase === null) return ['The round ended without a result.', progress.join('\n')];
  const what = `${phase.phase} of ${phase.feature === '' ? 'this folder' : quoteName(phase.feature)}`;
  return [
    `${state === 'waiting' ? 'Not yet approved' : (RESULTS[phase.status] ?? phase.status)}: ${what}${phase.end === null ? '' : ` (${phase.end})`}`,
    ...tellErrors(phase),
    ...phase.open_issues.slice(0, MOST_ISSUES).map(tellIssue),
    ...more(phase.open_issues),
    phase.warnings.map((warning) => `Warning: ${warning}`).join('\n'),
  ];
}

const RESULTS: Readonly<Record<string, string>> = {
  approved: 'Approved',
  needs_work: 'Not approved',
  stalled: 'Stalled, not approved',
  cap: 'Not approved after the last iteration',
  error: 'Could not judge',
};

const NEXT: Readonly<Record<string, string>> = {
  approved: 'It is approved: nothing is left to do in this phase.',
  stalled:
    'Nothing changed twice in a row, so the loop has ended. Tell the person what is open; start_phase begins anew once it is mended.',
  cap: 'The loop has ended. Tell the person what is open: they may have it mended and reviewed anew (start_phase), or take it as it is ("onceover phase … --accept-with-notes").',
};

/** What stands in the way of a verdict, where more is known. */
const PUT_RIGHT: Readonly<Record<string, string>> = {
  'artifact-missing': 'Bring the document back',
  'artifact-empty': 'Bring back what was in the document',
  'artifact-unreadable': 'Bring the document back as UTF-8 text',
  disturbed: 'Wait until nobody works on it',
  budget: 'The budget is used up: have the person raise "budget" in onceover.yml',
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

function tellErrors({ loops }: NonNullable<StartedPhase['phase']>): readonly string[] {
  return loops.flatMap(({ role, iterations }) => {
    const last = iterations.at(-1);
    return last === undefined || last.error === null ? [] : [`${role} gave no verdict: ${last.agent} ${last.error}`];
  });
}
