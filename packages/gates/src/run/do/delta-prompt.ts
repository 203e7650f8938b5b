import { mayShowWholeFiles } from '@onceover/agents/economy/plan-session';
import type { LostDelta, PastReview, SessionDelta, WholeFile } from '@onceover/agents/economy/types';
import type { KeptSession } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { DiffSection } from '@onceover/base/kernel/repository';
import type { ReviewGate } from '../../gate-types.ts';
import type { IterationContext } from './iteration.ts';
import { changedPaths, type IndexedDiff, sessionCoversChange } from './prompt-diff.ts';

/**
 * The numbers of context lines to try in the diff of a resumed prompt, until the prompt is shorter than a quarter of
 * the first one.
 */
const CONTEXT_LINES = [3, 1, 0];
const DELTA_SHARE = 0.25;

/** More lines of context than any file has, so that the diff shows the whole file. */
const WHOLE_FILE = 1_000_000;

/** Makes a prompt from the start of the first prompt, the diff, and the files that the diff shows in full. */
type WriteDelta = (opening: string, delta: string, whole: readonly RepoPath[]) => ComposedPrompt;

type Context = Pick<IterationContext, 'ports' | 'diff'>;

/**
 * Returns the changes since a session last saw the gate's files, with the prompt that shows them. `reads` are the facts
 * that decide whether the prompt could show whole files.
 */
export async function readDelta(
  context: Context,
  gate: ReviewGate,
  session: KeptSession,
  reads: { readonly earlier: PastReview['resumedReviews']; readonly seen: readonly string[] },
  write: WriteDelta,
): Promise<SessionDelta | LostDelta> {
  const delta = await shortestDelta(context, gate, session, write);
  if ('lost' in delta || !mayShowWholeFiles(reads)) return delta;
  const wholeDiff = await context.diff(session.saw, WHOLE_FILE);
  return wholeDiff.ok ? { ...delta, wholeFiles: wholeFilesIn(gate, delta.sections, wholeDiff.value) } : delta;
}

async function shortestDelta(
  { ports, diff }: Context,
  gate: ReviewGate,
  session: KeptSession,
  write: WriteDelta,
): Promise<SessionDelta | LostDelta> {
  const opening = await ports.sessionPrompts.read(session.stableDigest);
  if (opening === null) return { lost: 'session' };
  let shortest: SessionDelta | null = null;
  for (const contextLines of CONTEXT_LINES) {
    const delta = await diff(session.saw, contextLines);
    if (!delta.ok) return { lost: 'snapshot' };
    // Even if a file has not changed since the last review, it can be new to the gate, or be compared with another base
    // now. The diff would not show that, so the session cannot be resumed.
    if (!sessionCoversChange(session.shown, gate.entries, delta.value.has)) return { lost: 'diff' };
    const sections = delta.value.showing(changedPaths(delta.value, gate.entries, session.shown));
    const compose: SessionDelta['compose'] = (shownSections, whole) =>
      write(opening, shownSections.map(({ text }) => text).join(''), whole);
    const prompt = compose(sections, []);
    if (shortest === null || prompt.dynamic.length < shortest.prompt.dynamic.length) {
      shortest = { prompt, sections, wholeFiles: [], compose };
    }
    if (prompt.dynamic.length < session.firstPromptLength * DELTA_SHARE) break;
  }
  return shortest ?? { lost: 'snapshot' };
}

function wholeFilesIn(
  { entries }: ReviewGate,
  sections: readonly DiffSection[],
  wholeDiff: IndexedDiff,
): readonly WholeFile[] {
  const present = new Map(entries.filter(({ headBlob }) => headBlob !== null).map((entry) => [entry.path, entry]));
  return sections.flatMap((section) => {
    const path = section.paths.findLast((sectionPath) => present.has(sectionPath));
    const [all, ...otherSections] = path === undefined ? [] : wholeDiff.showing([path]);
    if (path === undefined || all === undefined || otherSections.length > 0) return [];
    return [{ path, section, all, isAdded: present.get(path)?.baseBlob === null }];
  });
}
