import type { AgentFailure, Cooldown, MissingAgent } from './agent.ts';
import type { RepoPath, SessionId } from './ids.ts';
import type { DocumentPhase, PhaseName } from './review-loops.ts';

/** A problem and its position in a file that the caller knows. */
export type PlacedProblem = { readonly line: number; readonly column: number; readonly what: ProblemKind };

// Failures with exit code 3: onceover could not judge the gates. All other failures have exit code 2.
const COULD_NOT_JUDGE: ReadonlySet<Failure['kind']> = new Set([
  'not-a-repository',
  'odd-root',
  'bare-repository',
  'other-worktree',
  'git-missing',
  'git-too-old',
  'git-failed',
  'agent-not-tried',
  'path-in-the-way',
  'disk',
  'input-cut-off',
  'lock-held',
  'inside-a-run',
  'confirmed-by-agent',
  'agreed-inside-a-run',
  'config-changed',
  'not-trusted',
  'no-reviewer',
  'unnameable-code',
  'no-verdict',
  'signing-failed',
  'outputs-changed',
  'reviewer-not-here',
  'unreadable-session',
  'session-busy',
  'passes-carrier',
  'forge-failed',
  'forge-refused',
  'store-failed',
] as const);

/** Returns the exit code of a failure: 2 for wrong usage or configuration, 3 if the gates could not be judged. */
export function exitCode(failure: Failure): 2 | 3 {
  const couldNotJudge = failure.kind === 'no-merge-base' ? failure.shallow : COULD_NOT_JUDGE.has(failure.kind);
  return couldNotJudge ? 3 : 2;
}

/** Turns a table of kinds into a union of `{ kind, ...facts }`. A kind without facts is `unknown` in the table. */
type OneOf<Facts> = { [Kind in keyof Facts]: Readonly<{ kind: Kind } & Facts[Kind]> }[keyof Facts];

/** An expected failure: a kind and its facts. `ui/describe-failure.ts` writes the message for the user. */
export type Failure =
  | WorkflowFailure
  | OneOf<{
      'not-a-repository': { folder: string };
      'odd-root': { folder: string };
      'bare-repository': { folder: string };
      /** git reads the folder `root` in place of the one that onceover runs in. */
      'other-worktree': { folder: string; root: string };
      'git-missing': unknown;
      'git-too-old': unknown;
      'git-failed': { command: string; said: string };
      'unknown-base': { base: string };
      /** The name stands for several branches or tags. */
      'ambiguous-name': { name: string };
      'no-base': { tried: readonly string[] };
      'no-merge-base': { base: string; shallow: boolean };
      'several-merge-bases': { base: string };
      'broken-config': { problems: readonly Problem[] };
      /** The change commits files in the folders in which onceover writes its own files. */
      'own-files-committed': { files: readonly string[] };
      /** There is no gate and no rule. `base`: in a pull request, the target branch, where the configuration must be. */
      'not-configured': { base: string | null };
      'log-dir-hides': { logDir: string; files: readonly string[] };
      'bad-review-id': { id: string; why: BadReviewId };
      'unknown-agent': { name: string; known: readonly string[] };
      'agent-not-installed': { agent: MissingAgent };
      /** onceover cannot let this agent write files. `able` lists the agents that can fix. */
      'cannot-fix': { name: string; able: readonly string[] };
      'agent-not-tried': { agent: string; failure: AgentFailure };
      'path-outside': { path: string };
      'path-in-the-way': { path: string; found: InTheWay };
      disk: { action: 'read' | 'write'; path: string; code: string };
      /** Reading standard input failed before all of it was read. */
      'input-cut-off': { code: string };
      'wrong-usage': { said: string; command: string | null };
      'lock-held': { pid: number; host: string; since: string };
      'inside-a-run': unknown;
      /** Only a person may confirm a waiver, and the caller may be an agent. `isInRun`: a run started the command. */
      'confirmed-by-agent': { id: string; isInRun: boolean };
      'not-proposed': { id: string };
      'agreed-inside-a-run': unknown;
      'unknown-path': { path: string };
      'config-changed': unknown;
      'unknown-commit': { commit: string };
      'unknown-gate': { gate: string; known: readonly string[] };
      'unknown-finding': { id: string; known: readonly string[] };
      'finding-closed': { id: string };
      'unknown-subject': { name: string };
      'ambiguous-subject': { name: string; gates: readonly string[] };
      'not-trusted': { commands: readonly string[] };
      /** git is not configured to sign with an SSH key. `format`: the format that it signs with instead, if any. */
      'no-signing-key': { format: string | null };
      'signing-failed': { why: SigningTrouble; key: string; said: string };
      'short-audit-secret': unknown;
      /** Passes of other clones are off. */
      'passes-off': { why: PassesOff };
      'unknown-run': { id: string | null };
      'unknown-phase': { name: string };
      /** onceover has recorded no calls of a review loop for this feature, so there is no cost to show. */
      'feature-without-loops': { feature: string; known: readonly string[] };
      'no-feature': { path: string; why: 'missing' | 'not-a-folder' };
      /** The document at `path`, which the phase `phase` writes and the phase `needs` requires, cannot be used. */
      'unusable-artifact': {
        path: RepoPath;
        why: 'missing' | 'empty' | 'not-text' | 'ignored' | 'withheld' | 'symlink' | 'generated';
        phase: DocumentPhase | null;
        needs: PhaseName;
      };
      'artifact-too-long': { path: RepoPath; characters: number; limit: number; agent: string };
      'nothing-to-implement': { base: string | null };
      /** Changed files whose names are not UTF-8, one latin1 character per byte. No reviewer can open them. */
      'unnameable-code': { names: readonly string[] };
      'no-reviewer': { wanted: readonly string[]; cooling: readonly Cooldown[] };
      'no-waiting-loop': { phase: PhaseName; feature: string };
      /** The caller reported a fix, but the last round of reviews ended without a verdict and must run again first. */
      'unjudged-round': { phase: PhaseName; feature: string };
      /** The caller accepted open issues, but the loop did not end at the limit of reviews. */
      'nothing-to-accept': { phase: PhaseName; feature: string };
      'unknown-loop': { id: string };
      /** The caller reported a fix while the review loop was still running. */
      'round-goes-on': { id: string };
      'unreadable-loop': { phase: PhaseName; feature: string };
      'unreadable-json': { path: string; said: string };
      /** The remote or store `where`, which carries passes between clones, cannot be used. `said`: the program's words. */
      'passes-carrier': { where: string; why: CarrierTrouble; said: string };
      /** The PostgreSQL store cannot be used. `where`: its address without a password. `said`: the server's words. */
      'store-failed': { where: string; why: StoreTrouble; said: string };
      /** The environment does not say where to publish: a variable or an option is missing. */
      'no-forge': { missing: string; expected: string };
      /** The forge does not let the token read or write. */
      'forge-refused': { forge: string; status: number; said: string };
      'forge-failed': { forge: string; said: string };
      /** The document of a run, made by another job, is not valid. */
      'unusable-run': { path: string; said: string };
    }>;

