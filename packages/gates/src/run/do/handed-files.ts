import { filesToHandOver, isSameFile, opensAgain, type ResumedReview } from '@onceover/agents/economy/handover';
import { estimateTokens, type KeptSession } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { DiffSection } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import type { ReviewGate } from '../../gate-types.ts';
import type { GateState } from '../decide/gate-state.ts';
import type { SlotJob } from '../ports.ts';
import type { RecordMetadata } from '../record-types.ts';
import type { IndexedDiff } from './prompt-diff.ts';

/** The prompt that resumes a session, before some of its diffs are replaced by diffs that show the whole file. */
export type DeltaPrompt = {
  readonly prompt: ComposedPrompt;
  readonly session: KeptSession;
  /** The differences since the session's last review. */
  readonly sections: readonly DiffSection[];
  /** Returns the prompt with these diffs. `whole` lists the files whose diff shows the whole file. */
  compose(sections: readonly DiffSection[], whole: readonly RepoPath[]): ComposedPrompt;
};

const NOTHING = { files: 0, tokens: 0 };

const MOST_REVIEWS = 4;

/** More lines of context than any file has, so that the diff shows the whole file. */
const WHOLE_FILE = 1_000_000;

/**
 * Returns the prompt that resumes a reviewer's session. A diff shows the whole changed file if that is cheaper than to
 * let the reviewer open the file again.
 */
export async function withChangedFiles(
  context: Diffs,
  { gate, cycle }: GateState,
  delta: DeltaPrompt,
  slot: number,
): Promise<NonNullable<SlotJob['resumed']>> {
  const earlier = cycle
    .filter((record) => record.slot === slot && record.own?.dispatch === 'resumed' && record.own.opened !== undefined)
    .slice(-MOST_REVIEWS)
    .map(({ own }): ResumedReview => ({ handed: own?.handed ?? [], opened: own?.opened ?? [] }));
  const seenFiles = cycle.filter((record) => record.slot === slot).flatMap(({ own }) => filesSeen(own));
  return showWholeFiles(context, gate, delta, { earlier, seen: seenFiles, sessions: 1 });
}

type Diffs = { diff(from: string, contextLines: number): Promise<Result<IndexedDiff>> };

/**
 * Replaces the diff of a changed file by one that shows the whole file, if the sessions saw the file before and this is
 * cheaper than to let them open it again.
 */
export async function showWholeFiles(
  { diff }: Diffs,
  gate: ReviewGate,
  { prompt, session, sections, compose }: DeltaPrompt,
  {
    earlier,
    seen,
    sessions,
  }: { readonly earlier: readonly ResumedReview[]; readonly seen: readonly string[]; readonly sessions: number },
): Promise<NonNullable<SlotJob['resumed']>> {
  const plain = { prompt, session, handed: [], reopens: NOTHING };
  if (seen.length === 0 || opensAgain(earlier) === 0) return plain;
  const wholeDiffs = await diff(session.saw, WHOLE_FILE);
  if (!wholeDiffs.ok) return plain;
  const present = new Map(gate.entries.filter(({ headBlob }) => headBlob !== null).map((entry) => [entry.path, entry]));
  const files = sections.flatMap((section) => {
    const path = section.paths.findLast((sectionPath) => present.has(sectionPath));
    const [wholeDiff, ...otherSections] = path === undefined ? [] : wholeDiffs.value.showing([path]);
    if (path === undefined || wholeDiff === undefined || otherSections.length > 0) return [];
    // A reviewer that did not need the file before will probably not open it for a small change.
    if (!seen.some((seenFile) => isSameFile(seenFile, path))) return [];
    const likely = opensAgain(earlier, present.get(path)?.baseBlob === null);
    return [{ path, section, all: wholeDiff, likely, more: wholeDiff.text.length - section.text.length }];
  });
  // `contextTokens` lacks the tokens that the first call found in the cache, so use the length of the first prompt if
  // that is more.
  const contextTokens = Math.max(session.contextTokens ?? 0, estimateTokens(session.firstPromptLength));
  // It is unknown whether a single resumed reviewer needs the file. If several reviewers continue from one session, one
  // of them probably does.
  const isUnknown = sessions === 1 && !earlier.some(({ handed }) => handed.length === 0);
  const handedFiles = isUnknown
    ? []
    : filesToHandOver(files, { kind: 'resumed', contextTokens: contextTokens * sessions });
  const otherFiles = files.filter((file) => !handedFiles.includes(file));
  const reopens = {
    files: otherFiles.reduce((sum, { likely }) => sum + likely, 0),
    tokens: otherFiles.reduce((sum, { likely, more }) => sum + likely * estimateTokens(Math.max(0, more)), 0),
  };
  if (handedFiles.length === 0) return { ...plain, reopens };
  const shownSections = sections.map((section) => handedFiles.find((file) => file.section === section)?.all ?? section);
  const paths = files.filter((file) => handedFiles.includes(file)).map(({ path }) => path);
  return { prompt: compose(shownSections, paths), session, handed: paths, reopens };
}

/**
 * Returns the files that the reviewer opened itself, those that another session opened for it, and those that its
 * prompt showed in full.
 */
function filesSeen(metadata: RecordMetadata | null): readonly string[] {
  return [...(metadata?.opened ?? []), ...(metadata?.handed ?? []), ...(metadata?.reading?.opened ?? [])];
}
