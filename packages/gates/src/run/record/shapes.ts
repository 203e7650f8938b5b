import type { CacheNote, KeptSession, SessionCache, Usage } from '@onceover/base/kernel/agent';
import type { SnapshotId } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import type { ReviewSubject } from '@onceover/base/kernel/review-subject';
import {
  CACHE_NOTE,
  type Guard,
  hasShape,
  isAmount,
  isBoolean,
  isInteger,
  isOneOf,
  isOrdinal,
  isString,
  isStrings,
  orMissing,
  orNull,
  type Shape,
  type Shaped,
  USAGE,
} from '@onceover/base/kernel/shape';
import { BRANCH, isBranded, isCommit, isContent } from '../../findings/shapes.ts';

const isSnapshot: Guard<SnapshotId> = isBranded;
const isSettings = (value: unknown): value is ReviewSubject['settings'] =>
  isRecord(value) && Object.values(value).every(isString);
const isVerdict = isOneOf(['pass', 'fail']);

/** The parts of a review subject. The last three are missing in what older versions stored. */
const SUBJECT = {
  content: isContent,
  promptDigest: isString,
  referencesDigest: orMissing(orNull(isString)),
  contextDigest: orMissing(orNull(isString)),
  settings: orMissing(isSettings),
};

/** Facts about how a reviewer reached its verdict, which onceover needs to share a pass with other clones. */
const REVIEW_FACTS = {
  /** Digest of the settings that the verdict depends on. */
  settingsDigest: isString,
  model: orNull(isString),
  agentVersion: orNull(isString),
  onceoverVersion: isString,
  session: isOneOf(['new', 'resumed']),
  /** The files that the reviewer opened; `null` if its agent does not report them. */
  filesOpened: orNull(isStrings),
  usage: orNull(hasShape<Usage>(USAGE)),
  durationMs: isAmount,
  /** SHA-256 over all prompts and answers of the review. */
  transcriptDigest: isString,
};

export type ReviewFacts = Shaped<typeof REVIEW_FACTS>;

export const RECEIPTS = {
  /**
   * A reviewer's verdict on one content of a gate's files. It is stored only for reviewers that onceover ran itself.
   */
  review: {
    gate: isString,
    slot: isOrdinal,
    ...SUBJECT,
    scope: isString,
    verdict: isVerdict,
    /** Ids of the findings that made the reviewer fail, including waived ones. */
    findings: isStrings,
    agent: isString,
    iteration: isOrdinal,
    at: isString,
    /**
     * Facts needed to share the pass with other clones. Missing if an older version stored the verdict, which then
     * cannot be shared.
     */
    made: orMissing(hasShape<ReviewFacts>(REVIEW_FACTS)),
    /** The snapshot that the reviewer saw. Missing if an older version stored the verdict. */
    tree: orMissing(isSnapshot),
  },
  /**
   * The last result of a check. A pass counts only for the same command and for exactly the same files in the
   * repository.
   */
  check: { gate: isString, command: isString, tree: isString, verdict: isVerdict, at: isString },
  /** The last pass of a gate on a branch. The retry limit ignores failures before it. */
  held: { gate: isString, ...BRANCH, content: isContent, at: isString },
};

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
  /**
   * `false`: the run stopped before its reviews, so the number of its iteration may be used again. Missing in records
   * of older versions.
   */
  iterationTookPlace: orMissing(isBoolean),
};

const SESSION_CACHE: Shape<SessionCache> = {
  provider: orNull(isString),
  model: orNull(isString),
  ttl: isOneOf(['5m', '1h']),
  sentTokens: orNull(isAmount),
  opening: orNull(
    hasShape<NonNullable<SessionCache['opening']>>({
      ...{ uncached: isAmount, cached: isAmount, shared: isAmount, requests: isAmount },
    }),
  ),
  resumed: orNull(hasShape<NonNullable<SessionCache['resumed']>>({ requests: isAmount, added: isAmount })),
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
  cache: orMissing(hasShape(SESSION_CACHE)),
  shown: isStrings,
};

/** The fields that say which change of a gate a record is about, with the state of the branch at that time. */
const CYCLE = {
  /** The first iteration that reviewed this change. */
  start: isOrdinal,
  /** The commit or tree that the change was compared with. */
  base: isString,
  head: orNull(isCommit),
  mark: orNull(isString),
};

/**
 * A session that opened files for several reviewers and judged nothing. The reviewer's own session is a copy (fork) of
 * it.
 */
const READING = {
  session: isString,
  /** The reviewer that the cost of reading the files is charged to, such as `review:src:code@1`. */
  leader: isString,
  /** The files that this session opened, and that the reviewer has therefore seen. */
  opened: isStrings,
};

/**
 * The first session that opened the files of a change for several reviewers; later ones continue it. It contains no
 * reviewer's instructions and no verdict.
 */
const BASE_READING = { session: hasShape<KeptSession>(SESSION), opened: isStrings };

/** The fields of a reviewer's record that only onceover writes. Records that another tool wrote do not have them. */
export const OWN = {
  ...SUBJECT,
  snapshot: orNull(isSnapshot),
  ...BRANCH,
  scope: isString,
  session: orNull(hasShape<KeptSession>(SESSION)),
  dispatch: isOneOf(['fresh', 'resumed', 'none']),
  why: isString,
  /** The number of parts of the diff. It is more than 1 if the diff was too long for one prompt. */
  parts: isAmount,
  usage: orNull(hasShape<Usage>(USAGE)),
  durationMs: orNull(isAmount),
  /** The reason why there is no verdict, as text; `null` if there is a verdict. */
  error: orNull(isString),
  /** The files that the reviewer itself opened. Missing if unknown, and in records of older versions. */
  opened: orMissing(isStrings),
  /** The files whose whole text was in the prompt. Missing if there were none. */
  handed: orMissing(isStrings),
  /**
   * The session that read files for several reviewers, if the reviewer's session is a copy (fork) of it; otherwise
   * missing.
   */
  reading: orMissing(hasShape<Shaped<typeof READING>>(READING)),
  /**
   * The session that read files for several reviewers and that a later review can start from. Missing if there is none,
   * and in older records.
   */
  base: orMissing(hasShape<Shaped<typeof BASE_READING>>(BASE_READING)),
  /**
   * The assumption about the provider's cache of the session. Missing if there was no session, and in older records.
   */
  cache: orMissing(hasShape<CacheNote>(CACHE_NOTE)),
  /** The change that the record is about. Missing in records of older versions. */
  cycle: orMissing(hasShape<Shaped<typeof CYCLE>>(CYCLE)),
};