/** The reason why passes of other clones are off. */
export type PassesOff =
  | { readonly kind: 'not-set' | 'no-base' }
  | { readonly kind: 'base-has-none'; readonly base: string }
  | { readonly kind: 'no-signers'; readonly base: string; readonly path: string };

/** The reason why passes could not be fetched, read or pushed. */
export type CarrierTrouble =
  | 'not-a-remote'
  | 'bad-address'
  | 'unreachable'
  | 'refused'
  | 'timeout'
  | 'stopped'
  /** Other clones pushed at the same time, again and again. */
  | 'busy'
  /** A file that a killed git left behind keeps the ref from being changed. */
  | 'locked'
  | 'unreadable'
  | 'too-large'
  /** The store has no list of its statements. */
  | 'cannot-list';

/** The reason why the PostgreSQL store cannot be used. */
export type StoreTrouble =
  /** Neither ONCEOVER_STORE nor the user's config file, which `where` names, has an address. */
  | 'no-address'
  | 'bad-address'
  /** The package `pg` is not installed. */
  | 'no-package'
  | 'unreachable'
  | 'refused'
  | 'timeout'
  /** The server reports a full disk, damaged data or a bug of its own. */
  | 'damaged'
  | 'newer-schema'
  /** No worker takes calls from the queue of the store. */
  | 'no-worker'
  /** A shallow clone does not know its first commit, and the store does not know its remote. */
  | 'shallow-clone';

/** The kind of thing that occupies a path where onceover needs its own file or folder. */
export type InTheWay = 'symlink' | 'folder' | 'file' | 'repository' | 'other';

/** The reason why a string is not a valid review id. */
export type BadReviewId = 'empty' | 'dots' | 'absolute' | 'separator' | 'nul' | 'too-long';

/** The reason why a pass or a waiver could not be signed. */
export type SigningTrouble =
  /** `ssh-keygen`, or the program that git uses in its place, was not found. */
  | 'no-program'
  | 'no-key-file'
  /** The key needs a passphrase, and no terminal is there to type it. */
  | 'passphrase'
  /** No running ssh-agent has the key, or a person declined its use. */
  | 'agent'
  | 'timeout'
  | 'cancelled'
  /** The signature is of a type that onceover does not accept, or is not valid. */
  | 'unusable-signature'
  | 'other';

