import { byCodePoint } from '@onceover/base/kernel/collections';
import type { Problem } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { folderOf, repoPath } from '@onceover/base/kernel/paths';
import type { Listing, Repository, RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { version } from '@onceover/base/version';
import {
  loadSettings,
  openParsedFiles,
  type ParsedFiles,
  readNonEmpty,
  readOptional,
  unusable,
} from '@onceover/repo/config/read-file';
import type { Settings } from '@onceover/repo/config/settings';
import { repositoryAt } from '@onceover/repo/git/locate';
import { isRuleFile, openRepository } from '@onceover/repo/git/repository';
import { sparseFiles, type TextFiles } from '@onceover/repo/git/tree-files';
import { isParsedRuleFile, type Notice, type ParsedRule, type Rule, type RuleReference } from './types.ts';

export type LoadedRules = { readonly rules: readonly Rule[]; readonly problems: readonly Problem[] };

/** Reads every `.deepreview` file in the listing. Invalid files and rules are skipped and reported as problems. */
export async function loadRules(
  files: TextFiles,
  { tracked, untracked, leftOut = [] }: Pick<Listing, 'tracked' | 'untracked' | 'leftOut'>,
  cache: ParsedFiles,
): Promise<LoadedRules> {
  const rules: Rule[] = [];
  const problems: Problem[] = [];
  const ruleFiles = [tracked, untracked, leftOut].flatMap((paths) => paths.filter(isRuleFile)).sort(byCodePoint);
  for (const file of ruleFiles) {
    const content = readOptional(files, file);
    // This rule file is tracked but was deleted from the working tree, so it defines no rules.
    if (content === null) continue;
    if (!content.ok) {
      problems.push({ file, ...unusable(file, content.why) });
      continue;
    }
    const ruleFile = await cache.get('rules', content.text, isParsedRuleFile, async () =>
      (await import('./parse.ts')).parseRules(content.text),
    );
    problems.push(...ruleFile.problems.map((problem) => ({ file, ...problem })));
    for (const parsedRule of ruleFile.rules) {
      const completion = complete(files, file, parsedRule);
      if ('problem' in completion) problems.push({ file, ...completion.problem });
      else rules.push(completion.rule);
    }
  }
  return { rules, problems };
}

type NotUsable = { readonly problem: Omit<Problem, 'file'> };

/** Adds the text of the instructions to a rule. If a file that the rule names cannot be used, returns the problem. */
function complete(files: TextFiles, file: RepoPath, parsedRule: ParsedRule): { readonly rule: Rule } | NotUsable {
  const { line, allChangedFilenames, unchangedMatchingFiles, ...fields } = parsedRule;
  const folder = folderOf(file);
  const instructions = readInstructions(files, folder, parsedRule.instructions);
  if ('problem' in instructions) return instructions;
  const references: RuleReference[] = [];
  for (const reference of parsedRule.references) {
    const path = repoPath(reference.path, folder);
    if (path === null) return { problem: unusable(reference.path, 'outside', reference) };
    references.push({ path, description: reference.description });
  }
  const context = { allChangedFilenames, unchangedMatchingFiles };
  return {
    rule: { ...fields, source: { file, line }, folder, instructions: instructions.text, context, references },
  };
}

function readInstructions(
  files: TextFiles,
  folder: string,
  source: ParsedRule['instructions'],
): { readonly text: string } | NotUsable {
  if ('text' in source) return source.text.trim() === '' ? { problem: unusable('', 'empty', source) } : source;
  const path = repoPath(source.file, folder);
  const content = path === null ? ({ ok: false, why: 'outside' } as const) : readNonEmpty(files, path);
  return content.ok ? content : { problem: unusable(source.file, content.why, source) };
}

type Project = {
  readonly place: RepositoryPaths;
  readonly repository: Repository;
  readonly settings: Settings;
  readonly parsed: ParsedFiles;
};

export async function openProject(cwd: string): Promise<Result<Project>> {
  const place = await repositoryAt(cwd);
  if (!place.ok) return place;
  const parsedFiles = openParsedFiles(place.value.commonDir, version);
  const settings = await loadSettings(sparseFiles(place.value), parsedFiles);
  if (!settings.ok) return settings;
  const repository = openRepository(place.value);
  return ok({ place: place.value, repository, settings: settings.value, parsed: parsedFiles });
}

/** Returns the rules of a project, and a notice for each problem in its rule files. */
export async function rulesFor(
  project: Project,
  listing: Listing,
): Promise<{ readonly rules: readonly Rule[]; readonly notices: readonly Notice[] }> {
  const ruleSet = await loadRules(sparseFiles(project.place), listing, project.parsed);
  project.parsed.save();
  return { rules: ruleSet.rules, notices: ruleSet.problems.map((problem) => ({ kind: 'problem', problem })) };
}
