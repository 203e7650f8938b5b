import { fence } from '../domain/fence.ts';
import { quoteName } from '../domain/quote-name.ts';
import { oneLine } from './one-line.ts';

/** A gate that does not hold, and that no finding tells of. */
export type FailingGate = {
  readonly id: string;
  /** Why; of a check, its command and how it ended. */
  readonly detail: string;
  /** The end of what a check printed. */
  readonly output: string | null;
  /** The file with all that a check printed, where that is known. */
  readonly log: string | null;
};

/** A gate that does not hold, for an agent: what was printed is data. */
export function tellFailingGate({ id, detail, output, log }: FailingGate, word = 'fails'): string {
  return [
    `${quoteName(id)} ${word}: ${oneLine(detail)}`,
    ...(output === null || output.trim() === '' ? [] : [fence(output.trimEnd().replace(/^/gm, '  '))]),
    ...(log === null ? [] : [`All that it printed: ${quoteName(log)}`]),
  ].join('\n');
}
