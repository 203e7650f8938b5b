import { err, type Result } from '../kernel/result.ts';
import type { GitlabTarget } from './decide-target.ts';
import type { Forge } from './types.ts';

/** Opens a merge request on GitLab. */
export async function openGitlab(_target: GitlabTarget, _token: string): Promise<Result<Forge>> {
  return err({ kind: 'forge-failed', forge: 'GitLab', said: 'not supported yet' });
}
