/**
 * The maker of a result: `server` is `onceover serve`, `merge-queue` a job of the merge queue, `this-job` the job that
 * publishes, and `other-job` anyone who wrote the result file.
 */
export type ResultMaker = 'server' | 'merge-queue' | 'this-job' | 'other-job';

export type AuthorityFacts = {
  readonly maker: ResultMaker;
  /** Whether the change itself, or the target branch, decides what the publishing job does. */
  readonly workflow: 'change' | 'base';
  /** Whether the branch is, or may be, in another repository. */
  readonly isFork: boolean;
  /** The changed files that decide how changes are judged: workflows, settings, rules, prompts. */
  readonly edits: readonly string[];
  /** Whether commands of gates ran, which execute code of the change. */
  readonly ranCommands: boolean;
  /** Whether the option `--untrusted` says that the author controls the result. */
  readonly isDeclaredUntrusted: boolean;
  /** The person who confirmed exactly this head and this target branch; `null` if no one did. */
  readonly confirmedBy: string | null;
};

/** Why a result that passes may count, or why its word is not enough. */
export type Authority =
  | { readonly counts: true; readonly by: 'server' | 'merge-queue' | 'isolated-job' | 'own-branch' | 'person' }
  | { readonly counts: false; readonly why: 'declared' | 'edits' | 'fork' | 'other-job' };

/**
 * Decides whether the result of a run may say "success" for this change. The author of a change must not be the only
 * one who says so: someone else judged it, or someone else confirms it.
 */
export function decideAuthority(facts: AuthorityFacts): Authority {
  const { maker, workflow, isFork, edits, ranCommands, isDeclaredUntrusted, confirmedBy } = facts;
  if (confirmedBy !== null) return { counts: true, by: 'person' };
  if (isDeclaredUntrusted) return { counts: false, why: 'declared' };
  if (maker === 'server' || maker === 'merge-queue') return { counts: true, by: maker };
  // A job of the target branch that runs no code of the change cannot be influenced by the author.
  if (maker === 'this-job' && workflow === 'base' && !ranCommands) return { counts: true, by: 'isolated-job' };
  if (isFork) return { counts: false, why: 'fork' };
  if (edits.length > 0) return { counts: false, why: 'edits' };
  // Everyone who can push a branch decides what the jobs of the pull request do. A publisher that the change does not control
  // is there because not all of them are trusted, so it does not believe a file of such a job.
  if (maker === 'other-job' && workflow === 'base') return { counts: false, why: 'other-job' };
  return { counts: true, by: 'own-branch' };
}

/** The folders and files that decide how a change is judged, relative to the root of the repository. */
const DECIDING: readonly RegExp[] = [
  /^onceover\.ya?ml$/,
  /^\.onceover\//,
  /(?:^|\/)\.deepreview$/,
  /^\.github\/(?:workflows|actions)\//,
  /^\.gitlab-ci\.yml$/,
  /^\.gitlab\//,
];

/** Returns the changed files that decide how changes are judged. Both names of a renamed file count. */
export function decidingFiles(
  files: readonly { readonly path: string; readonly oldPath: string }[],
): readonly string[] {
  // On disks that ignore case, `.GitHub/Workflows` is the same folder.
  const isDeciding = (path: string) => DECIDING.some((pattern) => pattern.test(path.toLowerCase()));
  return [...new Set(files.flatMap(({ path, oldPath }) => [path, oldPath]))].filter(isDeciding);
}
