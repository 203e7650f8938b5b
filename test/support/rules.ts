import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import type { FileDigest } from '@onceover/base/kernel/repository';
import type { Rule, RuleReviewTask, RuleTask } from '@onceover/gates/rules/types';

/** Paths in the program's type. */
export const paths = (...names: string[]): RepoPath[] => names as RepoPath[];

/** Returns a rule with defaults, except for the given fields. */
export function rule(given: Partial<Omit<Rule, 'source'>> & { readonly line?: number } = {}): Rule {
  const { line = 1, ...rest } = given;
  const folder = rest.folder ?? '';
  return {
    name: 'style',
    description: 'Checks style.',
    source: { file: `${folder === '' ? '' : `${folder}/`}.deepreview` as RepoPath, line },
    folder,
    include: ['**/*.py'],
    exclude: [],
    strategy: 'individual',
    instructions: 'Look closely.',
    personas: {},
    context: { allChangedFilenames: false, unchangedMatchingFiles: false },
    references: [],
    numReviews: 1,
    agents: null,
    ...rest,
  };
}

/** Returns a rule's task for files. */
export function ruleTask(given: Rule, ...files: string[]): RuleTask {
  return { rule: given, files: paths(...files), unchangedMatching: [] };
}

/** Returns a review of a rule's task with invented contents. */
export function reviewTask(id: string, ...parts: [RuleTask, ...RuleTask[]]): RuleReviewTask {
  const files = [...new Set(parts.flatMap((part) => part.files))];
  const digests: FileDigest[] = files.map((path) => ({ path, sha256: `sha of ${path}`, link: null }));
  return { id: id as ReviewId, parts, files, digests };
}
