import { errorSchema } from '@onceover/base/kernel/json-schema';
import { UNSTYLED } from '@onceover/base/ui/style';
import { isCutOff } from '../decide/end.ts';
import { type PhaseDocument, phaseSchema, type StartedPhaseDocument } from '../json-schema.ts';
import type { StartedPhase } from '../types.ts';
import { REPAIRS } from './end.ts';
import { describeOpenIssues } from './issues.ts';
import { joinPhaseBlocks, phaseTitle } from './result.ts';

/**
 * Returns the JSON document of a review loop. Its state is `died` if the last round ended without printing a result.
 */
export function startedPhaseDocument(loop: StartedPhase): StartedPhaseDocument {
  const phase = phaseSchema.safeParse(loop.answer);
  const error = errorSchema.safeParse(loop.answer);
  const document = {
    loop_id: loop.id,
    state: loop.state !== 'running' && !phase.success ? ('died' as const) : loop.state,
    phase: phase.success ? phase.data : null,
    error: error.success ? error.data.error : null,
  };
  return { ...document, progress: [...loop.progress], next: nextStep(document) };
}

/** Returns the next step, as an instruction to the agent that called the MCP tool. */
function nextStep({ loop_id, state, phase, error }: Omit<StartedPhaseDocument, 'progress' | 'next'>): string {
  const call = `continue_phase with loop_id "${loop_id}"`;
  const again = `call ${call} and no summary to run the round again.`;
  if (state === 'running') return `Call ${call} and no summary to wait for the end of the round.`;
  if (error !== null) return `${error.next} Then ${again}`;
  if (phase === null) return capitalize(again);
  if (state === 'waiting') {
    return `Fix the open issues, then call ${call} and a summary of your changes. If an issue is wrong, leave the work as it is and say why in the summary; the reviewer decides.`;
  }
  if (phase.end === 'accepted-with-notes') return ACCEPTED;
  if (phase.end === 'cap') return AT_LIMIT(call);
  const repair = phase.end === null ? null : REPAIRS[phase.end];
  const isRepeated = isCutOff({ status: phase.status, why: phase.end });
  const then = isRepeated ? again : 'start a new loop with start_phase.';
  return NEXT[phase.status] ?? capitalize(repair ? `${repair}, then ${then}` : then);
}

function capitalize(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}

const NEXT: Readonly<Partial<Record<PhaseDocument['status'], string>>> = {
  approved: 'The phase is approved. There is nothing left to do.',
  stalled:
    'Two fixes in a row changed nothing, so the loop has ended. Show the user the open issues. After they are fixed, start a new loop with start_phase.',
};

const ACCEPTED =
  'The open issues are accepted and recorded in .meta.json. The reviewers did not approve. There is nothing left to do.';

const AT_LIMIT = (call: string) =>
  `The loop has ended. Show the user the open issues. The user can have them fixed and reviewed again (start_phase), or accept them: then call ${call} and accept_with_notes: true.`;

/** Describes a loop for the agent that called the MCP tool: the state, the open issues and the next step. */
export function describeStartedPhase(document: StartedPhaseDocument): string {
  return joinPhaseBlocks([...blocksOf(document), document.next]);
}

function blocksOf({ loop_id, state, progress, phase, error }: StartedPhaseDocument): readonly string[] {
  if (state === 'running') return [`Loop ${loop_id}: the round is running.`, progress.join('\n')];
  if (error !== null) return [`The round could not run.\n${error.message}`];
  if (phase === null) return ['The round ended without a result.', progress.join('\n')];
  const result = state === 'waiting' ? 'Not yet approved' : RESULTS[phase.status];
  return [
    `${result}: ${phaseTitle(phase)}${phase.end === null ? '' : ` (${phase.end})`}`,
    ...describeErrors(phase),
    describeOpenIssues(phase.open_issues, UNSTYLED, 'see open_issues', MAX_ISSUES),
    phase.warnings.map((warning) => `Warning: ${warning}`).join('\n'),
  ];
}

const RESULTS: Readonly<Record<PhaseDocument['status'], string>> = {
  approved: 'Approved',
  needs_work: 'Not approved',
  stalled: 'Stalled, not approved',
  cap: 'Not approved after the last iteration',
  error: 'Could not judge',
};

const MAX_ISSUES = 50;

function describeErrors({ loops }: PhaseDocument): readonly string[] {
  return loops.flatMap(({ role, iterations }) => {
    const last = iterations.at(-1);
    return last === undefined || last.error === null ? [] : [`${role} gave no verdict: ${last.agent} ${last.error}`];
  });
}
