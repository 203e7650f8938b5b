import type { LostThing, PhaseMark } from '../domain/phase.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { oneLine } from './one-line.ts';

/** What is remembered of a dispatch, as a line that a text search finds in histories. */
export function tellMark(mark: PhaseMark): string {
  switch (mark.kind) {
    case 'resume-fallback':
      return `RESUME-FALLBACK: ${mark.role} iteration ${mark.iteration} — ${shorten(why(mark.because))}`;
    case 'delta-guard':
      return `DELTA-GUARD: ${mark.role} iteration ${mark.iteration} — ${mark.length}/${mark.limit}`;
    case 'lazy-load-warning':
      return `LAZY-LOAD-WARNING: ${mark.role} did not confirm artifact reads`;
  }
}

/** Text of others in which nothing can be taken for such a line. */
export function withoutMarks(text: string): string {
  return text.replace(/RESUME-FALLBACK|DELTA-GUARD|LAZY-LOAD-WARNING/g, (mark) => mark.toLowerCase());
}

const LOST: Readonly<Record<LostThing, string>> = {
  session: 'its session is gone',
  snapshot: 'what it last saw is gone',
  diff: 'what changed could not be found out',
  commit: 'the fixes could not be committed',
};

function why(because: Extract<PhaseMark, { kind: 'resume-fallback' }>['because']): string {
  return because.kind === 'lost' ? LOST[because.what] : withoutMarks(oneLine(tellAgentFailure(because)));
}

const LONGEST = 300;

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
