import type { RepoPath } from '../domain/brand.ts';
import type { Listing } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Problem, UnusableFile } from '../domain/problem.ts';
import { folderOf, repoPath } from '../domain/repo-path.ts';
import type { Rule, RuleReference } from '../domain/rule.ts';
import { isRuleFile } from '../io/rule-files.ts';
import type { TextFiles } from '../io/text-files.ts';
import type { ParsedFiles } from './parsed-files.ts';
import { isParsedRuleFile, type ParsedRule } from './rule-file.ts';
import { readOptional, readSaying, unusable } from './whole-text.ts';

/** The rules that could be read, and what is wrong with the others. */
export type LoadedRules = { readonly rules: readonly Rule[]; readonly problems: readonly Problem[] };

/** Reads every `.deepreview` file of the listing; one that is broken does not stop the others. */
export async function loadRules(files: TextFiles, listing: Named, parsed: ParsedFiles): Promise<LoadedRules> {
  const rules: Rule[] = [];
  const problems: Problem[] = [];
  for (const file of ruleFiles(listing)) {
    const read = readOptional(files, file);
    // Tracked but deleted here: there is no such file any more.
    if (read === null) continue;
    if (!read.ok) {
      problems.push({ file, ...unusable(file, read.why) });
      continue;
    }
    const said = await parsed.get('rules', read.text, isParsedRuleFile, async () =>
      (await import('./parse-rules.ts')).parseRules(read.text),
    );
    problems.push(...said.problems.map((problem) => ({ file, ...problem })));
    for (const one of said.rules) {
      const completed = complete(files, file, one);
      if (completed.ok) rules.push(completed.rule);
      else problems.push(completed.problem);
    }
  }
  return { rules, problems };
}

type Named = Pick<Listing, 'tracked' | 'untracked' | 'leftOut'>;

function ruleFiles({ tracked, untracked, leftOut = [] }: Named): RepoPath[] {
  return [tracked, untracked, leftOut].flatMap((paths) => paths.filter(isRuleFile)).sort(byCodePoint);
}

function complete(
  files: TextFiles,
  file: RepoPath,
  parsed: ParsedRule,
): { readonly ok: true; readonly rule: Rule } | { readonly ok: false; readonly problem: Problem } {
  const folder = folderOf(file);
  const instructions = instructionsOf(files, folder, parsed.instructions);
  if (!instructions.ok) {
    return { ok: false, problem: { file, ...unusable(instructions.path, instructions.why, parsed.instructions) } };
  }
  const references: RuleReference[] = [];
  for (const reference of parsed.references) {
    const path = repoPath(reference.path, folder);
    if (path === null) return { ok: false, problem: { file, ...unusable(reference.path, 'outside', reference) } };
    references.push({ path, description: reference.description });
  }
  const rule: Rule = {
    name: parsed.name,
    description: parsed.description,
    source: { file, line: parsed.line },
    folder,
    include: parsed.include,
    exclude: parsed.exclude,
    strategy: parsed.strategy,
    instructions: instructions.text,
    personas: parsed.personas,
    context: {
      allChangedFilenames: parsed.allChangedFilenames,
      unchangedMatchingFiles: parsed.unchangedMatchingFiles,
    },
    references,
    numReviews: parsed.numReviews,
    agents: parsed.agents,
  };
  return { ok: true, rule };
}

type Instructions =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly path: string; readonly why: UnusableFile };

function instructionsOf(files: TextFiles, folder: string, source: ParsedRule['instructions']): Instructions {
  if ('text' in source) {
    return source.text.trim() === '' ? { ok: false, path: '', why: 'empty' } : { ok: true, text: source.text };
  }
  const path = repoPath(source.file, folder);
  const read = path === null ? ({ ok: false, why: 'outside' } as const) : readSaying(files, path);
  return read.ok ? read : { ok: false, path: source.file, why: read.why };
}
