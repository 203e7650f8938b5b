import { byCodePoint } from '@onceover/base/kernel/collections';
import { compareSubjects, isWholeSubject, type SubjectDifference } from '@onceover/base/kernel/review-subject';
import { protectedPaths } from '@onceover/repo/config/protected-paths';
import { checkFile, FILE_REFUSALS } from './check-file.ts';
import { isDrawn } from './decide-audit.ts';
import { decideWaiver } from './decide-waiver.ts';
import { maySharePrincipal } from './signers.ts';
import type {
  Acceptance,
  PassFile,
  PassPolicy,
  PassRequest,
  PassStatement,
  PassTrust,
  RefusalReason,
  SignedFile,
  StoredFile,
  TravellingStatement,
  Voucher,
} from './types.ts';

/**
 * The signed files that were found: passes for the gate's content, and waivers by the identity of the waived finding.
 */
export type FoundFiles = {
  readonly passes: readonly SignedFile[];
  readonly waivers: ReadonlyMap<string, readonly SignedFile[]>;
};

/** The scope of passes that are shared: only passes for a whole change, not for a part of it. */
const FULL_SCOPE = 'full';

/**
 * The maximum number of files to check for one gate. Anyone who can write to the remote can add files, so there must be
 * a limit.
 */
const MOST_TRIED = 500;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Decides whether a passed review from another clone counts for a reviewer in this clone. `files` are untrusted
 * until their signatures are checked.
 */
export function decideAccept(request: PassRequest, files: FoundFiles, trust: PassTrust, now: Date): Acceptance {
  const { policy } = trust;
  if (isExcluded(policy, request.files)) return refusal('excluded-path');
  // A pattern that matches no file may be a mistake for any file, so no file counts as unprotected.
  if (!policy.neverFor.every(request.hasFile)) return refusal('idle-pattern');
  if (request.subject.scope !== FULL_SCOPE) return refusal('other-scope');
  const verdicts = files.passes.slice(0, MOST_TRIED).map((file) => tryFile(file, request, files.waivers, trust, now));
  const votes = verdicts.filter((verdict) => verdict.kind === 'vote');
  const signers = vouchersOf(votes);
  const newest = votes.reduce<Vote | null>((best, vote) => (best === null || isNewer(vote, best) ? vote : best), null);
  if (newest === null) return closest(verdicts.filter((verdict) => verdict.kind === 'refused'));
  const { statement } = newest;
  if (signers.length < policy.minSigners) return { ...refusal('too-few-signers'), statement, signers };
  if (isDrawn(trust.auditSecret, request.subject, policy.audit)) {
    return { ...refusal('drawn-for-audit'), statement, signers };
  }
  return { kind: 'accepted', statement, signers };
}

type Refused = Extract<Acceptance, { readonly kind: 'refused' }>;

function refusal(why: RefusalReason): Refused {
  return { kind: 'refused', why, statement: null };
}

/** A valid pass for this reviewer, with all names of the person who signed it. */
type Vote = {
  readonly kind: 'vote';
  readonly statement: PassStatement;
  readonly signer: Voucher;
  readonly principals: readonly string[];
};

function isNewer(a: Vote, b: Vote): boolean {
  const order = byCodePoint(a.statement.passedAt, b.statement.passedAt);
  return order > 0 || (order === 0 && byCodePoint(a.signer.keyFingerprint, b.signer.keyFingerprint) > 0);
}

function isExcluded({ neverFor }: PassPolicy, files: readonly PassFile[]): boolean {
  // An invalid pattern may have been meant for any file, so treat all files as excluded from shared passes.
  return neverFor.some((pattern) => {
    const protects = protectedPaths(pattern);
    return protects === null || files.some(({ path }) => protects(path));
  });
}

/**
 * The reasons why a single pass is refused. They are sorted: a pass with a later reason is closer to being accepted.
 */
const CLOSER: readonly RefusalReason[] = [
  ...FILE_REFUSALS,
  'other-scope',
  'older-version',
  'other-prompt',
  'other-references',
  'other-context',
  'other-agent',
  'changed-agent',
  'other-settings',
  'session-not-accepted',
  'too-old',
  'waiver-missing',
];

function closest(refusals: readonly Refused[]): Refused {
  return refusals.reduce<Refused>(
    (best, candidate) => (CLOSER.indexOf(candidate.why) > CLOSER.indexOf(best.why) ? candidate : best),
    refusal('no-statement'),
  );
}

function tryFile(
  file: SignedFile,
  request: PassRequest,
  waivers: FoundFiles['waivers'],
  trust: PassTrust,
  now: Date,
): Vote | Refused {
  const { gate, content } = request.subject;
  const isAbout = (statement: TravellingStatement): statement is PassStatement =>
    isOfSlot(statement, request) && statement.content === content;
  const result = checkFile(file, isAbout, trust.signers, now);
  // Never show text that an unknown signer wrote, so leave the content of the file out of the refusal.
  if (!result.ok) {
    const { why, keyFingerprint } = result;
    return keyFingerprint === null ? refusal(why) : { ...refusal(why), keyFingerprint };
  }
  const { statement, signer, principals } = result;
  const isWaived = (finding: string) =>
    trust.waiverSigners !== null &&
    decideWaiver({ finding, gate }, waivers.get(finding) ?? [], trust.waiverSigners, now).ok;
  const difference = mismatch(statement, request);
  if (difference !== null) return { ...refusal('no-statement'), ...difference, statement, signers: [signer] };
  const reason =
    policyProblem(statement, trust.policy, now) ?? (statement.waived.every(isWaived) ? null : 'waiver-missing');
  if (reason !== null) return { ...refusal(reason), statement, signers: [signer] };
  return { kind: 'vote', statement, signer, principals };
}

