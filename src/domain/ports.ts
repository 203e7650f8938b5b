import type { AgentFailure, AgentReply } from './agent.ts';
import type { CommitId, RepoPath, ReviewId, SnapshotId } from './brand.ts';
import type { ResumeResult } from './capability.ts';
import type { Changes, Listing, Place } from './change.ts';
import type { Event } from './event.ts';
import type { Finding, KnownFinding, Resolution } from './finding.ts';
import type { Entry, GateId } from './gate.ts';
import type { LedgerEntry } from './ledger.ts';
import type { MetaUpdate } from './meta.ts';
import type { MarkReceipt, TaskFacts } from './pass.ts';
import type { PhaseName } from './phase.ts';
import type { KeptLoop, PhaseRun } from './phase-run.ts';
import type { UnusableFile } from './problem.ts';
import type { CheckReceipt, CheckReceiptKey, HeldReceipt, HeldReceiptKey, Receipt, ReceiptKey } from './receipt.ts';
import type { CheckRecord, Cooling, SlotRecord } from './record.ts';
import type { Belonging } from './removal.ts';
import type { Result } from './result.ts';
import type { Scope, Selection, Whereabouts } from './scope.ts';
import type { TaskContent } from './task.ts';
import type { Usage } from './usage.ts';
import type { WithheldFile } from './withheld.ts';
import type { SessionId, UnreadableSession, WorkflowSession } from './workflow.ts';

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
  /** The names of the plain files in a folder, in order; none where there is no such folder. */
  list(folder: RepoPath): Promise<Result<readonly string[]>>;
  write(path: RepoPath, text: string): Promise<Result<void>>;
  /** Removes a file, and the folders above it that are empty then. */
  remove(path: RepoPath): Promise<Result<void>>;
}

/** What a clone holds that nobody but onceover writes: records, generated files, the folder in the git folder, refs. */
export interface Belongings {
  find(): Promise<Result<readonly Belonging[]>>;
  /** Takes all of it away; refused while a run is going on in one of the clone's working trees. */
  remove(): Promise<Result<void>>;
}

export interface Clock {
  now(): Date;
}

/** Asks agents that may only read. */
export interface Reviewers {
  /** The agents that are here, in the order in which they are preferred. */
  readonly names: readonly string[];
  /** All agents that are here, also those that are asked only where a review names them. */
  readonly found: readonly string[];
  /** What must be known of an agent before it is asked; it may take a moment to find out. */
  describe(name: string): Promise<ReviewerFacts>;
  ask(name: string, question: Question, options: AskOptions): Promise<AskEnd>;
}

/** An agent as a reviewer. */
export type ReviewerFacts = {
  readonly model: string | null;
  readonly version: string;
  /** Digest of what it is started with: tools and options. */
  readonly toolsDigest: string;
  /** Whether this version may be resumed; finding out may mean trying it. */
  canResume(): Promise<boolean>;
  /** Which of V1 to V4 this version failed, and how: `V2: …`; null where none is known to have failed. */
  deferredReason(): Promise<string | null>;
  /** The longest diff, in characters, that is put before it at once. */
  readonly diffLimit: number;
  /** Whether a second fresh dispatch reads the stable part of the first from the provider's cache. */
  readonly sharesPrefix: boolean;
  readonly timeoutSeconds: number | null;
  /** Whether it may be asked to change files. */
  readonly canFix: boolean;
  /** How many minutes its provider keeps what it was sent, by what is asked for. */
  readonly warmMinutes: Readonly<Record<'5m' | '1h', number>>;
};

export type Question = {
  /** The part that several dispatches share, where the provider may cache it. */
  readonly stable: string;
  readonly dynamic: string;
  readonly schema: object;
  /** The same schema without optional fields, for providers that have none. */
  readonly strictSchema: object;
  /** The session to go on with; null: a new one. */
  readonly sessionId: string | null;
  /** What the session had used before, for agents that report its total. */
  readonly usedBefore: Usage | null;
  readonly cacheTtl: '5m' | '1h';
  readonly timeoutSeconds: number;
  readonly idleSeconds: number;
  /** True: it is to change files, and may. */
  readonly writes?: boolean;
  /** The model to use instead of the one that the settings name. */
  readonly model?: string;
};

