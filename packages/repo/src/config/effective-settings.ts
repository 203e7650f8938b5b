import type { CommitId } from '@onceover/base/kernel/ids';
import type { RepositoryPaths, Selection } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { version } from '@onceover/base/version';
import { commitFiles, notingPaths, sparseFiles, type TextFiles } from '../git/tree-files.ts';
import { isPullRequest } from './pull-request.ts';
import type { ReviewedPullRequest } from './pull-request-job.ts';
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
  if (!isPullRequest(process.env)) {
    const files = notingPaths(sparseFiles(repo), readPaths);
    return ok({ files, read: readPaths, from: null, commit: null, pullRequest: null });
  }
  const { readPullRequest } = await import('./pull-request-job.ts');
  const pullRequest = await readPullRequest(repo, selection, parsed);
  if (!pullRequest.ok) return pullRequest;
  const { base, baseCommit } = pullRequest.value;
  const files = commitFiles(repo.root, baseCommit);
  return ok({ files, read: readPaths, from: base, commit: baseCommit, pullRequest: pullRequest.value });
}
