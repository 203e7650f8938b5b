import type { RepoPath } from './brand.ts';
import type { Failure } from './failure.ts';
import type { Job, Step } from './job.ts';
import type { Problem } from './problem.ts';
import type { OutputSpecs, QualityGateResult, QualityReview, ReviewResult, StepOutputs } from './quality.ts';
import type { SessionName, UnreadableSession, WorkflowSession } from './workflow.ts';
import type { ReviewTrouble } from './workflow-failure.ts';

/** A step that is to be done now, with all that it needs. */
export type BegunStep = {
  readonly session: SessionName;
  readonly step: Step;
  readonly job: Pick<Job, 'folder' | 'commonInfo'>;
  readonly inputs: readonly BegunInput[];
};

export type BegunInput =
  | { readonly kind: 'user'; readonly name: string; readonly description: string }
  /** `paths`: none where the earlier step left the output out. */
  | { readonly kind: 'file'; readonly output: string; readonly fromStep: string; readonly paths: readonly string[] };

/** What came of beginning a workflow. */
export type WorkflowStart = {
  readonly session: WorkflowSession;
  readonly begun: readonly BegunStep[];
  /** True: nobody was named to review, and Claude Code is not here. */
  readonly forWantOfReviewer: boolean;
};

/** Which look of a reviewer it is. */
export type ReviewName = Pick<ReviewResult, 'review_run_each' | 'target_file'>;

/** What came of saying that a step is finished. */
export type StepEnd = {
  /** As it is afterwards. */
  readonly session: WorkflowSession;
  readonly step: string;
  /** How many reviews were done now. */
  readonly judged: number;
  /** Reviews that passed before on the same files by the same criteria, and were not done again. */
  readonly rests: readonly ReviewName[];
  readonly notices: readonly WorkflowNotice[];
} & (
  | {
      readonly kind: 'failed';
      readonly failed: readonly ReviewResult[];
      /** Reviews that came to no verdict beside them. */
      readonly errors: readonly ReviewTrouble[];
      readonly attempts: number;
    }
  /** Whoever made the outputs is to have them reviewed, by these instructions. */
  | { readonly kind: 'instructed'; readonly file: RepoPath }
  | {
      readonly kind: 'finished';
      /** Why it counts as finished although no reviewer passed it. */
      readonly override: string | null;
      /** The steps that begin now. */
      readonly begun: readonly BegunStep[];
    }
);

/** What somebody should hear of, and what nothing is judged by. */
export type WorkflowNotice = { readonly kind: 'not-in-ledger'; readonly failure: Failure };

/** Where a session stands. */
export type SessionStanding = {
  readonly session: WorkflowSession;
  /** False: its workflow is no longer made of the same steps, or cannot be read. */
  readonly isCurrent: boolean;
  /** The steps that are to be done now. */
  readonly open: readonly BegunStep[];
};

/** The jobs that can be begun, and the sessions, newest first. */
export type OfferedWorkflows = {
  readonly jobs: readonly Job[];
  readonly problems: readonly Problem[];
  readonly sessions: readonly SessionStanding[];
  readonly unreadable: readonly UnreadableSession[];
};

/** What a gate is asked about one look. */
type JudgedStep = { readonly outputs: StepOutputs; readonly projectRoot: string; readonly notes: string | null };

/** Judges outputs, or tells somebody else how to; rejects with a QualityGateError where there is no verdict. */
export interface OutputJudge {
  evaluate(
    given: JudgedStep & {
      readonly qualityCriteria: QualityReview['quality_criteria'];
      readonly additionalReviewGuidance: string | null;
    },
  ): Promise<QualityGateResult>;
  buildReviewInstructionsFile(
    given: JudgedStep & { readonly reviews: readonly QualityReview[]; readonly outputSpecs: OutputSpecs },
  ): Promise<string>;
}
