import * as z from 'zod';

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
