import type { CommitId } from '@onceover/base/kernel/ids';
import type { RepositoryPaths, Selection } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { version } from '@onceover/base/version';
import { tipOf } from '../git/base.ts';
import { commitFiles, notingPaths, sparseFiles, type TextFiles } from '../git/tree-files.ts';
import { isPullRequest, targetBranch } from './pull-request.ts';
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
  const source = await configSource(repo, selection);
  if (!source.ok) return source;
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
};

/**
 * Returns the files that contain the configuration. For a pull request, they are at the tip of the target branch. The
 * merge-base would not be safe, because the author of the pull request can choose it.
 */
async function configSource(repo: RepositoryPaths, selection: Selection): Promise<Result<ConfigSource>> {
  const readPaths = new Set<string>();
  if (!isPullRequest(process.env)) {
    return ok({ files: notingPaths(sparseFiles(repo), readPaths), read: readPaths, from: null, commit: null });
  }
  const requestedBase = 'base' in selection ? selection.base : null;
  const name = targetBranch(process.env) ?? requestedBase ?? repo.usualBase;
  if (name === null) return err({ kind: 'no-base', tried: [] });
  const tip = await (name.startsWith('origin/')
    ? (await import('./read-ahead.ts')).tipOfBranch(repo, name)
    : tipOf(repo, name));
  return tip.ok
    ? ok({ files: commitFiles(repo.root, tip.value), read: readPaths, from: name, commit: tip.value })
    : tip;
}
