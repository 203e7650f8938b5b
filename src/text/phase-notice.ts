import type { PhaseNotice } from '../domain/phase-run.ts';
import { quoteName } from '../domain/quote-name.ts';
import { tellFailure } from './failure.ts';
import { someNames } from './names.ts';
import { oneLine } from './one-line.ts';
import { quoted } from './quoted.ts';
import { tellTakenBack } from './taken-back.ts';

/** One sentence about something to know beside the result of a phase. */
export function tellPhaseNotice(notice: PhaseNotice): string {
  switch (notice.kind) {
    case 'meta-put-aside':
      return `${quoteName(notice.path)} could not be read, so it was put aside as ${quoteName(notice.aside)} and a new one begun`;
    case 'prd-left-out':
      return `.meta.json names ${quoteName(notice.path)} as the PRD, which is ${notice.why === 'outside' ? 'outside the repository' : 'not there'}, so reviewers are told of none`;
    case 'unseen-edits':
      return `the fixer also changed ${someNames(notice.paths)}, which nobody was asked to look at; that is in the working tree, and not committed`;
    case 'withheld':
      return `not reviewed, ${WITHHELD[notice.why]}: ${someNames(notice.paths)}`;
    case 'commit-failed':
      return `git could not commit ${quoted(notice.message)}: ${oneLine(notice.said)}; the change is in the working tree`;
    case 'not-in-ledger':
      return `what this phase cost is not in the ledger: ${tellFailure(notice.failure).what}`;
    case 'no-price':
      return `budget.usd counts only what agents tell the price of, and ${someNames(notice.agents)} told none; budget.dispatches counts all`;
    case 'proof-taken-back':
      return tellTakenBack(notice.paths);
    case 'not-resumed':
      return `${quoteName(notice.agent)} is asked afresh each time, because it cannot be resumed: ${oneLine(notice.why)}`;
  }
}

const WITHHELD = {
  secret: 'untracked and by name like a secret',
  'too-large': 'untracked and over 5 MB',
  repository: 'a repository of its own without a commit',
} as const;
