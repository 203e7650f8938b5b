import type { DispatchFacts, DispatchPlan, Session } from '../domain/dispatch.ts';

/** Decides between fresh and resumed: the first row that fits. */
export function decideDispatch(facts: DispatchFacts): DispatchPlan {
  const { session } = facts;
  if (facts.wanted !== 'any') return fresh('asked-for');
  if (session === null) return fresh('first-look');
  if (!isSame(session, facts.now)) return fresh('session-differs');
  if (!facts.canResume) return fresh('cannot-resume');
  if (facts.lost !== null) return fresh('session-lost');
  // Final validation must see every change, so the size guard does not apply to it.
  if (facts.isFinalValidation) return { kind: 'resumed', why: 'final-validation', session };
  // A fixer that changed nothing disputes the issues, and another look decides.
  if (facts.who === 'reviewer' && !facts.changed) return fresh('no-changes');
  if (facts.cost?.cacheExpired === true && facts.cost.freshIsCheaper) return fresh('resume-dearer');
  if (facts.deltaLength > deltaLimit(session, facts.mustReadLength)) return fresh('delta-too-large');
  return { kind: 'resumed', why: 'delta', session };
}

/** How many characters a resumed prompt may have: half of the prompt that opened the session, and of what comes with a fresh one. */
export function deltaLimit({ firstPromptLength }: Pick<Session, 'firstPromptLength'>, mustReadLength = 0): number {
  return (firstPromptLength + mustReadLength) / 2;
}

function fresh(why: Extract<DispatchPlan, { kind: 'fresh' }>['why']): DispatchPlan {
  return { kind: 'fresh', why };
}

function isSame(session: Session, now: DispatchFacts['now']): boolean {
  return (
    session.agent === now.agent &&
    session.model === now.model &&
    session.version === now.version &&
    session.toolsDigest === now.toolsDigest
  );
}
