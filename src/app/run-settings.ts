import { loadSettings } from '../config/load-settings.ts';
import { openParsedFiles, type ParsedFiles } from '../config/parsed-files.ts';
import type { CommitId } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Selection } from '../domain/scope.ts';
import type { Settings } from '../domain/settings.ts';
import { tipOf } from '../io/diff.ts';
import { commitFiles, notingPaths, sparseFiles, type TextFiles } from '../io/text-files.ts';
import { isPullRequest, targetBranch } from '../plan/pull-request.ts';
import { version } from '../version.ts';

/** The settings that a run goes by, and where they were read. */
export type RunSettings = {
  /** As they are written. */
  readonly written: Settings;
  /** As they hold for this run. */
  readonly settings: Settings;
  readonly source: ConfigSource;
  readonly parsed: ParsedFiles;
};

export async function readSettings(place: Place, selection: Selection): Promise<Result<RunSettings>> {
  const parsed = openParsedFiles(place.commonDir, version);
  const source = await configSource(place, selection);
  if (!source.ok) return source;
  const written = await loadSettings(source.value.files, parsed);
  if (!written.ok) {
    parsed.save();
    return written;
  }
  // A pull request is measured from what it goes to, whatever is usual here.
  const { from } = source.value;
  const settings = from === null ? written.value : { ...written.value, base: from };
  return done({ written: written.value, settings, source: source.value, parsed });
}

type ConfigSource = {
  readonly files: TextFiles;
  /** The files of the working tree that were asked for, whether or not they are there. */
  readonly read: ReadonlySet<string>;
  /** The branch that it is read from, in a pull request. */
  readonly from: string | null;
  readonly commit: CommitId | null;
};

/** The working tree; in a pull request, the tip of what it goes to: the merge-base is the author's choice. */
async function configSource(place: Place, selection: Selection): Promise<Result<ConfigSource>> {
  const read = new Set<string>();
  if (!isPullRequest(process.env)) {
    return done({ files: notingPaths(sparseFiles(place), read), read, from: null, commit: null });
  }
  const asked = 'base' in selection ? selection.base : null;
  const name = targetBranch(process.env) ?? asked ?? place.usualBase;
  if (name === null) return failed({ kind: 'no-base', tried: [] });
  const tip = await tipOf(place, name);
  return tip.ok ? done({ files: commitFiles(place.root, tip.value), read, from: name, commit: tip.value }) : tip;
}
