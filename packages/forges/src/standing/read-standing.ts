import { ok, type Result } from '@onceover/base/kernel/result';
import type { Forge, PublishedRun, PullFacts, PullRequestState } from '../types.ts';
import { type AuthorityFacts, decideAuthority, decidingFiles, type ResultMaker } from './decide-authority.ts';
import { decideConfirmers, describeConfirmation, isConfirmation } from './decide-confirmation.ts';
import type { StandingRefusal } from './describe-standing.ts';
import { differingPart, type PublicationSubject, publicationSubject, subjectOfRun } from './publication-subject.ts';

/** The origin of a result, and the place where it is published. */
export type ResultSource = {
  readonly maker: ResultMaker;
  readonly workflow: AuthorityFacts['workflow'];
  /** The target branch and the commit of a merge queue; `null` if the job does not belong to one. */
  readonly queue: { readonly base: string; readonly head: string; readonly repository: string } | null;
  readonly isDeclaredUntrusted: boolean;
  /** Whether the operator of a server runs the checks of all changes in another CI job. */
  readonly runsChecksElsewhere: boolean;
};

/** The weight of a result on a pull request or a commit. */
export type Standing = {
  /** The subject of the pull request as the forge names it now; `null` for a commit without a pull request. */
  readonly subject: PublicationSubject | null;
  /** Why a result that passes does not count; `null` if it counts. */
  readonly refusal: StandingRefusal | null;
  /** The person who confirmed the result; `null` if it counts without one. */
  readonly confirmedBy: string | null;
};

/** Asks the forge what the pull request is now, and decides what the result may say about it. */
export async function readStanding(
  forge: Forge,
  run: PublishedRun,
  source: ResultSource,
  { commit, state }: { readonly commit: string; readonly state: PullRequestState },
): Promise<Result<Standing>> {
  const { pull } = state;
  const document = run.kind === 'run' ? run.document : null;
  const place = pull ?? (source.queue === null ? null : { ...source.queue, headRepository: source.queue.repository });
  if (place === null) return ok(standingOfCommit(document, source, commit));
  const reviewedSubject = document === null ? null : subjectOfRun(document);
  const baseCommit = await currentBase(forge, place.base, reviewedSubject?.baseCommit ?? null);
  if (!baseCommit.ok) return baseCommit;
  const gates = document === null ? null : [...(reviewedSubject?.gates ?? []), ...missingGates(document, source)];
  const { head, headRepository, repository, base } = place;
  const subject = publicationSubject({ head, headRepository, repository, base, baseCommit: baseCommit.value, gates });
  const counts: Standing = { subject, refusal: null, confirmedBy: null };
  // Only a result that passes needs a reason to count.
  if (reviewedSubject === null || document?.exit_code !== 0) return ok(counts);
  const part = differingPart(reviewedSubject, subject);
  // Without some of its gates, the result still counts for those that ran, so look for other reasons first.
  const differs =
    part === null ? null : ({ kind: 'differs', part, ...bothSides(part, reviewedSubject, subject) } as const);
  if (differs !== null && part !== 'gates') return ok({ ...counts, refusal: differs });
  if (pull?.isOpen === false) return ok({ ...counts, refusal: { kind: 'closed' } });
  const verified = await verify(forge, source, { document, pull, state });
  if (!verified.ok) return verified;
  return ok({ ...counts, ...verified.value, refusal: verified.value.refusal ?? differs });
}

/** Returns what a result says about a commit that no pull request has. */
function standingOfCommit(document: Document | null, source: ResultSource, commit: string): Standing {
  if (source.isDeclaredUntrusted) return { subject: null, refusal: DECLARED, confirmedBy: null };
  const isSame = document === null || commitsIn(document).includes(commit);
  const refusal = isSame ? null : ({ kind: 'other-commit', run: document.commit } as const);
  return { subject: null, refusal, confirmedBy: null };
}

