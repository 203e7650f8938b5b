import { type EarlierReads, filesToHandOver, opensFile } from '../../dispatch/decide-handover.ts';
import { estimateTokens } from '../../kernel/agent.ts';
import { grouped } from '../../kernel/collections.ts';
import type { RepoPath, SnapshotId } from '../../kernel/ids.ts';
import type { ReviewerFacts } from '../../kernel/ports.ts';
import type { GateRun } from '../decide/plan-run.ts';
import { readFileName } from '../judge/finding-path.ts';
import type { RunContext } from '../ports.ts';
import type { SlotRecord } from '../record-types.ts';
import type { ReviewGate } from '../types.ts';

/** A file whose text is in the prompt of a new session. */
export type GivenFile = { readonly path: RepoPath; readonly text: string };

/** The maximum number of characters of one file in a prompt. */
const MOST_LENGTH = 40_000;

/**
 * Returns files to include in the prompt of a new session: those that the same agent opened in the last reviews of this
 * change. An agent that can fork sessions gets none, because its reviewers share one session that reads the files. All
 * reviewers of the change get the same files, so that their prompts begin alike and the provider can cache them.
 */
export async function filesOpenedBefore(
  context: Pick<RunContext, 'ports' | 'request'> & { readonly plans: readonly GateRun[]; readonly tree: SnapshotId },
  { entries, content }: ReviewGate,
  {
    agent,
    facts,
    promptLength,
  }: { readonly agent: string; readonly facts: ReviewerFacts; readonly promptLength: number },
): Promise<readonly GivenFile[]> {
  if (facts.forksCached && facts.canFork()) return [];
  const alike = context.plans.filter(({ state }) => state.gate.content === content);
  const earlier = alike.flatMap(({ state }) => lastReviews(state.cycle, agent)).map((one) => readsOf(one, context));
  const shown = new Set<string>(entries.filter(({ baseBlob }) => baseBlob === null).map(({ path }) => path));
  const wanted = [...new Set(earlier.flatMap(({ opened, handed }) => [...opened, ...handed]))].filter(
    (path) => !shown.has(path),
  );
  const files: (GivenFile & { readonly more: number; readonly likely: number })[] = [];
  for (const path of wanted.sort()) {
    const likely = opensFile(earlier, path);
    // Read the file from the snapshot: it contains no ignored files, and it is the code under review even if someone
    // edits the file now.
    const file = likely === 0 ? null : await context.ports.snapshots.textIn(context.tree, path);
    if (file?.ok !== true || file.value === null || file.value.length > MOST_LENGTH) continue;
    const text = file.value;
    files.push({ path, text, more: text.length, likely });
  }
  return filesToHandOver(files, estimateTokens(promptLength)).map(({ path, text }) => ({ path, text }));
}

/**
 * Returns, for each reviewer number, the last review by this agent. Leaves out reviews whose opened files are unknown.
 */
function lastReviews(cycle: readonly SlotRecord[], agent: string): readonly SlotRecord[] {
  const known = cycle.filter(
    ({ adapter, status, own }) =>
      adapter === agent && status !== 'error' && own?.dispatch === 'fresh' && own.opened !== undefined,
  );
  return [...grouped(known, ({ slot }) => slot).values()].flatMap((one) => one.slice(-1));
}

function readsOf({ own }: SlotRecord, { request }: Pick<RunContext, 'request'>): EarlierReads<RepoPath> {
  const pathOf = (name: string) => readFileName(name, request.root).literal ?? [];
  return { opened: (own?.opened ?? []).flatMap(pathOf), handed: (own?.handed ?? []).flatMap(pathOf) };
}
