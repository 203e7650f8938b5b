import type { InstructionsOutcome, WrittenTask } from '../domain/instructions.ts';
import { quoteName } from '../domain/quote-name.ts';
import { count } from './count.ts';
import { someNames } from './names.ts';
import { folded } from './one-line.ts';

/** What to dispatch, one entry a review, or why there is nothing to do; what is skipped is only counted. */
export function tellInstructions(outcome: InstructionsOutcome, platform: string): string {
  if (outcome.written.length === 0) return nothingToDo(outcome);
  const { length } = outcome.written;
  const give = length === 1 ? 'Give it to a sub-agent of its own' : 'Give each to a sub-agent of its own, all at once';
  const lead = `${count(length, 'review')} to do. ${give}:`;
  return [lead, ...outcome.written.map((written) => entry(written, platform)), ...skipped(outcome)].join('\n\n');
}

/** What an agent that reviews with sub-agents of its own is to do now. */
export function nextOfInstructions(outcome: InstructionsOutcome): string {
  return outcome.written.length === 0
    ? nothingToDo(outcome)
    : 'Give each instruction file to a sub-agent of its own, all at once. Mend what they find, then call get_review_instructions again, until nothing is listed.';
}

/** The persona that a rule names for the platform. */
export function personaFor(written: WrittenTask, platform: string): string | null {
  for (const part of written.task.parts) {
    const { personas } = part.rule;
    if (Object.hasOwn(personas, platform)) return personas[platform] ?? null;
  }
  return null;
}

const MOST_NAMES = 5;

function entry(written: WrittenTask, platform: string): string {
  const { task } = written;
  const rule = task.parts[0].rule;
  const persona = personaFor(written, platform);
  return [
    `${rule.name}: ${someNames(task.files, MOST_NAMES)}`,
    `  description: ${folded(rule.description)}`,
    ...(persona === null ? [] : [`  agent:       ${folded(persona)}`]),
    `  prompt:      @${quoteName(written.file)}`,
    ...(written.why === 'pass-does-not-match'
      ? ['  again:       its pass was for another rule text, path or context']
      : []),
  ].join('\n');
}

function skipped(outcome: InstructionsOutcome): string[] {
  const { length } = outcome.skipped;
  return length === 0 ? [] : [`${count(length, 'review was', 'reviews were')} skipped: passed, and unchanged since.`];
}

function nothingToDo(outcome: InstructionsOutcome): string {
  const { selection, ruleCount } = outcome;
  if (ruleCount === 0 && outcome.notices.some((notice) => notice.kind === 'problem')) {
    return 'Nothing was reviewed: no rule could be read. Mend what the warnings name and run again.';
  }
  if (ruleCount === 0) {
    return 'Nothing to review: no rule is defined. "onceover init --rules" writes a first .deepreview.';
  }
  if (selection.count === 0) {
    return selection.kind === 'listed'
      ? 'Nothing to review: no file was named that could be reviewed.'
      : `Nothing to review: nothing changed since ${selection.base === null ? 'the beginning' : quoteName(selection.base)}.`;
  }
  if (outcome.skipped.length > 0) {
    const { length } = outcome.skipped;
    return `Nothing to review: ${length === 1 ? 'the only review' : `all ${length} reviews`} of this change passed, and the files are unchanged since.`;
  }
  const kind = selection.kind === 'listed' ? 'named' : 'changed';
  return `Nothing to review: no rule matches the ${count(selection.count, `${kind} file`)}.`;
}
