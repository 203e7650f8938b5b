import type { Result } from '@onceover/base/kernel/result';
import type { RunDocument } from '@onceover/gates/result/json';

/** A result to publish: the document of a run, or the error that ended it. */
export type PublishedRun =
  | { readonly kind: 'run'; readonly document: RunDocument }
  | { readonly kind: 'error'; readonly message: string; readonly next: string };

/** A comment on a pull request or in one of its threads. */
export type ForgeComment = {
  readonly id: string;
  readonly body: string;
  /** Whether the account that owns the token wrote the comment. Anyone can copy a marker, so only its markers count. */
  readonly isOwn: boolean;
  readonly isHidden: boolean;
  /** The author of the comment; `null` if the forge does not say, for example because the account was deleted. */
  readonly author: { readonly name: string; readonly isPerson: boolean } | null;
  readonly isEdited: boolean;
};

/** A review thread on lines or on a file of the change. */
export type ForgeThread = {
  readonly id: string;
  readonly isResolved: boolean;
  /** Whether the account that owns the token resolved the thread. */
  readonly resolvedByUs: boolean;
  /** The first comment starts the thread; the others are replies. */
  readonly comments: readonly ForgeComment[];
};

/** The newest check run with this name on the commit. */
export type ForgeCheck = { readonly id: string; readonly name: string; readonly externalId: string };

/**
 * A changed file with its unified diff. `patch` is null if the forge does not show a diff, for example for a binary
 * file.
 */
export type ChangedFile = { readonly path: string; readonly oldPath: string; readonly patch: string | null };

/** The facts of a pull request that the forge reports now. */
export type PullFacts = {
  readonly isOpen: boolean;
  readonly isDraft: boolean;
  readonly head: string;
  /** The name of the target branch. */
  readonly base: string;
  /** The repository of the pull request: its name on GitHub, its number on GitLab. */
  readonly repository: string;
  /** The repository of the branch, which differs for a fork; `null` if the fork was deleted. */
  readonly headRepository: string | null;
  /** The address of the repository's page. */
  readonly page: string;
};

/** The accounts that wrote a pull request. */
export type PullAuthors = {
  /** The account that opened the pull request; `null` if it was deleted. */
  readonly author: string | null;
  readonly commits: readonly {
    readonly accounts: readonly string[];
    /** Whether the forge knows the account of the commit's author. */
    readonly isKnown: boolean;
  }[];
};

/** The current state of a pull request on the forge. */
export type PullRequestState = {
  /** The facts of the pull request; `null` if the result belongs to a commit without a pull request. */
  readonly pull: PullFacts | null;
  /** The newest commit of the pull request; null if the result belongs to a commit without a pull request. */
  readonly head: string | null;
  readonly comments: readonly ForgeComment[];
  readonly threads: readonly ForgeThread[];
  readonly checks: readonly ForgeCheck[];
  readonly files: readonly ChangedFile[];
  /** Whether the forge lists every changed file. It leaves out files of very large changes. */
  readonly hasAllFiles: boolean;
};

/** A line in the new version of a file, with its line numbers in the diff. */
export type PlaceLine = {
  readonly line: number;
  /** The number of this line in the old version of the file; null for an added line. */
  readonly oldLine: number | null;
  /**
   * The position in the old version of the file: the number of this line or, for an added line, of the next old line.
   */
  readonly oldAt: number;
};

/** The lines in the new version of a file that a thread is attached to. */
export type LinePlace = {
  readonly kind: 'lines';
  readonly path: string;
  readonly oldPath: string;
  readonly first: number;
  readonly last: number;
  /** The first and the last line of the thread. */
  readonly ends: readonly [PlaceLine, PlaceLine];
  /** The text of these lines, as it is in the file. */
  readonly text: readonly string[];
};

export type FilePlace = { readonly kind: 'file'; readonly path: string; readonly oldPath: string };

export type ThreadPlace = LinePlace | FilePlace;

