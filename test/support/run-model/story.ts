import { REPORTED, type Verdict } from './reviewer.ts';
import { PATHS, TEXTS } from './setup.ts';
import type { RunStep, Step } from './steps.ts';

// Steps in words, for stories written by hand.

const PASS: Verdict = {
  kind: 'answer',
  status: 'pass',
  reports: [],
  repeats: false,
  words: [],
  meddles: false,
  edit: null,
};

/** A reviewer that passes without findings, except for the given fields. */
export function says(more: Partial<Verdict> = {}): Verdict {
  return { ...PASS, ...more };
}

/** A reviewer that reports a piece of code. */
export function fails(file: string, code = 'bad'): Verdict {
  return says({ status: 'fail', reports: [{ file: indexOf(REPORTED, file), line: 1, code, priority: 'high' }] });
}

const SLOTS = 15;

/** A whole run: quality@1, @2, @3 and security@1 give these answers, every other slot passes. */
export function run(...verdicts: readonly Verdict[]): RunStep {
  const all = Array.from({ length: SLOTS }, (_, i) => verdicts[i] ?? PASS);
  return { do: 'run', what: 'all', which: 0, how: 'plainly', verdicts: all, checks: [], trouble: null, stopAt: null };
}

/** Writes these words to the file, one per line. */
export function write(path: string, words: string): Step {
  return { do: 'write', path: indexOf(PATHS, path), text: indexOf(TEXTS, `${words.replaceAll(' ', '\n')}\n`) };
}

/** Restores the file to its state at the base. */
export function restore(path: string): Step {
  return { do: 'restore', path: indexOf(PATHS, path) };
}

/** Resolves the newest finding. */
export function resolve(how: 'fixed' | 'skipped'): Step {
  return { do: 'resolve', finding: 0, how };
}

function indexOf(list: readonly string[], wanted: string): number {
  const found = list.indexOf(wanted);
  if (found === -1) throw new Error(`there is no ${JSON.stringify(wanted)}`);
  return found;
}
