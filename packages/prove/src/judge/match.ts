import type { BugClass, PlantedBug } from '../types.ts';

/** The file, line and text of a finding, as the reviewer reported them. */
export type PlacedFinding = {
  readonly file: string | null;
  readonly line: number | null;
  readonly issue: string;
  readonly fix: string | null;
};

/**
 * Whether a finding is about the planted bug. A finding on the lines of the bug counts. A finding near them, or one
 * that names only the file, counts if it contains a word typical of the kind of bug. No model decides this, so the same
 * answers always give the same scores.
 */
export function findsBug(finding: PlacedFinding, bug: PlantedBug): boolean {
  return bug.places.some(({ file, from, to }) => {
    if (finding.file !== file) return false;
    const { line } = finding;
    if (line !== null && line >= from && line <= to) return true;
    const isNear = line === null || (line >= from - NEAR_LINES && line <= to + NEAR_LINES);
    const words = WORDS[bug.class];
    return isNear && words?.test(`${finding.issue}\n${finding.fix ?? ''}`) === true;
  });
}

// Reviewers often name the beginning of the function, or the call that uses a wrong value, instead of the exact line.
const NEAR_LINES = 8;

/** The words that findings about each kind of bug use. `null` for kinds whose findings have no words in common. */
const WORDS: Readonly<Record<BugClass, RegExp | null>> = {
  boundary: /bound(?:ary|s|aries)|inclusive|exclusive|off[- ]by[- ]one|<=?|>=?|equal|edge case|at least|at most/i,
  guard: /guard|check|condition|invert|negat|missing|null|undefined|\bnil\b|none|early return|no longer|always|never/i,
  await: /await|promise|async|race|unhandled|before it (?:finishes|completes)/i,
  'swallowed-error': /swallow|ignor|silent|error|exception|rethrow|re-throw|catch|except/i,
  'argument-order': /argument|parameter|order|swap|revers|transpos/i,
  'off-by-one': /off[- ]by[- ]one|index|slice|range|length|last|first|bound|substring/i,
  validation: /validat|authori[sz]|permission|saniti[sz]|escap|inject|assert|verif|check|unchecked|untrusted/i,
  resource: /leak|clos|releas|dispos|clean ?up|unlock|defer|finally|never (?:freed|removed)|handle/i,
  unit: /unit|seconds?|minutes?|hours?|milliseconds?|\bms\b|bytes?|kib|cents?|percent|factor|convert|conversion|1000|1024|\b60\b/i,
  fix: null,
  other: null,
};
