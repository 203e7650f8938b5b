/** The file that the probe has reviewed; `line` is one that nobody could guess. */
export function probeFile(line: string): string {
  return `${line}

The export writes a report for each customer. It should be fast. Reports are kept for some time and then deleted by
whoever notices. If the disk is full, the export goes on. Dates are written in the local format.
`;
}

const FORM = 'Answer with JSON: your answer in "reply", and "issues" as an empty list.';

/** The questions V1 to V4: a review that reads a file, a word back, and two things that only memory can tell. */
export const PROBE_QUESTIONS = {
  V1: (path: string) => `Review this file: ${path}. List the first line verbatim.

Read it with your own tool for reading files. Answer with JSON: the first line in "reply", and in "issues" one entry for
each thing that is unclear or missing in the text.`,
  V2: `Confirm you can still respond.\n\n${FORM}`,
  V3: `Repeat verbatim the first line of the file you read.\n\nDo not read it again: it has changed since. ${FORM}`,
  V4: `How many issues did you identify in your V1 review?\n\nV1 was your first answer here. Reply with the number alone. ${FORM}`,
} as const;
