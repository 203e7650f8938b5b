import type { CacheNote, DispatchFacts, DispatchPlan, KeptSession } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { DiffSection } from '@onceover/base/kernel/repository';
import type { CacheHistory } from './cache-life.ts';
import type { CacheTtl } from './cache-rules.ts';
import type { ResumedReview } from './handover.ts';

/** A reviewer that is about to run, with all facts that decide which session and which prompt it gets. */
export type ReuseJob = {
  readonly review: string;
  /** Identifies the files under review. The prompts of reviewers of the same content begin alike. */
  readonly content: string;
  readonly now: DispatchFacts['now'];
  readonly agent: ReuseAgent;
  readonly wanted: DispatchFacts['wanted'];
  /** The length in characters of the instructions and the diff that a prompt for a new session begins with. */
  readonly openingLength: number;
  /** Files that earlier reviews of the change opened, so that the prompt for a new session could show them. */
  readonly openedBefore: readonly OpenedFile[];
  readonly past: PastReview | null;
  /** Returns the prompts for a new session, one for each part of the diff. They show the given files. */
  compose(given: readonly OpenedFile[]): readonly ComposedPrompt[];
  /** Returns the prompt for a copy (fork) of a session that read the files, from the prompt for a new session. */
  composeFork(fresh: ComposedPrompt): ComposedPrompt;
};

/** The abilities of an agent with sessions and caches. */
type ReuseAgent = {
  readonly canResume: boolean;
  /** Whether one session of the agent can read the files for several reviewers, which continue in copies of it. */
  readonly canShare: boolean;
  /** Digest of the inputs that must stay the same in a session that only reads files. */
  readonly readingDigest: string;
  readonly sharesPrefix: boolean;
  readonly provider: string | null;
  /** The model that answers if onceover names none; `null` if unknown. */
  readonly usualModel: string | null;
};

/** A file that reviewers opened, with its text and the chance that a reviewer in a new session needs it. */
export type OpenedFile = { readonly path: RepoPath; readonly text: string; readonly likely: number };

/** A reviewer's last review of the change. */
export type PastReview = {
  /** The time of the review. */
  readonly at: string;
  readonly sawThisContent: boolean;
  readonly session: KeptSession | null;
  /** The changes that the prompt has to describe to the session, or the data that is missing for that; `null` without a session. */
  readonly delta: SessionDelta | LostDelta | null;
  readonly resumedReviews: readonly ResumedReview[];
  /** The files that the reviewer opened or was shown in all its reviews of the change. */
  readonly seen: readonly string[];
  /** Whether the review was a copy (fork) of a session that read the files. */
  readonly isFork: boolean;
  readonly base: BaseReading | null;
};

/** An earlier session that read files for several reviewers. `delta`: the changes that the prompt describes to it; `null` if unknown. */
export type BaseReading = {
  readonly session: KeptSession;
  readonly opened: readonly string[];
  readonly delta: SessionDelta | null;
};

export type LostDelta = { readonly lost: 'session' | 'snapshot' | 'diff' };

/** The changes that a session has not seen yet, and the prompt that shows them. */
export type SessionDelta = {
  readonly prompt: ComposedPrompt;
  readonly sections: readonly DiffSection[];
  readonly wholeFiles: readonly WholeFile[];
  /** Returns the prompt with these diffs. `whole` lists the files whose diff shows the whole file. */
  compose(sections: readonly DiffSection[], whole: readonly RepoPath[]): ComposedPrompt;
};

/** A changed file with its part of the diff (`section`), and the same part with all lines of the file (`all`). */
export type WholeFile = {
  readonly path: RepoPath;
  readonly section: DiffSection;
  readonly all: DiffSection;
  /** Whether the change adds the file. */
  readonly isAdded: boolean;
};

/** The figures of earlier calls in this repository, and the settings and the time of this run. */
export type ReuseHistory = {
  readonly cache: CacheHistory;
  readonly now: Date;
  readonly cacheTtl: 'auto' | CacheTtl;
  readonly shareReading: 'reviews' | 'all' | 'off';
};

/** The prompt that resumes a session, after some diffs were replaced by diffs that show the whole file. */
export type ResumePrompt = {
  readonly prompt: ComposedPrompt;
  readonly session: KeptSession;
  /** Changed files whose whole text is in the prompt. */
  readonly handed: readonly RepoPath[];
  /** The number of changed files that the reviewer will probably open again, and their tokens. */
  readonly reopens: { readonly files: number; readonly tokens: number };
};

/** An earlier session that reads the later changes for several reviewers, with the prompt that shows them. */
export type ContinuedReading = {
  readonly base: Pick<BaseReading, 'session' | 'opened'>;
  readonly prompt: ComposedPrompt;
  /** Whether the provider no longer has the earlier session in its cache. */
  readonly isExpired: boolean;
  readonly note: CacheNote;
  readonly ttl: CacheTtl;
};

/** One session that reads files for several jobs. `continues`: the earlier session that it continues, if any. */
export type PlannedReading = { readonly jobs: readonly ReuseJob[]; readonly continues: ContinuedReading | null };

/** The session and the prompts of one job, with the reason. */
export type JobReuse = {
  /** Whether to resume a session or to start a new one, and why. */
  readonly dispatch: DispatchPlan;
  /** The prompts for a new session. There is one for each part of the diff. */
  readonly fresh: readonly ComposedPrompt[];
  /** The files whose whole text is in the prompts for a new session. */
  readonly given: readonly RepoPath[];
  readonly resumed: ResumePrompt | null;
  /** The session that reads the files for this job and others; `null` if the job reads alone. */
  readonly reading: PlannedReading | null;
  /** How long the provider should cache the prompt. */
  readonly ttl: CacheTtl;
  /** The assumption about the provider's cache of the session; `null` if there is no session to resume. */
  readonly note: CacheNote | null;
  /**
   * A key that is the same for jobs whose prompts have the same start, which the provider can cache for all of them;
   * `null` if the job shares none.
   */
  readonly prefix: string | null;
  /** Whether the reviewer will probably answer with one request, as in its last new session. */
  readonly answersAtOnce: boolean;
};
