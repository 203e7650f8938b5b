import type { RepoPath } from '../domain/brand.ts';
import type { Listing } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Problem, UnusableFile } from '../domain/problem.ts';
import { folderOf, repoPath } from '../domain/repo-path.ts';
import type { Rule, RuleReference } from '../domain/rule.ts';
import type { TextFiles } from '../io/text-files.ts';
import type { ParsedFiles } from './parsed-files.ts';
import { isParsedRuleFile, type ParsedRule } from './rule-file.ts';

/** The rules that could be read, and what is wrong with the others. */
export type LoadedRules = { readonly rules: readonly Rule[]; readonly problems: readonly Problem[] };

const RULE_FILE = '.deepreview';
const LONGEST_FILE = 1024 * 1024;

/** Reads every `.deepreview` file of the listing; one that is broken does not stop the others. */
export async function loadRules(
  files: TextFiles,
  listing: Pick<Listing, 'tracked' | 'untracked'>,
  parsed: ParsedFiles,
): Promise<LoadedRules> {
  const rules: Rule[] = [];
  const problems: Problem[] = [];
  for (const file of ruleFiles(listing)) {
    const text = files.read(file, LONGEST_FILE);
    if (text.kind === 'unusable') {
      // Tracked but deleted here: there is no such file any more.
      if (text.why !== 'missing' || files.isSymlink(file)) {
        problems.push(unusable(file, { line: 1, column: 1 }, file, text.why));
      }
      continue;
    }
    if (text.cut) {
      problems.push(unusable(file, { line: 1, column: 1 }, file, 'too-large'));
      continue;
    }
    const said = await parsed.get('rules', text.text, isParsedRuleFile, async () =>
      (await import('./parse-rules.ts')).parseRules(text.text),
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

function ruleFiles(listing: Pick<Listing, 'tracked' | 'untracked'>): RepoPath[] {
  const isRuleFile = (path: string) => path === RULE_FILE || path.endsWith(`/${RULE_FILE}`);
  return [...listing.tracked.filter(isRuleFile), ...listing.untracked.filter(isRuleFile)].sort(byCodePoint);
}

function complete(
  files: TextFiles,
  file: RepoPath,
  parsed: ParsedRule,
): { readonly ok: true; readonly rule: Rule } | { readonly ok: false; readonly problem: Problem } {
  const folder = folderOf(file);
  const instructions = instructionsOf(files, folder, parsed.instructions);
  if (!instructions.ok) {
    return { ok: false, problem: unusable(file, parsed.instructions, instructions.path, instructions.why) };
  }
  const references: RuleReference[] = [];
  for (const reference of parsed.references) {
    const path = repoPath(reference.path, folder);
    if (path === null) return { ok: false, problem: unusable(file, reference, reference.path, 'outside') };
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
  const wrong = (why: UnusableFile): Instructions => ({ ok: false, path: source.file, why });
  const path = repoPath(source.file, folder);
  if (path === null) return wrong('outside');
  const read = files.read(path, LONGEST_FILE);
  if (read.kind === 'unusable') return wrong(read.why === 'binary' ? 'not-utf8' : read.why);
  if (read.cut) return wrong('too-large');
  return read.text.trim() === '' ? wrong('empty') : { ok: true, text: read.text };
}

function unusable(
  file: string,
  place: { readonly line: number; readonly column: number },
  path: string,
  why: UnusableFile | 'binary',
): Problem {
  const what = { kind: 'unusable-file', path, why: why === 'binary' ? 'not-utf8' : why } as const;
  return { file, line: place.line, column: place.column, what };
}
