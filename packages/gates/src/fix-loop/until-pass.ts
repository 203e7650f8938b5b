import { checkFixer } from '@onceover/agents/dispatch/choose-agents';
import { openBudget } from '@onceover/agents/dispatch/limits';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { ROLE_NAMES, roleFile } from '@onceover/base/kernel/review-loops';
import { omittedFolders } from '@onceover/repo/config/settings';
import { readVisibility } from '@onceover/repo/git/visibility';
import { digestOfFiles } from '@onceover/repo/git/watched-files';
import { agentWords } from '@onceover/repo/trust/agent-words';
import { ratchetBelow } from '../findings/priority.ts';
import type { LoopEnd, RunNotice, RunOutcome } from '../result/types.ts';
import { isSameConfig, type RunOptions, withRunLock } from '../run/open-run.ts';
import type { RatchetHolder, RunPorts, RunRequest } from '../run/ports.ts';
import { guardProof } from '../run/record/proof-files.ts';
import { executeRun } from '../run/run.ts';
import { isSameComparison, type LoopOutcome, type LoopRound, loopEnd, loopOutcome } from './decide-end.ts';
import { type FixerSession, type Loop, readLoopChange, runFixer } from './fix-turn.ts';
import { openTrustedStores } from './trusted-stores.ts';

type LoopOptions = {
  readonly fixer: string;
  /** The maximum number of rounds. `null`: the value of the setting `max_retries`, plus one. */
  readonly mostIterations: number | null;
  /** Whether only more and more severe new findings fail a gate in later rounds (`--ratchet`). */
  readonly ratchet: boolean;
};

/**
 * Runs the gates and the fixing agent in turn, while holding the lock of runs. Fails if the gates pass but the settings
 * have changed.
 */
export function runUntilPass(
  repository: RepositoryPaths,
  options: RunOptions,
  wish: LoopOptions,
): Promise<Result<LoopOutcome>> {
  return withRunLock(repository, options, async ({ ports, request }) => {
    const judging = [...agentWords(request.settings.agent), ...ROLE_NAMES.map(roleFile)];
    const digest = () => digestOfFiles(repository.root, judging);
    const began = digest();
    const loop = await untilPass(ports, request, {
      ...wish,
      proof: guardProof(repository, request.settings.logDir),
      visibility: () => readVisibility(repository, omittedFolders(request.settings)),
      isSameConfig: async () => digest() === began && (await isSameConfig(repository, request)),
    });
    if (!loop.ok || loop.value.end !== 'passed') return loop;
    return (await isSameConfig(repository, request)) ? loop : err({ kind: 'config-changed' });
  });
}

/** Runs the gates and the fixing agent in turn, until every gate passes or another round would not help. */
export async function untilPass(
  originalPorts: RunPorts,
  originalRequest: RunRequest,
  wish: LoopOptions & Pick<Loop, 'proof' | 'isSameConfig' | 'visibility'>,
): Promise<Result<LoopOutcome>> {
  const ratchet: RatchetHolder = { now: { below: null, tolerated: new Set() } };
  const request = wish.ratchet ? { ...originalRequest, ratchetHolder: ratchet } : originalRequest;
  const reviewers = await originalPorts.reviewers();
  const able = await checkFixer(reviewers, wish.fixer);
  if (!able.ok) return able;
  const stores = openTrustedStores(originalPorts);
  const { ports } = stores;
  const budget = openBudget(request.settings.budget);
  const loop: Loop = { ports, request, reviewers, budget, ...wish };
  const maxRounds = wish.mostIterations ?? request.settings.maxRetries + 1;
  const rounds: LoopRound[] = [];
  const notices: RunNotice[] = [];
  const finish = (end: LoopEnd, run: RunOutcome) =>
    ok(loopOutcome(end, rounds, run, { dispatches: budget.dispatches(), notices }));
  const first = await readLoopChange(loop);
  if (!first.ok) return first;
  let change = first.value;
  let session: FixerSession | null = null;
  for (;;) {
    ratchet.now = { ...ratchet.now, below: ratchetBelow(rounds.length + 1) };
    const before = budget.dispatches();
    const ran = await executeRun(ports, request, budget);
    if (!ran.ok) return ran;
    const run = ran.value;
    const { tolerated } = ratchet.now;
    const round = { run, tree: change.tree, dispatches: budget.dispatches() - before, tolerated, fix: null };
    rounds.push(round);
    const end = request.stop?.aborted === true ? 'interrupted' : loopEnd(rounds, maxRounds);
    if (end === 'passed') {
      // A background process of the fixing agent may have changed the base, the branch or git's settings since the
      // first round.
      const now = await ports.snapshots.compare(request.selection, request.settings.base);
      const visible = await loop.visibility();
      const isSame =
        now.ok &&
        isSameComparison(first.value.comparison, now.value) &&
        visible.ok &&
        visible.value.settings === first.value.visibility.settings;
      return finish(isSame ? 'passed' : 'gate-changed', run);
    }
    if (end !== null) return finish(end, run);
    stores.close();
    const turn = await runFixer(loop, run, { round: rounds.length, session });
    if (!turn.ok) return turn;
    rounds.splice(-1, 1, { ...round, fix: turn.value.fix });
    notices.push(...turn.value.notices);
    if (turn.value.end !== null) return finish(turn.value.end, run);
    ({ session, after: change } = turn.value);
  }
}
