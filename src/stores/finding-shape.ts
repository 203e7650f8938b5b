import type { Finding, Resolution } from '../domain/finding.ts';
import { repoPath } from '../domain/repo-path.ts';
import {
  hasShape,
  isCount,
  isOneOf,
  isOrdinal,
  isText,
  isTime,
  isTruth,
  orNull,
  readShape,
  type Shape,
} from './shape.ts';

/** The finding that a value from outside is, without what does not belong to one; null where it is none. */
export function readFinding(value: unknown): Finding | null {
  return readShape(value, FINDING);
}

/** What was said of a finding; null where the value is no such thing. */
export function readResolution(value: unknown): Resolution | null {
  return readShape(value, RESOLUTION);
}

/** Whether a text can be the id of a finding: then it can be part of a file's name. */
export function isFindingId(value: unknown): value is string {
  return isText(value) && /^F[1-9]\d{0,8}$/.test(value);
}

const ANCHOR: Shape<NonNullable<Finding['anchor']>> = { text: isText, occurrence: isCount };
const ENTRY: Shape<NonNullable<Finding['entry']>> = {
  path: isPath,
  mode: isMode,
  baseMode: (value) => value === undefined || isMode(value),
  baseBlob: orNull(isText),
  headBlob: orNull(isText),
};
const CLOSING: Shape<NonNullable<Finding['closed']>> = {
  how: isOneOf(['fixed', 'withdrawn', 'silent']),
  why: isText,
  iteration: isCount,
};

const FINDING: Shape<Finding> = {
  id: isFindingId,
  gate: isText,
  scope: isText,
  slot: isOrdinal,
  agent: isText,
  file: orNull(isPath),
  line: orNull(Number.isFinite),
  code: orNull(isText),
  anchor: orNull(hasShape(ANCHOR)),
  issue: isText,
  fix: orNull(isText),
  priority: isOneOf(['critical', 'high', 'medium', 'low']),
  kept: isOneOf(['open', 'warning', 'closed']),
  onRerun: (value) => value === undefined || value === true,
  mark: orNull(isOneOf(['off-diff', 'no-such-line', 'code-not-found'])),
  since: isCount,
  at: isTime,
  content: orNull(isText),
  entry: orNull(hasShape(ENTRY)),
  seen: orNull(isText),
  branch: orNull(isText),
  mergeBase: orNull(isText),
  cycleEnded: isTruth,
  closed: orNull(hasShape(CLOSING)),
};

const RESOLUTION: Shape<Resolution> = {
  how: isOneOf(['fixed', 'skipped', 'refuted', 'disputed']),
  why: isText,
  at: isTime,
  iteration: isCount,
};

function isPath(value: unknown): boolean {
  return isText(value) && repoPath(value) === value;
}

function isMode(value: unknown): boolean {
  return isText(value) && /^[0-7]{6}$/.test(value);
}
