import { PRIORITIES } from '../../config/settings.ts';
import type { KeptSession, Usage } from '../../kernel/agent.ts';
import type { Brand, CommitId, RepoPath, SnapshotId } from '../../kernel/ids.ts';
import { repoPath } from '../../kernel/paths.ts';
import type { Entry } from '../../kernel/repository.ts';
import {
  type Guard,
  hasShape,
  isAmount,
  isBoolean,
  isCount,
  isInteger,
  isOneOf,
  isOrdinal,
  isString,
  isStrings,
  isTime,
  orNull,
  type Shape,
  type Shaped,
  USAGE,
} from '../../kernel/shape.ts';

/** A hash over a gate's entries. Equal hashes mean the same change to review. */
export type GateContent = Brand<'GateContent'>;

const isContent: Guard<GateContent> = isBranded;
const isSnapshot: Guard<SnapshotId> = isBranded;
const isCommit: Guard<CommitId> = isBranded;
const isVerdict = isOneOf(['pass', 'fail']);
const isMark = isOneOf(['off-diff', 'no-such-line', 'code-not-found']);

const BRANCH = { branch: orNull(isString), mergeBase: orNull(isCommit) };

/** Whether a stored id is a string. Only our own records hold such ids, and an id that matches nothing proves nothing. */
function isBranded<T extends string>(value: unknown): value is T {
  return isString(value);
}

/** The answer of a user, an agent or a fixer to a finding. */
export const RESOLUTION = {
  /**
   * - `fixed`: a claim; the finding stays open until a reviewer confirms the fix.
   * - `skipped`: a waiver.
   * - `refuted`: a claim that a reviewer rejected; only its time still counts, for the retry limit.
   * - `disputed`: a fixer's objection; it changes nothing until a reviewer has read it.
   */
  how: isOneOf(['fixed', 'skipped', 'refuted', 'disputed']),
  why: isString,
  at: isTime,
  /** Stored for people; the retry limit goes by `at`. */
  iteration: isCount,
};

export const CLOSING = { how: isOneOf(['fixed', 'withdrawn', 'silent']), why: isString, iteration: isCount };

/** The text that a finding points at, and which of its occurrences in the file, counted from 1. */
const ANCHOR = { text: isString, occurrence: isCount };

const ENTRY: Shape<Entry> = {
  path: isPath,
  mode: isMode,
  baseMode: (value) => value === undefined || isMode(value),
  baseBlob: orNull(isString),
  headBlob: orNull(isString),
};

/** A problem that a reviewer reported. */
export const FINDING = {
  /** F1, F2, …; never reused. */
  id: isFindingId,
  gate: isString,
  scope: isString,
  slot: isOrdinal,
  agent: isString,
  /** `null` if the reviewer named no file, or one outside of the repository; then the issue text names it. */
  file: orNull(isPath),
  line: orNull(isNumber),
  code: orNull(isString),
  /** Position of the quoted code, or of the line's text if no code was quoted; `null` if the file does not contain it. */
  anchor: orNull(hasShape<Shaped<typeof ANCHOR>>(ANCHOR)),
  issue: isString,
  fix: orNull(isString),
  priority: isOneOf(PRIORITIES),
  kept: isOneOf(['open', 'warning', 'closed']),
  /** A doubt about the reported position. */
  mark: orNull(isMark),
  /** The iteration that reported the finding first. */
  since: isCount,
  at: isTime,
  /** The gate's content when the finding was last reported; `null` if unknown. */
  content: orNull(isContent),
  /** The file's entry when the finding was last reported; `null` if unknown, or if the file had no entry. */
  entry: orNull(hasShape<Entry>(ENTRY)),
  /** The `fileFingerprint` of the file when the finding was last reported; `null` if unknown. */
  seen: orNull(isString),
  ...BRANCH,
  /** Whether the finding's cycle was archived: then it counts only while its entry is unchanged. */
  cycleEnded: isBoolean,
  closed: orNull(hasShape<Shaped<typeof CLOSING>>(CLOSING)),
};

/** Whether a value is a finding's id; only then is it safe in a file's name. */
export function isFindingId(value: unknown): value is string {
  return isString(value) && /^F[1-9]\d{0,8}$/.test(value);
}

function isPath(value: unknown): value is RepoPath {
  return isString(value) && repoPath(value) === value;
}

function isMode(value: unknown): value is string {
  return isString(value) && /^[0-7]{6}$/.test(value);
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** The shapes of receipts, by kind. */
export const RECEIPTS = {
  /** The verdict of a reviewer that onceover ran, for one content. */
  review: {
    gate: isString,
    slot: isOrdinal,
    content: isContent,
    scope: isString,
    promptDigest: isString,
    verdict: isVerdict,
    /** Ids of the findings that a failing reviewer left open. */
    findings: isStrings,
    agent: isString,
    iteration: isOrdinal,
    at: isString,
  },
  /** The last result of a check. A pass counts only for the same whole tree and the same command. */
  check: { gate: isString, command: isString, tree: isString, verdict: isVerdict, at: isString },
  /** Records that a gate passed in a cycle: the retry limit ignores failures before it. */
  held: { gate: isString, ...BRANCH, content: isContent, at: isString },
};

/** The record of one check in one iteration. */
export const CHECK_RECORD = {
  gate: isString,
  iteration: isOrdinal,
  timestamp: isString,
  status: isOneOf(['pass', 'fail', 'error']),
  command: isString,
  exitCode: orNull(isInteger),
  durationMs: isAmount,
  tree: isString,
  ...BRANCH,
  scope: isString,
  why: orNull(isString),
};

const SESSION: Shape<KeptSession> = {
  id: isString,
  agent: isString,
  model: orNull(isString),
  version: isString,
  toolsDigest: isString,
  firstPromptLength: isAmount,
  saw: isString,
  stableDigest: isString,
  usedBefore: orNull(hasShape(USAGE)),
  contextTokens: orNull(isAmount),
  freshTokens: orNull(isAmount),
  lastUsedAt: isString,
  warmMinutes: isAmount,
  shown: isStrings,
};

/** The fields that only onceover's own slot records have. */
export const OWN = {
  content: isContent,
  snapshot: orNull(isSnapshot),
  ...BRANCH,
  scope: isString,
  promptDigest: isString,
  session: orNull(hasShape<KeptSession>(SESSION)),
  dispatch: isOneOf(['fresh', 'resumed', 'none']),
  why: isString,
  /** Number of parts that the diff was split into. */
  parts: isAmount,
  usage: orNull(hasShape<Usage>(USAGE)),
  durationMs: orNull(isAmount),
  /** A sentence that says why there is no verdict; `null` if there is one. */
  error: orNull(isString),
};
