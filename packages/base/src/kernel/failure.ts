import type { AgentFailure, Cooldown, MissingAgent } from './agent.ts';
import type { RepoPath, SessionId } from './ids.ts';
import type { DocumentPhase, PhaseName } from './review-loops.ts';

/** A problem at a line and column of a file. The caller knows which file. */
export type PlacedProblem = { readonly line: number; readonly column: number; readonly what: ProblemKind };

// These failures mean that onceover could not judge the gates; their exit code is 3. All other failures have exit code
// 2.
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
  'unknown-target',
  'other-head',
] as const);

/** Returns the exit code of a failure: 2 for wrong usage or configuration, 3 if onceover could not judge the gates. */
export function exitCode(failure: Failure): 2 | 3 {
  const couldNotJudge = failure.kind === 'no-merge-base' ? failure.shallow : COULD_NOT_JUDGE.has(failure.kind);
  return couldNotJudge ? 3 : 2;
}

/**
 * Turns a table that lists the facts of each kind into a union of `{ kind, ...facts }`. A kind whose facts are
 * `unknown` has none.
 */
type OneOf<Facts> = { [Kind in keyof Facts]: Readonly<{ kind: Kind } & Facts[Kind]> }[keyof Facts];

/** An expected failure: a kind and its facts. `ui/describe-failure.ts` writes the message for the user. */
export type Failure =
  | WorkflowFailure
  | OneOf<{
      'not-a-repository': { folder: string };
      'odd-root': { folder: string };
      'bare-repository': { folder: string };
      /** git is configured to use the working tree `root` instead of the folder in which onceover runs. */
      'other-worktree': { folder: string; root: string };
      'git-missing': unknown;
      'git-too-old': unknown;
      'git-failed': { command: string; said: string };
      'unknown-base': { base: string };
      /** git has several branches or tags with this name. */
      'ambiguous-name': { name: string };
      'no-base': { tried: readonly string[] };
      /** CI does not say to which branch the pull request goes. `guess`: the branch that a run elsewhere would use. */
      'unknown-target': { guess: string | null };
      /** HEAD does not contain `head`, the newest commit of the pull request. */
      'other-head': { head: string };
      'no-merge-base': { base: string; shallow: boolean };
      'several-merge-bases': { base: string };
      'broken-config': { problems: readonly Problem[] };
      /** The reviewed change contains files in folders that onceover uses for its own files. */
      'own-files-committed': { files: readonly string[] };
      /**
       * The repository configures no gate and no rule. In a pull request, `base` is the target branch, which must
       * contain the configuration.
       */
      'not-configured': { base: string | null };
      'log-dir-hides': { logDir: string; files: readonly string[] };
      'bad-review-id': { id: string; why: BadReviewId };
      'unknown-agent': { name: string; known: readonly string[] };
      'agent-not-installed': { agent: MissingAgent };
      /**
       * onceover cannot let this agent write files, so the agent cannot fix findings. `able` lists the agents that can.
       */
      'cannot-fix': { name: string; able: readonly string[] };
      'agent-not-tried': { agent: string; failure: AgentFailure };
      'path-outside': { path: string };
      'path-in-the-way': { path: string; found: InTheWay };
      disk: { action: 'read' | 'write'; path: string; code: string };
      /** Reading standard input failed before its end. */
      'input-cut-off': { code: string };
      'wrong-usage': { said: string; command: string | null };
      'lock-held': { pid: number; host: string; since: string };
      'inside-a-run': unknown;
      /**
       * Only a person may confirm a waiver, and this caller may be an agent. `isInRun`: a run of onceover started the
       * caller.
       */
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
      /**
       * git is not configured to sign with an SSH key. `format`: the other format that git signs with; `null` if there
       * is none.
       */
      'no-signing-key': { format: string | null };
      'signing-failed': { why: SigningTrouble; key: string; said: string };
      'short-audit-secret': unknown;
      /** The policy audits passes of other clones, and this CI job has no secret that decides which ones. */
      'no-audit-secret': unknown;
      /** onceover is not configured to use passes of other clones. */
      'passes-off': { why: PassesOff };
      'unknown-run': { id: string | null };
      'unknown-phase': { name: string };
      /**
       * The ledger (the log of calls) contains no calls of a review loop for this feature, so there is no cost to show.
       */
      'feature-without-loops': { feature: string; known: readonly string[] };
      'no-feature': { path: string; why: 'missing' | 'not-a-folder' };
      /**
       * The document at `path` cannot be used. The phase `phase` writes this document, and the phase `needs` requires
       * it.
       */
      'unusable-artifact': {
        path: RepoPath;
        why: 'missing' | 'empty' | 'not-text' | 'ignored' | 'withheld' | 'symlink' | 'generated';
        phase: DocumentPhase | null;
        needs: PhaseName;
      };
      'artifact-too-long': { path: RepoPath; characters: number; limit: number; agent: string };
      'nothing-to-implement': { base: string | null };
      /**
       * Changed files whose names are not valid UTF-8, so that no reviewer can open them. Each byte of a name is one
       * latin1 character in `names`.
       */
      'unnameable-code': { names: readonly string[] };
      'no-reviewer': { wanted: readonly string[]; cooling: readonly Cooldown[] };
      'no-waiting-loop': { phase: PhaseName; feature: string };
      /** The caller reported a fix, but the last reviews ended without a verdict, so they must run again first. */
      'unjudged-round': { phase: PhaseName; feature: string };
      /** The caller wants to accept open issues, but the review loop did not end at the limit of reviews. */
      'nothing-to-accept': { phase: PhaseName; feature: string };
      'unknown-loop': { id: string };
      /** The caller reported a fix while the review loop was still running. */
      'round-goes-on': { id: string };
      'unreadable-loop': { phase: PhaseName; feature: string };
      'unreadable-json': { path: string; said: string };
      /**
       * The git remote or HTTP store `where`, through which clones share passes, cannot be used. `said`: the error
       * message of the program or server.
       */
      'passes-carrier': { where: string; why: CarrierTrouble; said: string };
      /**
       * The PostgreSQL store cannot be used. `where`: its address without the password. `said`: the server's error
       * message.
       */
      'store-failed': { where: string; why: StoreTrouble; said: string };
      /** onceover cannot tell where to publish, because the environment variable or option `missing` is not set. */
      'no-forge': { missing: string; expected: string };
      /** The forge (GitHub or GitLab) rejected the token's request to read or write. */
      'forge-refused': { forge: string; status: number; said: string };
      'forge-failed': { forge: string; said: string };
      /** The JSON document of a run, which another job made, is not valid. */
      'unusable-run': { path: string; said: string };
    }>;

