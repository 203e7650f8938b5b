import { codeSpan } from '../describe-text.ts';
import type { Authority } from './decide-authority.ts';
import type { SubjectPart } from './publication-subject.ts';

/** Why a result that passes does not count as a pass on this pull request. */
export type StandingRefusal =
  | { readonly kind: 'differs'; readonly part: SubjectPart; readonly run: string | null; readonly pull: string | null }
  | { readonly kind: 'closed' }
  | { readonly kind: 'other-commit'; readonly run: string | null }
  | {
      readonly kind: 'unverified';
      readonly why: Extract<Authority, { counts: false }>['why'];
      readonly edits: readonly string[];
      /** The comment by which another person can confirm the result; `null` if the forge does not support it. */
      readonly confirmation: string | null;
    };

const PART_NAMES: Readonly<Record<SubjectPart, string>> = {
  head: 'newest commit',
  headRepository: 'repository of the branch',
  repository: 'repository',
  base: 'target branch',
  baseCommit: 'commit of the target branch',
  gates: 'gates',
};

/** Returns a title and a sentence that say why a result does not count as a pass. */
export function describeStandingRefusal(refusal: StandingRefusal): { readonly title: string; readonly why: string } {
  switch (refusal.kind) {
    case 'closed':
      return {
        title: 'Not open',
        why: 'The pull request is not open, so the result does not count as a pass.',
      };
    case 'other-commit':
      return {
        title: 'Another commit',
        why: `The run reviewed ${refusal.run === null ? 'a commit that its result does not name' : codeSpan(refusal.run)}, so its result does not count as a pass here. Run again on this commit.`,
      };
    case 'differs':
      return { title: 'Another change', why: describeDifference(refusal) };
    case 'unverified':
      return { title: 'Not verified', why: describeUnverified(refusal) };
  }
}

function describeDifference({ part, run, pull }: Extract<StandingRefusal, { kind: 'differs' }>): string {
  if (part === 'gates') {
    return 'Some gates of this change were not part of the run, so its result does not count as a pass. Require the checks of the gates instead.';
  }
  const name = PART_NAMES[part];
  if (run === null) {
    return `The result does not say which ${name} the run was about, so it does not count as a pass. Run "onceover run" in a job of the pull request, with this version of onceover.`;
  }
  const isCommit = part === 'baseCommit';
  const difference = isCommit
    ? `The run used the commit ${codeSpan(run)}, which is not in the target branch`
    : `The run was about another ${name} (${codeSpan(run)}) than the pull request has now (${pull === null ? 'unknown' : codeSpan(pull)})`;
  return `${difference}, so its result does not count as a pass. Run again.`;
}

const UNVERIFIED = {
  declared: 'The author of the pull request controls the job that made this result, so it does not count as a pass.',
  fork: 'The author of the fork controls the job that made this result, so it does not count as a pass.',
  edits: 'The pull request changes how changes are judged, so its own jobs cannot vouch for it.',
  'other-job': 'A job of the pull request made this result, so it does not count as a pass by itself.',
} as const;

function describeUnverified({ why, edits, confirmation }: Extract<StandingRefusal, { kind: 'unverified' }>): string {
  const files =
    why === 'edits' ? ` Files: ${edits.slice(0, 5).map(codeSpan).join(', ')}${edits.length > 5 ? ', …' : ''}.` : '';
  const next =
    confirmation === null
      ? ' Let "onceover serve", a merge queue or a job of the target branch judge the pull request.'
      : ` A person with write access who wrote none of its commits can confirm it with this comment: ${codeSpan(confirmation)}. Then publish again.`;
  return `${UNVERIFIED[why]}${files}${next}`;
}
