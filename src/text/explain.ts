import type { ReviewExplanation } from '../domain/explanation.ts';
import type { MarkReceipt } from '../domain/pass.ts';
import { quoteName } from '../domain/quote-name.ts';
import type { ReviewTask } from '../domain/task.ts';
import { commandWord } from './command-word.ts';
import { definingFile } from './rules.ts';
import { wrap } from './wrap.ts';

/** Why a review is done or not, what it is about, and what would change that: one screen. */
export function tellExplanation(explanation: ReviewExplanation, width: number | null = null): string {
  return wrap(paragraphs(explanation).join('\n\n'), width ?? Number.POSITIVE_INFINITY);
}

/** The answer in one sentence. */
export function explanationSummary(explanation: ReviewExplanation): string {
  switch (explanation.kind) {
    case 'to-do':
      return explanation.why === 'not-passed'
        ? 'It has to be done: nobody has passed it for the files as they are now.'
        : 'It has to be done: a pass is on record, but for another rule text, path or context ("cache: strict").';
    case 'skipped':
      return 'It is skipped: it passed, and its files are unchanged since.';
    case 'changed':
      return explanation.passed || explanation.receipt !== null
        ? `Its files have changed since it passed; the review is now ${quoteName(explanation.now.id)}.`
        : `It never passed, and its rule and files now have the id ${quoteName(explanation.now.id)}.`;
    case 'not-asked-for':
      return 'It is not asked for now: no rule asks for it on the present change.';
  }
}

function paragraphs(explanation: ReviewExplanation): string[] {
  const summary = explanationSummary(explanation);
  switch (explanation.kind) {
    case 'to-do':
      return [
        title(explanation.task.id),
        summary,
        about(explanation.task),
        passLine(explanation.mark !== null, explanation.mark?.receipt ?? null),
        'It runs until it is marked as passed; then it is skipped for as long as its files stay as they are.',
      ];
    case 'skipped':
      return [
        title(explanation.task.id),
        summary,
        about(explanation.task),
        passLine(true, explanation.mark.receipt),
        'It runs again when one byte of these files changes, or a file joins or leaves them. Touching, committing or amending does not matter.',
      ];
    case 'changed':
      return [
        title(explanation.id),
        summary,
        about(explanation.now),
        passLine(explanation.passed, explanation.receipt),
        `Under this id it comes back only if its files are again what they were. How it stands now: "onceover explain ${commandWord(explanation.now.id)}".`,
      ];
    case 'not-asked-for':
      return [
        title(explanation.id),
        summary,
        passLine(explanation.passed, explanation.receipt),
        'Either its files are no longer part of the change, or its rule no longer matches them or is gone. It runs again when its rule matches them in a change, unless it passed for just these contents.',
      ];
  }
}

function title(id: string): string {
  return quoteName(id);
}

function about(task: ReviewTask): string {
  const rules = task.parts.map(
    (part) => `  rule   ${part.rule.name} (${quoteName(definingFile(part.rule))}), ${part.rule.strategy}`,
  );
  const files = task.digests.map(
    (file) => `  file   ${quoteName(file.path)}${file.sha256 === null ? ' (cannot be read)' : ''}`,
  );
  return [...rules, ...files].join('\n');
}

const BY = {
  mcp: 'by the MCP tool mark_review_as_passed',
  cli: 'by "onceover pass"',
  library: 'by a program',
  run: 'by the reviewers of "onceover run"',
} as const;

function passLine(passed: boolean, receipt: MarkReceipt | null): string {
  if (receipt !== null) {
    return `${passed ? 'Passed' : 'Passed once (its marker is gone)'} at ${receipt.at} ${BY[receipt.by]}.`;
  }
  return passed ? 'A marker says that it passed; who set it is not on record.' : 'No pass is on record.';
}
