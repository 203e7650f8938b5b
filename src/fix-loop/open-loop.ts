import { isSameConfig, type RunOptions, withConfigNotice, withRunLock } from '../gates/open-run.ts';
import { guardProof } from '../gates/record/proof-files.ts';
import type { LoopOutcome } from '../gates/run-types.ts';
import { digestOfFiles } from '../git/watched-files.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { ROLE_NAMES, roleFile } from '../kernel/review-loops.ts';
import { agentWords } from '../trust/consent.ts';
import type { LoopRequest } from './until-pass.ts';

/** Runs the gates and a fixer in turn, under the run lock. Fails if the settings changed before the loop passed. */
export function runUntilPass(
  repository: RepositoryPaths,
  options: RunOptions,
  wish: Omit<LoopRequest, 'isSameConfig' | 'proof'>,
): Promise<Result<LoopOutcome>> {
  return withRunLock(repository, options, async ({ ports, request, from }) => {
    const { untilPass } = await import('./until-pass.ts');
    const judging = [...agentWords(request.settings.agent), ...ROLE_NAMES.map(roleFile)];
    const digest = () => digestOfFiles(repository.root, judging);
    const began = digest();
    const loop = await untilPass(ports, request, {
      ...wish,
      proof: guardProof(repository, request.settings.logDir),
      isSameConfig: async () => digest() === began && (await isSameConfig(repository, options, request)),
    });
    if (!loop.ok) return loop;
    if (loop.value.end === 'passed' && !(await isSameConfig(repository, options, request))) {
      return err({ kind: 'config-changed' });
    }
    return ok({ ...loop.value, run: withConfigNotice(loop.value.run, from) });
  });
}