const DECLARED: StandingRefusal = { kind: 'unverified', why: 'declared', edits: [], confirmation: null };

type Document = Extract<PublishedRun, { kind: 'run' }>['document'];

/** Returns the commits that a run without a pull request may speak for. */
function commitsIn({ commit, scope }: Document): readonly string[] {
  const [, chosen = ''] = /^commit ([0-9a-f]+)$/.exec(scope) ?? [];
  return [commit ?? '', chosen].filter((id) => id !== '');
}

function missingGates({ not_asked }: Document, { runsChecksElsewhere }: ResultSource): readonly string[] {
  return not_asked.filter((gate) => !(runsChecksElsewhere && gate.startsWith('check:')));
}

/**
 * Returns the commit of the target branch that the run used, if the branch still contains it; otherwise `null`. The
 * branch may have newer commits: a result does not expire with every merge of another pull request.
 */
async function currentBase(forge: Forge, base: string, commit: string | null): Promise<Result<string | null>> {
  if (commit === null) return ok(null);
  const isContained = await forge.contains(base, commit);
  return isContained.ok ? ok(isContained.value ? commit : null) : isContained;
}

function bothSides(part: keyof PublicationSubject, run: PublicationSubject, pull: PublicationSubject) {
  const text = (value: PublicationSubject[typeof part]) => (typeof value === 'string' ? value : null);
  return { run: text(run[part]), pull: text(pull[part]) };
}

type Verifying = {
  readonly document: Document;
  readonly pull: PullFacts | null;
  readonly state: PullRequestState;
};

async function verify(
  forge: Forge,
  { maker, workflow, queue, isDeclaredUntrusted }: ResultSource,
  { document, pull, state }: Verifying,
): Promise<Result<Pick<Standing, 'refusal' | 'confirmedBy'>>> {
  const facts: AuthorityFacts = {
    maker: queue === null ? maker : 'merge-queue',
    ...{ workflow, isDeclaredUntrusted },
    isFork: pull !== null && pull.headRepository?.toLowerCase() !== pull.repository.toLowerCase(),
    edits: [...decidingFiles(state.files), ...(state.hasAllFiles ? [] : [UNLISTED])],
    ranCommands: document.gates.some(({ kind, status }) => kind === 'check' && status !== 'not_run'),
    confirmedBy: null,
  };
  const authority = decideAuthority(facts);
  if (authority.counts) return ok({ refusal: null, confirmedBy: null });
  if (pull === null) return ok({ refusal: DECLARED, confirmedBy: null });
  const change = { head: pull.head, base: pull.base };
  const confirmedBy = await confirmerOf(forge, state, change);
  if (!confirmedBy.ok) return confirmedBy;
  const finalAuthority = decideAuthority({ ...facts, confirmedBy: confirmedBy.value });
  if (finalAuthority.counts) return ok({ refusal: null, confirmedBy: confirmedBy.value });
  const confirmation = forge.takesConfirmations ? describeConfirmation(change) : null;
  return ok({
    confirmedBy: null,
    refusal: { kind: 'unverified', why: finalAuthority.why, edits: facts.edits, confirmation },
  });
}

const UNLISTED = 'more files than the forge lists';

/** Returns the first account that confirmed the change, may do so, and may write to the repository. */
async function confirmerOf(
  forge: Forge,
  { comments }: PullRequestState,
  change: Parameters<typeof isConfirmation>[1],
): Promise<Result<string | null>> {
  if (!forge.takesConfirmations || !comments.some(({ body }) => isConfirmation(body, change))) return ok(null);
  const authors = await forge.readAuthors();
  if (!authors.ok) return authors;
  for (const name of decideConfirmers(comments, change, authors.value)) {
    const mayWrite = await forge.mayWrite(name);
    if (!mayWrite.ok) return mayWrite;
    if (mayWrite.value) return ok(name);
  }
  return ok(null);
}