/** A problem in a workflow job whose file has a valid format. */
export type JobProblem = OneOf<{
  'job-name-differs': { name: string; folder: string };
  'duplicate-step': { id: string; line: number };
  'duplicate-workflow': { name: string; line: number };
  'unknown-step': { id: string; known: readonly string[] };
  /** `steps` lists the dependency cycle: each step depends on the next, and the first step is repeated as the last. */
  'dependency-cycle': { steps: readonly string[] };
  'input-of-no-dependency': { step: string; from: string };
  /** `step` has no output named `output`. */
  'unknown-output': { step: string; output: string; known: readonly string[] };
  'reserved-output': { name: string };
  'no-criteria': unknown;
  'outside-job': { path: string; folder: string };
  'step-twice': { workflow: string; step: string };
  /** `step` needs the step `needs`, which the workflow has later, in the same parallel group, or not at all. */
  'step-out-of-order': { workflow: string; step: string; needs: string; why: 'later' | 'same-group' | 'left-out' };
}>;

/** A position in a file that the user wrote; line and column start at 1. */
export type Position = { readonly file: string; readonly line: number; readonly column: number };

/** A problem at a position in a configuration or rule file. */
export type Problem = Position & { readonly what: ProblemKind };

export type ProblemKind =
  | JobProblem
  | OneOf<{
      syntax: { said: string };
      'merge-conflict': unknown;
      'unknown-key': { key: string; known: readonly string[] };
      'missing-key': { key: string };
      'wrong-type': { key: string; expected: string };
      'not-one-of': { key: string; allowed: readonly string[] };
      'out-of-range': {
        key: string;
        bound: 'at least' | 'at most' | 'more than';
        limit: number;
        unit: 'characters' | 'entries' | null;
      };
      'bad-value': { key: string; said: string };
      'bad-rule-name': { name: string };
      'unknown-role': { name: string; known: readonly string[] };
      'bad-glob': { glob: string; said: string };
      'unusable-file': { path: string; why: UnusableFile };
    }>;

/** The reason why a file that a rule or a setting names cannot be used. */
export type UnusableFile = 'missing' | 'not-a-file' | 'outside' | 'not-utf8' | 'too-large' | 'empty' | 'unreadable';

/** An expected failure of a workflow call. */
export type WorkflowFailure = OneOf<{
  'unknown-job': { name: string; known: readonly string[] };
  'unknown-workflow': {
    job: string;
    /** `null` if the caller named no workflow although the job has several. */
    name: string | null;
    known: readonly string[];
  };
  'unknown-session': { id: string; active: readonly SessionName[] };
  'no-active-session': { ended: readonly SessionName[] };
  'which-session': { active: readonly SessionName[] };
  'session-ended': { session: SessionName; end: SessionEnd };
  /** `aside` is the name to which onceover renamed the unreadable session file; `null` if the file was not renamed. */
  'unreadable-session': { id: string; path: string; aside: string | null };
  /** The workflow's steps have changed since the session started. */
  'session-outdated': { session: SessionName };
  'session-busy': { id: string };
  'no-such-step': { session: SessionName; step: string; open: readonly string[] };
  'step-finished': { session: SessionName; step: string; at: string; open: readonly string[] };
  'step-not-begun': { session: SessionName; step: string; open: readonly string[] };
  'which-step': { session: SessionName; open: readonly OpenStep[] };
  'unknown-output': { session: SessionName; step: string; name: string; known: readonly string[] };
  'missing-outputs': { step: string; names: readonly string[] };
  'wrong-output-type': { step: string; name: string; expected: 'file' | 'files'; given: 'one' | 'several' | 'none' };
  'unusable-output': { step: string; name: string; path: string; why: UnusableOutput };
  'override-refused': { step: string; why: RefusedOverride };
  'no-verdict': {
    session: SessionName;
    step: string;
    errors: readonly ReviewTrouble[];
    /** Number of reviews that passed in this call or earlier. They do not run again. */
    passed: number;
  };
  'outputs-changed': { step: string; paths: readonly string[] };
  'reviewer-not-here': { name: string; found: readonly string[] };
}>;

/** A step that the error message suggests to the caller, with the names of the step's outputs. */
type OpenStep = { readonly id: string; readonly outputs: readonly string[] };

export type UnusableOutput = 'missing' | 'folder' | 'not-a-file' | 'outside' | 'unreadable';

/** The reason why onceover refuses a request to finish a step whose reviews did not pass. */
export type RefusedOverride =
  | 'empty'
  | 'no-reviews'
  /** The request is too early: no reviewer has rejected the outputs yet. */
  | 'not-failed'
  /** onceover has not yet written review instructions for these outputs and criteria. */
  | 'not-instructed';

/** A review of a step's outputs that ended without a verdict, with the reason in `message`. */
export type ReviewTrouble = {
  readonly review_run_each: string;
  readonly target_file: string | null;
  readonly message: string;
};

export type SessionEnd =
  | { readonly kind: 'completed'; readonly at: string }
  | { readonly kind: 'aborted'; readonly at: string; readonly explanation: string };

/** A workflow session, as error messages list it. */
export type SessionName = {
  readonly id: SessionId;
  readonly job: string;
  readonly workflow: string;
  readonly goal: string;
};