/** The reason why onceover does not use passes of other clones. */
export type PassesOff =
  | { readonly kind: 'not-set' | 'no-base' }
  | { readonly kind: 'base-has-none'; readonly base: string }
  | { readonly kind: 'no-signers'; readonly base: string; readonly path: string };

/** The reason why onceover could not fetch, read or push the passes of other clones. */
export type CarrierTrouble =
  | 'not-a-remote'
  | 'bad-address'
  | 'unreachable'
  | 'refused'
  | 'timeout'
  | 'stopped'
  /** Other clones pushed at the same time, at every attempt. */
  | 'busy'
  /** A lock file keeps git from changing the ref. A git process that was killed may have left it behind. */
  | 'locked'
  | 'unreadable'
  | 'too-large'
  /** The HTTP store cannot list the signed passes in it. */
  | 'cannot-list';

/** The reason why the PostgreSQL store cannot be used. */
export type StoreTrouble =
  /** The address is missing: neither ONCEOVER_STORE nor the user's config file (`where`) has one. */
  | 'no-address'
  | 'bad-address'
  /** The package `pg` or `pg-boss` is not installed, or is too old. */
  | 'no-package'
  | 'unreachable'
  | 'refused'
  | 'timeout'
  /** The server reports a full disk, damaged data or an internal error. */
  | 'damaged'
  | 'newer-schema'
  /** No worker takes calls from the store's queue. */
  | 'no-worker'
  /**
   * The store cannot identify the repository: because the clone is shallow, its first commit is unknown, and the store
   * does not know its remote.
   */
  | 'shallow-clone';

