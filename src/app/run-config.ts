import { loadRules } from '../config/load-rules.ts';
import { loadSettings } from '../config/load-settings.ts';
import { openParsedFiles, type ParsedFiles } from '../config/parsed-files.ts';
import type { CommitId, RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { Rubric } from '../domain/gate.ts';
import type { Problem } from '../domain/problem.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Selection } from '../domain/scope.ts';
import type { Settings } from '../domain/settings.ts';
import type { RunRequest } from '../execute/run-ports.ts';
import { tipOf } from '../io/diff.ts';
import { listRuleFiles, type MayHave } from '../io/rule-files.ts';
import { commitFiles, diskFiles, notingPaths, type TextFiles } from '../io/text-files.ts';
import { isPullRequest } from '../plan/is-pull-request.ts';
import { targetBranch } from '../plan/pull-request.ts';
import { fileRubric } from '../plan/rubric.ts';
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

export type RunConfig = Pick<RunRequest, 'settings' | 'rules' | 'rubrics'>;

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

/** Rules and prompts, beside the settings that name them. */
export async function readConfig(
  place: Place,
  { settings, source, parsed }: RunSettings,
  mayHave: Promise<MayHave | null>,
): Promise<Result<RunConfig>> {
  const rubrics = readRubrics(settings, source.files);
  const listed = await listRuleFiles(place, source.commit, mayHave);
  if (!listed.ok) return listed;
  const rules = await loadRules(source.files, { tracked: listed.value, untracked: [] }, parsed);
  parsed.save();
  const problems = [...rules.problems, ...rubrics.problems];
  if (problems.length > 0) return failed({ kind: 'broken-config', problems });
  return done({ settings, rules: rules.rules, rubrics: rubrics.rubrics });
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
    return done({ files: notingPaths(diskFiles(place.root), read), read, from: null, commit: null });
  }
  const asked = 'base' in selection ? selection.base : null;
  const name = targetBranch(process.env) ?? asked ?? place.usualBase;
  if (name === null) return failed({ kind: 'no-base', tried: [] });
  const tip = await tipOf(place, name);
  return tip.ok ? done({ files: commitFiles(place.root, tip.value), read, from: name, commit: tip.value }) : tip;
}

const LONGEST_PROMPT = 1024 * 1024;

function readRubrics(
  settings: Settings,
  files: TextFiles,
): { readonly rubrics: ReadonlyMap<RepoPath, Rubric>; readonly problems: readonly Problem[] } {
  const rubrics = new Map<RepoPath, Rubric>();
  const problems: Problem[] = [];
  for (const { prompt, promptAt } of settings.gates.flatMap(({ reviews }) => Object.values(reviews))) {
    if (rubrics.has(prompt)) continue;
    const read = files.read(prompt, LONGEST_PROMPT);
    const why =
      read.kind === 'unusable'
        ? read.why === 'binary'
          ? 'not-utf8'
          : read.why
        : read.cut
          ? 'too-large'
          : read.text.trim() === ''
            ? 'empty'
            : null;
    if (why !== null)
      problems.push({ file: 'onceover.yml', ...promptAt, what: { kind: 'unusable-file', path: prompt, why } });
    else if (read.kind === 'text') rubrics.set(prompt, fileRubric(prompt, read.text));
  }
  return { rubrics, problems };
}