export type AskOptions = {
  readonly stop: AbortSignal | null;
  /** What the agent is doing and has used, as it goes. */
  watch(doing: string | null, usage: Usage | null): void;
};

/** What came back: a reply that is still to be read, or why there is none. */
export type AskEnd =
  | {
      readonly ok: true;
      readonly reply: AgentReply;
      /** The model that answered, where the agent told it. */
      readonly model: string | null;
      readonly durationMs: number;
    }
  | {
      readonly ok: false;
      readonly failure: AgentFailure;
      readonly usage: Usage | null;
      readonly said: string;
      readonly durationMs: number;
    };

/** Runs a shell command of the user's own. */
export interface Checks {
  run(command: string, options: CheckOptions): Promise<CheckEnd>;
}

export type CheckOptions = {
  readonly timeoutSeconds: number;
  readonly env: Readonly<Record<string, string>>;
  readonly stop: AbortSignal | null;
};

export type CheckEnd = {
  readonly ending: 'by-itself' | 'timeout' | 'cancelled' | 'not-started';
  readonly exitCode: number | null;
  readonly output: string;
  readonly durationMs: number;
};

/** The working tree as git trees, looked at with an index of our own. */
export interface Snapshots {
  /** What a run compares: decided once, before it looks. */
  compare(selection: Selection, usualBase: string | null): Promise<Result<Comparison>>;
  /** The differences as they are now. */
  take(comparison: Comparison, left: LeftOut): Promise<Result<Snapshot>>;
  /** Keeps the tree from being collected while a record needs it. */
  keep(tree: SnapshotId): Promise<Result<void>>;
  /** Lets go of every kept tree but these, and those that somebody holds. */
  prune(keep: ReadonlySet<SnapshotId>): Promise<Result<void>>;
  /** Keeps exactly these for somebody who waits, in place of those held for them before; what is gone is left out. */
  hold(owner: string, trees: ReadonlySet<SnapshotId>): Promise<Result<void>>;
  /** What differs between two trees, file by file, in the order of their paths; fails where a tree is gone. */
  sections(from: string, to: string, contextLines: number): Promise<Result<readonly DiffSection[]>>;
  /** The same for these paths alone, without looking for renames. */
  plainSections(from: string, to: string, paths: readonly RepoPath[]): Promise<Result<readonly DiffSection[]>>;
  /** What each of these paths is in a tree; what is not there is not in the answer. */
  filesIn(tree: SnapshotId, paths: readonly RepoPath[]): Promise<Result<ReadonlyMap<RepoPath, TreeFile>>>;
  /** A file's text as it is in a tree; null where there is none or it is not text. */
  textIn(tree: SnapshotId, path: RepoPath): Promise<Result<string | null>>;
  /** Something that differs when one of the files was written to in between, even if it is the same again. */
  touched(paths: readonly RepoPath[]): string;
  /** Files below a folder that git tracks. */
  trackedIn(folder: RepoPath): Promise<Result<ReadonlySet<RepoPath>>>;
  /** Every file of the working tree that git tracks or would track. */
  files(): Promise<Result<readonly RepoPath[]>>;
}

/** A file of a tree: the name of its content, and git's mode of it. */
export type TreeFile = { readonly id: string; readonly mode: string };

/** Two sides of a change; the second is the working tree unless a commit was asked for. */
export type Comparison = {
  readonly scope: Scope;
  readonly where: Whereabouts;
  /** The name that a person would know the base by; null: there is no commit yet. */
  readonly baseName: string | null;
  /** A commit or tree by its id. */
  readonly baseTree: string;
  /** The last commit; null where there is none, or where the run is about a commit. */
  readonly headCommit: CommitId | null;
  /** A commit's tree, where the run is about a commit. */
  readonly headTree: SnapshotId | null;
  /** Only these files and folders, where the run is about them. */
  readonly files: readonly RepoPath[] | null;
};

/** What is never part of a change. */
export type LeftOut = { readonly folders: readonly RepoPath[] };

