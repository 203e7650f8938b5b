import type { Disposition } from '../domain/finding.ts';
import type { Answers } from './answers.ts';

/** The answers to two parts of one change as one: it passes only if both do. */
export function joinAnswers(a: Answers['gate'], b: Answers['gate']): Answers['gate'] {
  return joinExplicit(explicit(a), explicit(b));
}

function joinExplicit(a: Answers['gate'], b: Answers['gate']): Answers['gate'] {
  return {
    status: a.status === 'fail' || b.status === 'fail' ? 'fail' : 'pass',
    violations: [...a.violations, ...b.violations],
    previous: joinPrevious(a.previous ?? [], b.previous ?? []),
    message: [a.message ?? '', b.message ?? ''].join(' ').trim(),
  };
}

/** A part that fails without naming a problem has one all the same: its message. */
function explicit(answer: Answers['gate']): Answers['gate'] {
  const isNamed = answer.violations.length > 0 || (answer.previous ?? []).some(isOpenWord);
  if (answer.status === 'pass' || isNamed) return answer;
  const issue = answer.message?.trim() || 'The reviewer failed a part of the change and did not say why.';
  return { ...answer, violations: [{ file: '', line: null, issue, priority: 'critical' }] };
}

type Previous = NonNullable<Answers['gate']['previous']>;

/** What one part calls open is open, whatever another says. */
function joinPrevious(a: Previous, b: Previous): Previous {
  const open = new Set([...a, ...b].filter(isOpenWord).map(({ id }) => id));
  return [...a, ...b].filter((one) => isOpenWord(one) || !open.has(one.id));
}

function isOpenWord({ state }: Pick<Disposition, 'state'>): boolean {
  return state === 'open';
}
