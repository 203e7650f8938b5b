import type { RepoPath } from '../domain/brand.ts';
import type { Rule } from '../domain/rule.ts';
import type { RuleTask } from '../domain/task.ts';
import { matchRules } from './match.ts';
import { inHashOrder } from './review-id.ts';

/** The tasks that the rules make of the changed files; `unchanged` tells what else the working tree holds. */
export function planTasks(
  rules: readonly Rule[],
  files: { readonly changed: readonly RepoPath[]; unchanged(): readonly RepoPath[] },
): readonly RuleTask[] {
  const changed = inHashOrder(new Set(files.changed));
  const matches = matchRules(rules, changed);
  const wantsMore = rules.filter((rule) => wantsUnchanged(rule) && (matches.get(rule) ?? []).length > 0);
  const more = wantsMore.length === 0 ? null : matchRules(wantsMore, inHashOrder(new Set(files.unchanged())));
  return rules.flatMap((rule) =>
    tasksOf(rule, { matched: matches.get(rule) ?? [], changed, more: more?.get(rule) ?? [] }),
  );
}

function wantsUnchanged(rule: Rule): boolean {
  return rule.strategy === 'matches_together' && rule.context.unchangedMatchingFiles;
}

function tasksOf(
  rule: Rule,
  files: {
    readonly matched: readonly RepoPath[];
    readonly changed: readonly RepoPath[];
    readonly more: readonly RepoPath[];
  },
): RuleTask[] {
  if (files.matched.length === 0) return [];
  switch (rule.strategy) {
    case 'individual':
      return files.matched.map((file) => ({ rule, files: [file], unchangedMatching: [] }));
    case 'matches_together':
      return [{ rule, files: files.matched, unchangedMatching: files.more }];
    case 'all_changed_files':
      return [{ rule, files: files.changed, unchangedMatching: [] }];
  }
}