export type Snapshot = {
  readonly entries: readonly Entry[];
  /** Untracked files that are not sent to anybody: they look like secrets, or are too large. */
  readonly withheld: readonly WithheldFile[];
  readonly unnameable: readonly string[];
  /** Committed changes in folders that are left out: nobody looks at them, so they are named. */
  readonly left?: readonly RepoPath[];
  readonly dirty?: readonly DirtyRepository[];
  /** Whether the name of a file, be it left out or withheld, may have this part; false is certain. */
  mayHave(part: string): boolean;
  /** The whole tree; made when it is first asked for. */
  tree(): Promise<Result<SnapshotId>>;
};

/** A repository inside this one with something in it that is not committed there; another print is another state. */
export type DirtyRepository = { readonly path: RepoPath; readonly print: string };

/** The diff of one file, or of one that was renamed. */
export type DiffSection = { readonly paths: readonly RepoPath[]; readonly text: string };

/** The records of past iterations. */
export interface Records {
  /** All that is there, for these gates; names tell which gate another tool's record belongs to. */
  read(gates: readonly GateName[], tracked: ReadonlySet<RepoPath>): Promise<Result<RecordedPast>>;
  writeSlot(record: SlotRecord, file: SlotFile, log: string): Promise<Result<void>>;
  writeCheck(record: CheckRecord, gate: GateName, log: string): Promise<Result<void>>;
  /** The gate's decisions in one iteration. */
  writeGateLog(gate: GateName, iteration: number, lines: readonly string[]): Promise<Result<void>>;
  /** What a fixer was sent and said after an iteration, for people. */
  writeFixLog(agent: string, iteration: number, log: string): Promise<Result<void>>;
  /** The logs of fixes of the present cycles, newest first; for people. */
  fixLogs(): Promise<readonly FixLog[]>;
  /** Puts records away: those named, or all. */
  archive(which: readonly ArchivedRecord[] | 'all'): Promise<Result<void>>;
  /** What a slot was sent and said, or, with no slot, what a check or a gate wrote; for people. */
  readLog(gate: GateName, slot: number | null, iteration: number): Promise<string | null>;
}

/** What a fixer was sent and said; `path` is from the root. */
export type FixLog = {
  readonly agent: string;
  readonly iteration: number;
  readonly path: string;
  readonly log: string;
};

/** A gate as far as names of files go. */
export type GateName = { readonly id: GateId; readonly kind: 'check' | 'review' | 'rule'; readonly stem: string };

/** Which agent's name is in the file's name: in a slot that rests, the one assigned now. */
export type SlotFile = { readonly gate: GateName; readonly agent: string };

export type RecordedPast = {
  /** The highest iteration of any record; 0 where there is none. */
  readonly lastIteration: number;
  readonly slots: readonly SlotRecord[];
  readonly checks: readonly CheckRecord[];
  /** Our own records of gates that were not asked about, and where they were made. */
  readonly others: readonly (ArchivedRecord & Whereabouts)[];
};

export type ArchivedRecord = { readonly gate: GateId; readonly iteration: number };

/** Proof of what was passed, in the folder that all working trees of the clone share. */
export interface Receipts {
  find(key: ReceiptKey): Promise<Receipt | null>;
  write(receipt: Receipt): Promise<Result<void>>;
  findCheck(key: CheckReceiptKey): Promise<CheckReceipt | null>;
  writeCheck(receipt: CheckReceipt): Promise<Result<void>>;
  findHeld(key: HeldReceiptKey): Promise<HeldReceipt | null>;
  writeHeld(receipt: HeldReceipt): Promise<Result<void>>;
}

/** What is open, closed and waived, over iterations, cycles and working trees. */
export interface Findings {
  all(): Promise<Result<readonly KnownFinding[]>>;
  /** Gives it the next id. */
  add(finding: Omit<Finding, 'id'>): Promise<Result<Finding>>;
  update(finding: Finding): Promise<Result<void>>;
  resolve(id: string, resolution: Resolution): Promise<Result<void>>;
  /** A reviewer found a claim wrong; where somebody has said something else since, that stays. */
  refute(id: string, claim: Resolution): Promise<Result<void>>;
}

/** Everything that passes, findings and agreement to commands are known from: whoever mends may be able to write there. */
export interface Proof {
  note(): Promise<NotedProof>;
}

export type NotedProof = {
  /** Takes back what somebody has written since that would count as a pass, a waiver or an agreement; tells the files. */
  takeBack(): Promise<Result<readonly string[]>>;
};