/** A thread to create. `asFile` is the text for a thread on the whole file, used if the forge rejects the lines. */
export type NewThread = {
  readonly fingerprints: readonly string[];
  readonly place: ThreadPlace;
  readonly body: string;
  readonly asFile: string;
};

/** `pending` is a check that has no result yet. */
export type CheckConclusion = 'success' | 'failure' | 'neutral' | 'action_required' | 'pending';

export type CheckAnnotation = {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly level: 'failure' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
};

/** A check run to create. GitHub shows only the newest check run of each name. */
export type CheckReport = {
  readonly name: string;
  readonly conclusion: CheckConclusion;
  readonly title: string;
  readonly summary: string;
  /** The subject of the check, and a digest of the rest, to recognise an identical check. */
  readonly externalId: string;
  readonly annotations: readonly CheckAnnotation[];
};

/**
 * One write of a publication, with its reason. `orElse` is the edit to make if the forge refuses to resolve the thread,
 * and the reply to post then; null if no reply is needed.
 */
export type PublishAction =
  | { readonly kind: 'create-thread'; readonly thread: NewThread }
  | { readonly kind: 'edit-thread'; readonly comment: string; readonly body: string; readonly why: string }
  | { readonly kind: 'reply'; readonly thread: string; readonly body: string; readonly why: string }
  | {
      readonly kind: 'resolve';
      readonly thread: string;
      readonly reply: string;
      readonly why: string;
      readonly orElse: { readonly comment: string; readonly body: string; readonly reply: string | null };
    }
  | { readonly kind: 'reopen'; readonly thread: string; readonly reply: string; readonly why: string }
  | { readonly kind: 'hide'; readonly comment: string; readonly why: string }
  | { readonly kind: 'show'; readonly comment: string; readonly why: string }
  | { readonly kind: 'delete-thread'; readonly comments: readonly string[]; readonly why: string }
  | { readonly kind: 'create-comment'; readonly about: 'summary' | 'verdict'; readonly body: string }
  | { readonly kind: 'edit-comment'; readonly comment: string; readonly body: string }
  | { readonly kind: 'delete-comment'; readonly comment: string; readonly why: string }
  | { readonly kind: 'create-check'; readonly check: CheckReport };

/** How a write ended: `refused` if the token has no permission, `rejected` if the forge does not accept the content. */
export type WriteEnd = 'done' | 'refused' | 'rejected';

/** Reads and writes one pull request. Every method fails only if the forge cannot be used at all. */
export interface Forge {
  /** The names of the forge and the pull request, for messages. */
  readonly name: string;
  /** Whether people can confirm a result with a comment: the forge has to know the accounts of authors of commits. */
  readonly takesConfirmations: boolean;
  read(): Promise<Result<PullRequestState>>;
  /** Whether a branch contains a commit now. */
  contains(branch: string, commit: string): Promise<Result<boolean>>;
  readAuthors(): Promise<Result<PullAuthors>>;
  /** Whether an account may write to the repository. */
  mayWrite(account: string): Promise<Result<boolean>>;
  /**
   * Creates threads, in few requests if possible. Returns one result per thread, in the same order: `rejected` if the
   * forge does not accept the lines of the thread.
   */
  createThreads(threads: readonly NewThread[]): Promise<Result<readonly WriteEnd[]>>;
  reply(thread: string, body: string): Promise<Result<WriteEnd>>;
  setResolved(thread: string, isResolved: boolean): Promise<Result<WriteEnd>>;
  editThreadComment(comment: string, body: string): Promise<Result<WriteEnd>>;
  /**
   * Hides a comment, so that the forge shows only a note that it is hidden. If `isHidden` is false, shows the comment
   * again.
   */
  setHidden(comment: string, isHidden: boolean): Promise<Result<WriteEnd>>;
  deleteThreadComment(comment: string): Promise<Result<WriteEnd>>;
  createComment(body: string): Promise<Result<WriteEnd>>;
  editComment(comment: string, body: string): Promise<Result<WriteEnd>>;
  deleteComment(comment: string): Promise<Result<WriteEnd>>;
  createCheck(check: CheckReport): Promise<Result<WriteEnd>>;
}
