import type { RepoPath, ReviewId } from '../../src/domain/brand.ts';
import type { Rule } from '../../src/domain/rule.ts';
import type { FileDigest, ReviewTask, RuleTask } from '../../src/domain/task.ts';

/** Paths as the program has them. */
export const paths = (...names: string[]): RepoPath[] => names as RepoPath[];

/** A rule with everything at its default but what is given. */
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

/** A rule's task on files. */
export function ruleTask(given: Rule, ...files: string[]): RuleTask {
  return { rule: given, files: paths(...files), unchangedMatching: [] };
}

/** A review of a rule's task with made-up contents. */
export function reviewTask(id: string, ...parts: [RuleTask, ...RuleTask[]]): ReviewTask {
  const files = [...new Set(parts.flatMap((part) => part.files))];
  const digests: FileDigest[] = files.map((path) => ({ path, sha256: `sha of ${path}`, link: null }));
  return { id: id as ReviewId, parts, files, digests };
}
