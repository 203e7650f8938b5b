import type { CommitId, RepoPath, ReviewId, SnapshotId } from './brand.ts';
import type { ResumeResult } from './capability.ts';
import type { Changes, Listing, Place } from './change.ts';
import type { Session } from './dispatch.ts';
import type { Event } from './event.ts';
import type { Disposition, Finding } from './finding.ts';
import type { Entry, GateId } from './gate.ts';
import type { MarkReceipt, TaskFacts } from './pass.ts';
import type { UnusableFile } from './problem.ts';
import type { Result } from './result.ts';
import type { TaskContent } from './task.ts';
import type { Usage } from './usage.ts';

/** The repository under review, as git tells it; it never writes there. */
export interface Repository {
  readonly place: Place;
  /**
   * Everything that differs from the merge-base with `base`, and the listing of the working tree. The listing is known
   * first: `onListing` may begin to work with it.
   */
  changes(base: string | null, onListing?: (listing: Listing) => void): Promise<Result<Changes>>;
  /** The working tree alone, without asking what changed; `deleted` is tracked and not on disk. */
  listing(): Promise<Result<{ readonly listing: Listing; readonly deleted: readonly RepoPath[] }>>;
  /** Those of the paths that the last commit or the merge-base knows. */
  known(paths: readonly RepoPath[], base: string | null): Promise<Result<ReadonlySet<RepoPath>>>;
  /** Whether the user's ignore rules keep the path out of everything. */
  ignores(path: RepoPath): Promise<Result<boolean>>;
}

/** The bytes of the working tree; nothing outside the repository is ever read. */
export interface Contents {
  /** SHA-256 over the files' bytes in the order given, `MISSING` for one that cannot be read. */
  digest(paths: readonly RepoPath[]): Promise<TaskContent>;
  /** A file's text, cut after `limit` bytes. */
  text(path: RepoPath, limit: number): Promise<FileText>;
  exists(path: RepoPath): Promise<'file' | 'folder' | 'missing'>;
}

export type FileText =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number; readonly cut: boolean }
  | { readonly kind: 'unusable'; readonly why: UnusableFile | 'binary' };

/** Passes of reviews: markers in the working tree, receipts in the git folder. */
export interface Passes {
  /** Ids with a marker; a marker that is not a plain file is no marker. */
  marked(): Promise<Result<{ readonly ids: ReadonlySet<string>; readonly notFiles: ReadonlySet<string> }>>;
  receipt(id: ReviewId): Promise<MarkReceipt | null>;
  /** Remembers what a task is, so that a later mark has something to vouch for. */
  remember(facts: readonly TaskFacts[]): Promise<Result<void>>;
  /** Sets the marker; `vouched` tells whether instructions for this id were written here before. */
  mark(id: ReviewId, by: MarkReceipt['by'], at: Date): Promise<Result<{ readonly vouched: boolean }>>;
}

/** The folder of instruction files. */
export interface InstructionFiles {
  /** Puts exactly these files there; earlier `.md` files go, everything else stays. */
  replace(files: ReadonlyMap<ReviewId, string>): Promise<Result<ReadonlyMap<ReviewId, RepoPath>>>;
}

/** The user's own files at the root, for setting up. */
export interface ProjectFiles {
  /** Null where there is none. */
  read(path: RepoPath): Promise<Result<string | null>>;
  write(path: RepoPath, text: string): Promise<Result<void>>;
}

export interface Clock {
  now(): Date;
}

/** Sends one prompt to an agent that may only read. */
export interface Reviewer {
  readonly agent: string;
  ask(question: Question, watch: (event: Event) => void, stop: AbortSignal): Promise<Result<Reply>>;
}

/** Sends one prompt to an agent that may write in the working tree. */
export interface Fixer {
  readonly agent: string;
  fix(question: Question, stop: AbortSignal): Promise<Result<Reply>>;
}

export type Question = {
  /** The part that is the same in every iteration, where the provider may cache it. */
  readonly stable: string;
  readonly dynamic: string;
  readonly schema: object;
  readonly session: Session | null;
  readonly timeoutSeconds: number;
};

export type Reply = {
  readonly text: string;
  readonly structured: unknown;
  readonly session: Session | null;
  readonly usage: Usage | null;
};

/** Runs a shell command of the user's own. */
export interface Checks {
  run(command: string, timeoutSeconds: number, stop: AbortSignal): Promise<Result<{ readonly exitCode: number }>>;
}

/** Git trees of the working tree as it was. */
export interface Snapshots {
  take(): Promise<Result<SnapshotId>>;
  entries(base: CommitId | null, snapshot: SnapshotId): Promise<Result<readonly Entry[]>>;
  diff(from: SnapshotId, to: SnapshotId, paths: readonly RepoPath[]): Promise<Result<string>>;
}

/** The records of past iterations. */
export interface Records {
  latest(gate: GateId): Promise<Result<readonly SlotRecord[]>>;
  write(record: SlotRecord): Promise<Result<void>>;
}

export type SlotRecord = {
  readonly gate: GateId;
  readonly slot: number;
  readonly iteration: number;
  readonly agent: string;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass';
  readonly passIteration: number | null;
  readonly findings: readonly Finding[];
};

/** What is open, claimed and waived, over iterations. */
export interface Findings {
  open(gate: GateId): Promise<Result<readonly Finding[]>>;
  resolve(disposition: Disposition): Promise<Result<Finding>>;
}

/** One dispatch at a time a session. */
export interface Sessions {
  hold<T>(id: string, work: () => Promise<T>): Promise<T>;
}

/** What each agent's version was seen to be able to do on this machine. */
export interface Capabilities {
  probed(): Promise<readonly ResumeResult[]>;
  keep(result: ResumeResult): Promise<Result<void>>;
}

/** One run at a time a clone. */
export interface Lock {
  take(): Promise<Result<{ release(): Promise<void> }>>;
}

/** Where jobs wait their turn. */
export interface Queue {
  add<T>(job: () => Promise<T>): Promise<T>;
}

export interface Reporter {
  tell(event: Event): void;
}

export interface Prices {
  cost(model: string, usage: Usage): number | null;
}

export interface Ids {
  next(): string;
}
