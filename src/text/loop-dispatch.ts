import type { LoopDispatchReason } from '../domain/phase.ts';

/** Why a dispatch of a loop was fresh or resumed, to follow "fresh:"; null: it goes without saying. */
export function tellDispatchReason(why: LoopDispatchReason): string | null {
  return REASONS[why];
}

const REASONS: Readonly<Record<LoopDispatchReason, string | null>> = {
  'first-look': null,
  delta: null,
  'final-validation': null,
  'asked-for': 'no session was kept',
  'session-differs': 'agent, model, version or tools are not those of its session',
  'cannot-resume': 'it cannot be resumed',
  'session-lost': 'what a resume needs is gone',
  'no-changes': 'nothing had changed',
  'resume-dearer': 'resuming would have cost more',
  'delta-too-large': 'too much had changed',
  'resume-failed': 'it could not be resumed',
  'other-agent': 'another agent took over',
};
