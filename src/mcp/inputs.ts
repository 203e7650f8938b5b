import * as z from 'zod';
import { someNames } from '../text/names.ts';

/** What a tool takes, and nothing else: with a misspelt name it would do more than it was asked for. */
export function onlyInput<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ') || 'nothing';
  const error = (issue: z.core.$ZodRawIssue) =>
    issue.code === 'unrecognized_keys' ? `${someNames(issue.keys)} is unknown; it takes: ${known}` : undefined;
  return z.strictObject(shape, { error });
}

const MOST_SECONDS = 600;

/** How long a tool waits for what goes on by itself. */
export function waitSeconds(what: string) {
  return z
    .number()
    .min(0)
    .max(MOST_SECONDS)
    .default(50)
    .describe(`How long to wait for the end of ${what}, in seconds.`);
}

/** Paths that a tool is given. */
export function pathList(what: string) {
  return z.array(z.string()).nullish().describe(`${what}; from the root of the repository.`);
}