/** Texts that opened sessions, by digest. */
export interface Openings {
  read(digest: string): Promise<string | null>;
  keep(text: string): Promise<Result<string>>;
  prune(keep: ReadonlySet<string>): Promise<Result<void>>;
}

/** Agents that have reached a limit, until it is over. */
export interface Coolings {
  all(now: Date): Promise<readonly Cooling[]>;
  add(cooling: Cooling): Promise<Result<void>>;
}

/** Which configurations a person has agreed to run in this clone. */
export interface Trust {
  isTrusted(digest: string): Promise<boolean>;
  trust(digest: string): Promise<Result<void>>;
}

/** What each agent's version was seen to be able to do on this machine. */
export interface Capabilities {
  probed(): Promise<readonly ResumeResult[]>;
  keep(result: ResumeResult): Promise<Result<void>>;
}

/** What runs and fixers of this clone used, and what was spared. */
export interface Ledger {
  add(entry: LedgerEntry): Promise<Result<void>>;
  /** All that is kept, oldest first, and how many entries could not be read. */
  all(): Promise<Result<{ readonly entries: readonly LedgerEntry[]; readonly unreadable: number }>>;
}

/** What a feature's folder tells of its phases; people and other tools write there too. */
export interface FeatureFiles {
  meta(): Promise<Result<FeatureMeta>>;
  /** Gives a `.meta.json` that cannot be read another name, which it tells. */
  putMetaAside(at: Date): Promise<Result<string>>;
  /** Tells a phase in `.meta.json`; one that cannot be read is put aside before, and its new name told. */
  tellMeta(update: MetaUpdate, at: Date): Promise<Result<string | null>>;
  /** The whole history; empty where there is none. */
  history(): Promise<Result<string>>;
  writeHistory(text: string): Promise<Result<void>>;
}

export type FeatureMeta =
  | { readonly kind: 'none' | 'unreadable' }
  /** `source`: the path of the document that the feature was made from. */
  | { readonly kind: 'read'; readonly source: string | null };

/** Loops that go on in another call. */
export interface PhaseLoops {
  /** Null: there is none. unreadable: there is one that nobody can go on with. */
  read(phase: PhaseName, feature: RepoPath): Promise<Result<KeptLoop | 'unreadable' | null>>;
  write(loop: KeptLoop): Promise<Result<void>>;
  /** That there is none is fine. */
  remove(phase: PhaseName, feature: RepoPath): Promise<Result<void>>;
}

/** What was sent and said in loops, for people. */
export interface PhaseLogs {
  write(run: Pick<PhaseRun, 'id' | 'phase'>, name: string, log: string): Promise<Result<void>>;
}

/** Commits of exactly what is named. */
export interface Commits {
  commit(paths: readonly RepoPath[], message: string): Promise<CommitEnd>;
}

export type CommitEnd =
  | { readonly kind: 'committed'; readonly commit: CommitId }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly said: string };

/** Workflows that are worked through, and those that have ended; several may read and change them at once. */
export interface WorkflowSessions {
  /** All that can be read, newest first. */
  all(): Promise<
    Result<{ readonly sessions: readonly WorkflowSession[]; readonly unreadable: readonly UnreadableSession[] }>
  >;
  /** Puts a new one there; `taken`: there is one of that id, and nothing was written. */
  create(session: WorkflowSession): Promise<Result<'created' | 'taken'>>;
  /**
   * Changes one as it is at that moment, and nobody else's change is lost. Where `change` fails, nothing is written; where
   * the session cannot be read it is put aside.
   */
  update<T>(
    id: SessionId,
    change: (session: WorkflowSession) => Result<{ readonly session: WorkflowSession; readonly value: T }>,
  ): Promise<Result<T>>;
  /** Gives a session that cannot be read another name, which it tells; null: there is none such any more. */
  putAside(id: string): Promise<Result<string | null>>;
  /** Writes the instructions for a review of a step's outputs. */
  writeInstructions(id: SessionId, step: string, text: string): Promise<Result<RepoPath>>;
}

/** One run at a time a working tree. */
export interface Lock {
  take(): Promise<Result<HeldLock>>;
}

export type HeldLock = { release(): Promise<void> };

/** Hears what happens while work goes on. */
export interface Reporter {
  tell(event: Event): void;
}
