import type { CommitId } from '@onceover/base/kernel/ids';
import { DEFAULT_BASES, type RepositoryPaths, type Selection } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { readJsonFile } from '@onceover/base/platform/private-files';
import { version } from '@onceover/base/version';
import { tipOf } from '../git/base.ts';
import { asResult, git } from '../git/git.ts';
import { commitFiles, notingPaths, sparseFiles, type TextFiles } from '../git/tree-files.ts';
import { isPullRequest, pullRequestJob, type ReviewedPullRequest, targetBranch } from './pull-request.ts';
import { loadSettings, openParsedFiles, type ParsedFiles } from './read-file.ts';
import type { Settings } from './settings.ts';

/** The settings of a run, with the place from which they were read. */
export type RunSettings = {
  /** The settings from `onceover.yml`, with defaults. */
  readonly written: Settings;
  /** The settings that apply to this run. For a pull request, `base` is the target branch. */
  readonly settings: Settings;
  readonly source: ConfigSource;
  readonly parsed: ParsedFiles;
};

/** Reads the settings of a run from the working tree or, in the CI job of a pull request, from the target branch. */
export async function readSettings(repo: RepositoryPaths, selection: Selection): Promise<Result<RunSettings>> {
  const parsedFiles = openParsedFiles(repo.commonDir, version);
  const source = await configSource(repo, selection, parsedFiles);
  if (!source.ok) {
    parsedFiles.save();
    return source;
  }
  const fileSettings = await loadSettings(source.value.files, parsedFiles);
  if (!fileSettings.ok) {
    parsedFiles.save();
    return fileSettings;
  }
  // A pull request is always compared with its target branch, even if the settings name another base.
  const { from } = source.value;
  const settings = from === null ? fileSettings.value : { ...fileSettings.value, base: from };
  return ok({ written: fileSettings.value, settings, source: source.value, parsed: parsedFiles });
}

type ConfigSource = {
  readonly files: TextFiles;
  /** The paths in the working tree that onceover tried to read, including those of missing files. */
  readonly read: ReadonlySet<string>;
  /**
   * The branch from which the files were read: the target of the pull request; `null` if they are in the working tree.
   */
  readonly from: string | null;
  readonly commit: CommitId | null;
  /** The pull request that CI reviews; `null` if the files are in the working tree. */
  readonly pullRequest: ReviewedPullRequest | null;
};

const LARGEST_EVENT = 8 * 1024 * 1024;

/**
 * Returns the files that contain the configuration. For a pull request, they are at the tip of the target branch. The
 * merge-base would not be safe, because the author of the pull request can choose it.
 */
async function configSource(
  repo: RepositoryPaths,
  selection: Selection,
  parsed: ParsedFiles,
): Promise<Result<ConfigSource>> {
  const readPaths = new Set<string>();
  const { env } = process;
  if (!isPullRequest(env)) {
    const files = notingPaths(sparseFiles(repo), readPaths);
    return ok({ files, read: readPaths, from: null, commit: null, pullRequest: null });
  }
  const base = await knownTarget(repo, selection, parsed);
  if (!base.ok) return base;
  const name = base.value;
  const tip = await tipAt(repo, name);
  if (!tip.ok) return tip;
  const job = pullRequestJob(env, readJsonFile(env['GITHUB_EVENT_PATH'] ?? '', LARGEST_EVENT));
  const head = await checkHead(repo, selection, job.head);
  if (!head.ok) return head;
  const pullRequest = { ...job, base: name, baseCommit: tip.value };
  return ok({ files: commitFiles(repo.root, tip.value), read: readPaths, from: name, commit: tip.value, pullRequest });
}

/**
 * Returns the target branch of the pull request. A branch that only has a usual name is not good enough: with the right
 * to push, the author of a pull request can create a branch `main` with weaker settings.
 */
async function knownTarget(repo: RepositoryPaths, selection: Selection, parsed: ParsedFiles): Promise<Result<string>> {
  const { env } = process;
  const named = targetBranch(env) ?? ('base' in selection ? selection.base : null) ?? (env['ONCEOVER_BASE'] || null);
  if (named !== null) return ok(named);
  const defaultTip = await tipOf(repo, DEFAULT_BRANCH);
  if (defaultTip.ok) {
    const settings = await loadSettings(commitFiles(repo.root, defaultTip.value), parsed);
    if (!settings.ok) return settings;
    if (settings.value.base !== null) return ok(settings.value.base);
  }
  return err({ kind: 'unknown-target', guess: repo.usualBase });
}

const [DEFAULT_BRANCH] = DEFAULT_BASES;

async function tipAt(repo: RepositoryPaths, name: string): Promise<Result<CommitId>> {
  return name.startsWith('origin/') ? (await import('./read-ahead.ts')).tipOfBranch(repo, name) : tipOf(repo, name);
}

/**
 * Fails if HEAD does not contain the newest commit of the pull request: then the result would be about other code. With
 * `--commit`, the run reviews only the chosen commit and says so.
 */
async function checkHead(repo: RepositoryPaths, selection: Selection, head: string | null): Promise<Result<void>> {
  if (head === null || selection.kind === 'commit') return ok(undefined);
  // Exit code 128: this clone does not have the commit.
  const args = ['merge-base', '--is-ancestor', head, 'HEAD'];
  const answer = await asResult(git(repo.root, args, { expected: [0, 1, 128] }));
  if (!answer.ok) return answer;
  return answer.value.code === 0 ? ok(undefined) : err({ kind: 'other-head', head });
}