/** The kind of thing at a path where onceover needs its own file or folder. */
export type InTheWay = 'symlink' | 'folder' | 'file' | 'repository' | 'other';

/** The reason why a string is not a valid review id. */
export type BadReviewId = 'empty' | 'dots' | 'absolute' | 'separator' | 'nul' | 'too-long';

/** The reason why a pass or a waiver could not be signed. */
export type SigningTrouble =
  /** `ssh-keygen`, or the program that git is configured to use instead, was not found. */
  | 'no-program'
  | 'no-key-file'
  /** The key needs a passphrase, and there is no terminal to ask for it. */
  | 'passphrase'
  /** The key is in no running ssh-agent, or a person declined its use there. */
  | 'agent'
  | 'timeout'
  | 'cancelled'
  /** `ssh-keygen` made a signature that is not valid or is of a type that onceover does not accept. */
  | 'unusable-signature'
  | 'other';

/** A mistake in a workflow job: the format of the file is valid, but its steps or workflows contradict each other. */
export type JobProblem = OneOf<{
  'job-name-differs': { name: string; folder: string };
  'duplicate-step': { id: string; line: number };
  'duplicate-workflow': { name: string; line: number };
  'unknown-step': { id: string; known: readonly string[] };
  /**
   * The steps depend on each other in a cycle. In `steps`, each step depends on the next, and the first one is repeated
   * at the end.
   */
  'dependency-cycle': { steps: readonly string[] };
  'input-of-no-dependency': { step: string; from: string };
  /** A reference names the output `output`, but the step `step` has no such output. */
  'unknown-output': { step: string; output: string; known: readonly string[] };
  'reserved-output': { name: string };
  'no-criteria': unknown;
  'outside-job': { path: string; folder: string };
  'step-twice': { workflow: string; step: string };
  /** `step` needs the outputs of `needs`, which the workflow runs later, in the same parallel group, or not at all. */
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
    /** The workflow that the caller named; `null` if the job has several and the caller named none. */
    name: string | null;
    known: readonly string[];
  };
  'unknown-session': { id: string; active: readonly SessionName[] };
  'no-active-session': { ended: readonly SessionName[] };
  'which-session': { active: readonly SessionName[] };
  'session-ended': { session: SessionName; end: SessionEnd };
  /** The session file cannot be read. `aside`: the name to which onceover renamed it; `null` if renaming failed. */
  'unreadable-session': { id: string; path: string; aside: string | null };
  /** The steps of the workflow have changed since the session started. */
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
    /** Number of reviews that passed, now or in an earlier call. They do not run again. */
    passed: number;
  };
  'outputs-changed': { step: string; paths: readonly string[] };
  'reviewer-not-here': { name: string; found: readonly string[] };
}>;

/**
 * An open step of the session that the caller may mean, with the names of its outputs. The error message suggests it.
 */
type OpenStep = { readonly id: string; readonly outputs: readonly string[] };

export type UnusableOutput = 'missing' | 'folder' | 'not-a-file' | 'outside' | 'unreadable';

/** The reason why onceover refuses to finish a step whose reviews did not pass. */
export type RefusedOverride =
  | 'empty'
  | 'no-reviews'
  /** The outputs have not been rejected by any reviewer yet, so there is nothing to override. */
  | 'not-failed'
  /** onceover has not yet written review instructions for the current outputs and criteria. */
  | 'not-instructed';

/** A review of a step's outputs that ended without a verdict; `message` says why. */
export type ReviewTrouble = {
  readonly review_run_each: string;
  readonly target_file: string | null;
  readonly message: string;
};

export type SessionEnd =
  | { readonly kind: 'completed'; readonly at: string }
  | { readonly kind: 'aborted'; readonly at: string; readonly explanation: string };

/** The facts that identify a workflow session in error messages. */
export type SessionName = {
  readonly id: SessionId;
  readonly job: string;
  readonly workflow: string;
  readonly goal: string;
};
