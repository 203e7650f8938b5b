import { digestOf } from '@onceover/base/kernel/ids';
import { answerObject, isLeadIn } from './answer-form.ts';
import type { Reply } from './refusals.ts';

/**
 * The answer of a session that only reads files for reviewers. It is not a verdict: `readAnswer` rejects it as one. It
 * has no place for text, and no empty list of problems, with which the session of each reviewer would begin.
 */
const READ = { status: 'read' } as const;

/**
 * The prompt of a session that opens files for several reviewers and judges nothing. Each reviewer continues in a fork
 * (copy) of it. Because reviewers have different instructions (rubrics), the prompt contains nothing from them.
 */
export const READING_PROMPT = `## Open the files, and judge nothing yet

Several reviewers will judge this change. Each of them continues this conversation on its own, and gets its own section "What
to look for" then. Open now what all of them need, with your tools for reading and searching files:
- the files that the change touches, where the diff does not show enough of them;
- the code that calls the changed code, the code that the change calls, and the tests and documents that describe it.

Do not judge the change. Write no text between your tool calls, and no summary: a reviewer must not start with the opinion of
someone else. When the files are open, answer with exactly this JSON object and nothing else:

${JSON.stringify(READ)}`;

/**
 * The end of the prompt that shows later changes to a session that read files for several reviewers. The diff stands
 * before it.
 */
export const CONTINUED_READING = `## Open the files, and judge nothing yet

Several reviewers will judge the change as it is now. Open what the difference makes necessary and this conversation does not
show yet. If nothing is missing, open nothing. Do not judge the change, and write no text between your tool calls. Then answer
with exactly this JSON object and nothing else:

${JSON.stringify(READ)}`;

/**
 * The text that separates the opened files from a reviewer's own instructions, in a copy (fork) of the session that
 * opened them.
 */
export const FORK_OPENING = `The files above were opened for several reviewers, who work separately. From here on you are one of them: review the
change now. Open more files if you need them.`;

/**
 * Whether a reply shows that the session only read the files, so that reviewers may fork it: it is exactly the requested
 * object. `draft` is the text that the agent wrote between its tool calls. It stays in the session, so only lines that
 * announce something may be in it: a judgement is a sentence, and a reviewer must not start from the judgement of
 * someone else.
 */
export function isReading({ text, structured }: Reply, draft: string): boolean {
  const inText = answerObject({ text, structured: null });
  const isText = inText.ok && digestOf(inText.value) === digestOf(READ);
  const hasField = structured !== undefined && structured !== null;
  if (hasField ? digestOf(structured) !== digestOf(READ) : !isText) return false;
  return (isText ? draft : `${draft}\n${text}`).split('\n').every(isLeadIn);
}
