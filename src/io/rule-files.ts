import type { CommitId, RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { done, type Result } from '../domain/result.ts';
import { git } from './git.ts';
import { readNulList } from './nul-list.ts';
import { QUIET } from './quiet.ts';
import { caseApart } from './undisturbed.ts';

const NAME = '.deepreview';

/** Whether a file's name may have this part; false is certain. */
export type MayHave = (part: string) => boolean;

/** The rule files that git tracks or would track, where there may be any; with a commit, those that it has. */
export async function listRuleFiles(
  place: Place,
  commit: CommitId | null,
  mayHave: Promise<MayHave | null>,
): Promise<Result<readonly RepoPath[]>> {
  if (commit !== null) {
    const answer = await git(place.root, ['ls-tree', '-r', '-z', '--name-only', commit]);
    return answer.ok ? done(ruleFiles(answer.value.stdout)) : answer;
  }
  if ((await mayHave)?.(NAME) === false) return done([]);
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', `:(top,glob)**/${NAME}`];
  const config = [...QUIET, ...caseApart(place.commonDir)];
  const answer = await git(place.root, args, { env: { GIT_LITERAL_PATHSPECS: '0' }, config });
  return answer.ok ? done(ruleFiles(answer.value.stdout)) : answer;
}

/** Whether a path is that of a rule file. */
export function isRuleFile(path: string): boolean {
  return path === NAME || path.endsWith(`/${NAME}`);
}

function ruleFiles(output: Buffer): RepoPath[] {
  return [...new Set(readNulList(output).names)].filter(isRuleFile) as RepoPath[];
}
