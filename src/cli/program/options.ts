import { InvalidArgumentError } from 'commander';

/** Options that several commands have, each said in one way. */
export const JSON_ANSWER = ['--json', 'answer with one JSON document'] as const;
export const BASE = ['--base <ref>', 'branch or commit that the change is measured from'] as const;
export const PLATFORM = ['--for <platform>', 'whose personas to name', 'claude'] as const;

/** What an option of files adds to what it says. */
export const OR_LISTED = '"-" reads a list from standard input';

/** Collects an option that may be given several times. */
export function several(given: string, before: readonly string[] = []): readonly string[] {
  return [...before, given];
}

/** Reads a whole number within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}