function isOfSlot(statement: TravellingStatement, { subject }: PassRequest): statement is PassStatement {
  return statement.kind === 'pass' && statement.gate === subject.gate && statement.slot === subject.slot;
}

type Mismatch = Pick<Refused, 'why' | 'setting'>;

/** Returns the first fact in which a pass differs from this clone's gate; `null` if no fact differs. */
function mismatch(statement: PassStatement, { subject, settingsDigests, changedAgents }: PassRequest): Mismatch | null {
  if (statement.scope !== subject.scope) return { why: 'other-scope' };
  const difference = compareSubjects(statement, subject);
  if (difference?.part === 'setting') return { why: 'other-settings', setting: difference.name };
  if (difference !== null) return { why: PART_REFUSALS[difference.part] };
  // No one knows under which settings an older version gave a pass, also not if the gate uses all defaults here.
  if (!isWholeSubject(statement)) return { why: 'older-version' };
  const digest = settingsDigests.get(statement.agent);
  if (digest === undefined) return { why: 'other-agent' };
  // The clone that signed the pass may have run the changed program instead of the one on the base branch.
  if (changedAgents.has(statement.agent)) return { why: 'changed-agent' };
  return digest === statement.settingsDigest ? null : { why: 'other-settings' };
}

const PART_REFUSALS = {
  gate: 'no-statement',
  content: 'no-statement',
  prompt: 'other-prompt',
  references: 'other-references',
  context: 'other-context',
  unrecorded: 'older-version',
} as const satisfies Record<Exclude<SubjectDifference['part'], 'setting'>, RefusalReason>;

/** Returns why the policy refuses the kind of session or the age of this pass; `null` if the policy accepts both. */
function policyProblem(
  { session, passedAt }: PassStatement,
  { accept, maxAgeDays }: PassPolicy,
  now: Date,
): Extract<RefusalReason, 'session-not-accepted' | 'too-old'> | null {
  if (!accept.includes(session)) return 'session-not-accepted';
  return now.getTime() - Date.parse(passedAt) <= maxAgeDays * DAY_MS ? null : 'too-old';
}

/**
 * Returns one signer per person who signed a valid pass. Keys that may belong to the same person count once: those that
 * share a name, directly or through a third key.
 */
function vouchersOf(votes: readonly Vote[]): readonly Voucher[] {
  let people: Vote[][] = [];
  for (const vote of votes) {
    const isSame = (person: readonly Vote[]) => person.some((member) => sharesOwner(vote, member));
    people = [[...people.filter(isSame).flat(), vote], ...people.filter((person) => !isSame(person))];
  }
  return people
    .map((person) => person.reduce((best, vote) => (isNewer(vote, best) ? vote : best)))
    .map(({ signer }) => signer)
    .sort((a, b) => byCodePoint(a.principal, b.principal));
}

function sharesOwner(a: Vote, b: Vote): boolean {
  return a.signer.keyFingerprint === b.signer.keyFingerprint || maySharePrincipal(a.principals, b.principals);
}

/**
 * Returns the newest pass of an allowed signer for the same reviewer and changes, but made before the base branch
 * changed files of the gate; `null` if there is none. That pass does not count. It only explains why no pass for the
 * current content was found.
 */
export function findBaseChange(
  request: PassRequest,
  storedFiles: readonly StoredFile[],
  trust: PassTrust,
  now: Date,
): Refused | null {
  const { gate, slot } = request.subject;
  const name = Buffer.from(JSON.stringify(`${gate}@${slot}`));
  const isAbout = (statement: TravellingStatement): statement is PassStatement =>
    isOfSlot(statement, request) && isOnOtherBase(statement.files, request.files);
  const passes = storedFiles
    // Most files are about other gates, so skip them without parsing.
    .filter(({ file }) =>
      Buffer.from(file.statement.buffer, file.statement.byteOffset, file.statement.byteLength).includes(name),
    )
    .map(({ file }) => checkFile(file, isAbout, trust.signers, now))
    .filter((result) => result.ok)
    .sort((a, b) => byCodePoint(b.statement.passedAt, a.statement.passedAt));
  const [newest] = passes;
  if (newest === undefined) return null;
  return { ...refusal('base-changed'), statement: newest.statement, signers: [newest.signer] };
}

/** Whether two lists of changed files have the same paths and differ, but only in files whose base versions differ. */
function isOnOtherBase(theirFiles: readonly PassFile[], ourFiles: readonly PassFile[]): boolean {
  const byPath = new Map(theirFiles.map((file) => [file.path, file]));
  if (byPath.size !== ourFiles.length) return false;
  let isOther = false;
  for (const file of ourFiles) {
    const counterpart = byPath.get(file.path);
    if (counterpart === undefined) return false;
    if (
      counterpart.baseBlob !== file.baseBlob ||
      (counterpart.baseMode ?? counterpart.mode) !== (file.baseMode ?? file.mode)
    )
      isOther = true;
    else if (counterpart.headBlob !== file.headBlob || counterpart.mode !== file.mode) return false;
  }
  return isOther;
}
