import { type EarlierReads, needsFile } from '@onceover/agents/economy/handover';
import type { OpenedFile } from '@onceover/agents/economy/types';
import { grouped } from '@onceover/base/kernel/collections';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Result } from '@onceover/base/kernel/result';
import { readFileName } from '../../findings/finding-path.ts';
import type { ReviewGate } from '../../gate-types.ts';
import type { GateRun } from '../decide/plan-run.ts';
import type { RunContext } from '../ports.ts';
import type { SlotRecord } from '../record-types.ts';

/** The maximum number of characters of one file in a prompt. */
const MOST_LENGTH = 40_000;

/**
 * Returns the files that the same agent opened in the last reviews of this change, or found in the session that they
 * copied, each with the chance that a new session needs it. All reviewers of the change get the same files, so that
 * their prompts begin alike and the provider can cache them.
 */
export async function filesOpenedBefore(
  context: Pick<RunContext, 'request'> & {
    readonly plans: readonly GateRun[];
    text(path: RepoPath): Promise<Result<string | null>>;
  },
  { entries, content }: ReviewGate,
  agent: string,
): Promise<readonly OpenedFile[]> {
  const alike = context.plans.filter(({ state }) => state.gate.content === content);
  const earlier = alike.flatMap(({ state }) => earlierReads(state.cycle, agent, context.request));
  const addedPaths = new Set<string>(entries.filter(({ baseBlob }) => baseBlob === null).map(({ path }) => path));
  const candidates = [...new Set(earlier.flatMap(({ needed }) => needed))].filter((path) => !addedPaths.has(path));
  const files: OpenedFile[] = [];
  for (const path of candidates.sort()) {
    const likely = needsFile(earlier, path);
    // Read the file from the snapshot: it contains no ignored files, and it is the code under review even if someone
    // edits the file now.
    const file = likely === 0 ? null : await context.text(path);
    if (file?.ok !== true || file.value === null || file.value.length > MOST_LENGTH) continue;
    files.push({ path, text: file.value, likely });
  }
  return files;
}

/**
 * Returns, for each reviewer number, the files that the last review by this agent needed. Leaves out reviews whose opened
 * files are unknown. A file counts as opened twice if any review of the cycle opened it twice.
 */
function earlierReads(
  cycle: readonly SlotRecord[],
  agent: string,
  request: RunContext['request'],
): readonly EarlierReads<RepoPath>[] {
  const freshReviews = cycle.filter(
    ({ adapter, status, own }) =>
      adapter === agent && status !== 'error' && own?.dispatch === 'fresh' && own.opened !== undefined,
  );
  return [...grouped(freshReviews, ({ slot }) => slot).values()].flatMap((reviews) => {
    const readsPerReview = reviews.map(({ own }) => readsOf(own, request));
    const pathsReadTwice = readsPerReview.flatMap((reads) => reads.twice);
    return readsPerReview.slice(-1).map(({ needed }) => ({ needed, twice: pathsReadTwice }));
  });
}

/** Returns the files that a reviewer opened or found in its prompt, including those of the session that it forked. */
function readsOf(metadata: SlotRecord['own'], { root }: RunContext['request']): EarlierReads<RepoPath> {
  const pathsOf = (names: readonly string[] = []) => names.flatMap((name) => readFileName(name, root).literal ?? []);
  const openedPaths = pathsOf(metadata?.opened);
  const shownPaths = pathsOf(metadata?.handed);
  const sharedPaths = pathsOf(metadata?.reading?.opened);
  const pathsReadTwice = [
    ...openedPaths.filter((path) => shownPaths.includes(path) || sharedPaths.includes(path)),
    ...sharedPaths.filter((path) => shownPaths.includes(path)),
  ];
  return { needed: [...openedPaths, ...shownPaths, ...sharedPaths], twice: pathsReadTwice };
}
