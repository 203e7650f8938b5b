import { loadRules } from '../config/load-rules.ts';
import { readSaying, unusable } from '../config/whole-text.ts';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { Rubric } from '../domain/gate.ts';
import type { Problem } from '../domain/problem.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Settings } from '../domain/settings.ts';
import type { RunRequest } from '../execute/run-ports.ts';
import { listRuleFiles, type MayHave } from '../io/rule-files.ts';
import type { TextFiles } from '../io/text-files.ts';
import { fileRubric } from '../plan/rubric.ts';
import type { RunSettings } from './run-settings.ts';

export type RunConfig = Pick<RunRequest, 'settings' | 'rules' | 'rubrics'>;

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

function readRubrics(
  settings: Settings,
  files: TextFiles,
): { readonly rubrics: ReadonlyMap<RepoPath, Rubric>; readonly problems: readonly Problem[] } {
  const rubrics = new Map<RepoPath, Rubric>();
  const problems: Problem[] = [];
  for (const { prompt, promptAt } of settings.gates.flatMap(({ reviews }) => Object.values(reviews))) {
    if (rubrics.has(prompt)) continue;
    const read = readSaying(files, prompt);
    if (read.ok) rubrics.set(prompt, fileRubric(prompt, read.text));
    else problems.push({ file: 'onceover.yml', ...unusable(prompt, read.why, promptAt) });
  }
  return { rubrics, problems };
}
