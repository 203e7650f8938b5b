import { isRecord, objectsIn } from '@onceover/base/kernel/json';
import type { Reply } from './refusals.ts';

/** The answer of a session that only reads files for reviewers. It is not a verdict: `readAnswer` rejects it as one. */
const READ = { status: 'read', violations: [] } as const;

/**
 * The prompt of a session that opens files for several reviewers and judges nothing. Each reviewer continues in a fork
 * (copy) of it. Because reviewers have different instructions (rubrics), the prompt contains nothing from them.
 */
export const READING_PROMPT = `## Open the files, and judge nothing yet

Several reviewers will judge this change. Each of them continues this conversation on its own, and gets its own section "What
to look for" then. Open now what all of them need, with your tools for reading and searching files:
- the files that the change touches, where the diff does not show enough of them;
- the code that calls the changed code, the code that the change calls, and the tests and documents that describe it.

Do not judge the change. Write no text about its quality and no summary: a reviewer must not start with the opinion of
someone else. When the files are open, answer with this JSON object and nothing else:

${JSON.stringify(READ)}`;

/**
 * The end of the prompt that shows later changes to a session that read files for several reviewers. The diff stands
 * before it.
 */
export const CONTINUED_READING = `## Open the files, and judge nothing yet

Several reviewers will judge the change as it is now. Open what the difference makes necessary and this conversation does not
show yet. If nothing is missing, open nothing. Do not judge the change, and write no text about its quality. Then answer with
this JSON object and nothing else:

${JSON.stringify(READ)}`;

/**
 * The text that separates the opened files from a reviewer's own instructions, in a copy (fork) of the session that
 * opened them.
 */
export const FORK_OPENING = `The files above were opened for several reviewers, who work separately. From here on you are one of them: review the
change now. Open more files if you need them.`;

/** The maximum length of the text besides the answer, in a session that only reads files. */
const MOST_TEXT = 2000;

// Matches words of a verdict. A reviewer must not start from a verdict that it did not reach itself.
const OPINION =
  /\b(?:approv\w*|lgtm|verdict|violations?|vulnerab\w*|pre-?approved|no (?:issues?|problems?|findings?)|(?:looks?|seems?) (?:good|fine|correct|right|ok|wrong)|must (?:pass|fail)|should (?:pass|fail)|(?:answer|status|result)\W{1,4}(?:pass|fail))/i;

/**
 * Whether a reply shows that the session only read the files, so that reviewers may fork it: it has the requested
 * object, and no text that judges. `draft` is the text that the agent wrote between its tool calls.
 */
export function isReading({ text, structured }: Reply, draft: string): boolean {
  const jsonObjects = objectsIn(text);
  const answer =
    structured ??
    (jsonObjects.kind === 'found' && jsonObjects.texts.length === 1 ? parsedObject(jsonObjects.texts[0]) : null);
  if (!isReadAnswer(answer)) return false;
  const besides = `${draft}\n${jsonObjects.kind === 'found' ? jsonObjects.texts.reduce((remainder, objectText) => remainder.replace(objectText, ''), text) : text}`;
  return besides.trim().length <= MOST_TEXT && !OPINION.test(besides);
}

function isReadAnswer(value: unknown): boolean {
  if (!isRecord(value) || value['status'] !== READ.status) return false;
  return Object.entries(value).every(([key, field]) => key === 'status' || isEmpty(field));
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
  );
}

function parsedObject(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
