import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import type { Entry } from '@onceover/base/kernel/repository';
import {
  type Guard,
  hasShape,
  isBoolean,
  isCount,
  isOneOf,
  isOrdinal,
  isString,
  isTime,
  orNull,
  type Shape,
  type Shaped,
} from '@onceover/base/kernel/shape';
import { PRIORITIES } from '@onceover/repo/config/settings';
import type { GateContent } from '../gate-types.ts';

export const isContent: Guard<GateContent> = isBranded;
export const isCommit: Guard<CommitId> = isBranded;
const isMark = isOneOf(['off-diff', 'no-such-line', 'code-not-found']);

/** The branch that a stored document is about, or its merge-base if HEAD was detached. */
export const BRANCH = { branch: orNull(isString), mergeBase: orNull(isCommit) };

/**
 * Whether a stored id is a string. Its form does not matter here: a wrong id matches nothing, so it cannot make a gate
 * pass.
 */
export function isBranded<T extends string>(value: unknown): value is T {
  return isString(value);
}

/** The person (by login name) or agent (by agent name) that answered a finding. */
export const ACTOR = { kind: isOneOf(['person', 'agent']), name: isString };

const isActor = hasShape<Shaped<typeof ACTOR>>(ACTOR);

/** The answer of a person, an agent or a fixer to a finding. */
export const RESOLUTION = {
  /**
   * - `fixed`: a claim that the finding is fixed; the finding stays open until a reviewer confirms the fix.
   * - `skipped`: a waiver; the finding no longer fails its gate. See `countedResolution` for a waiver by an agent.
   * - `refuted`: a claim that a reviewer rejected; only its time (`at`) still counts, for the retry limit.
   * - `proposed`: a waiver that an agent proposes; the finding stays open until a person or its reviewer agrees.
   */
  how: isOneOf(['fixed', 'skipped', 'refuted', 'proposed']),
  why: isString,
  at: isTime,
  /** The iteration in which the answer was given. It is only shown; the retry limit uses `at`. */
  iteration: isCount,
  by: isActor,
  /** The person or agent that proposed the waiver; `null` if the waiver was not a confirmed proposal. */
  proposedBy: orNull(isActor),
};

export const CLOSING = { how: isOneOf(['fixed', 'withdrawn', 'silent']), why: isString, iteration: isCount };

/**
 * The code that a finding refers to. `occurrence`: if the file has this code several times, which of them is meant,
 * counted from 1.
 */
const ANCHOR = { text: isString, occurrence: isCount };

const ENTRY: Shape<Entry> = {
  path: isPath,
  mode: isMode,
  baseMode: (value) => value === undefined || isMode(value),
  baseBlob: orNull(isString),
  headBlob: orNull(isString),
};

export const FINDING = {
  /** The id: F1, F2 and so on. A number is never used again. */
  id: isFindingId,
  gate: isString,
  scope: isString,
  slot: isOrdinal,
  agent: isString,
  /**
   * The file; `null` if the reviewer named no file of the repository. In that case `issue` starts with the name that it
   * gave, if any.
   */
  file: orNull(isPath),
  line: orNull(isNumber),
  code: orNull(isString),
  /**
   * The quoted code or, if none was quoted, the text of the reported line; `null` if the file does not contain the
   * code.
   */
  anchor: orNull(hasShape<Shaped<typeof ANCHOR>>(ANCHOR)),
  issue: isString,
  fix: orNull(isString),
  priority: isOneOf(PRIORITIES),
  kept: isOneOf(['open', 'warning', 'closed']),
  /** The problem with the reported position, for example that the line does not exist; `null` if there is none. */
  mark: orNull(isMark),
  /** The iteration that first reported the finding. */
  since: isCount,
  at: isTime,
  /** The gate's content when the finding was last reported; `null` if unknown. */
  content: orNull(isContent),
  /** The snapshot's facts about the file when the finding was last reported; `null` if the gate had no such file. */
  entry: orNull(hasShape<Entry>(ENTRY)),
  /** The `fileFingerprint` of the file when the finding was last reported; `null` if unknown. */
  seen: orNull(isString),
  ...BRANCH,
  /**
   * Whether the gate's records were archived after the report. If so, the finding counts only while its file is
   * unchanged.
   */
  cycleEnded: isBoolean,
  closed: orNull(hasShape<Shaped<typeof CLOSING>>(CLOSING)),
};

/** Whether a value is the id of a finding. Such an id is safe as a part of a file name. */
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
