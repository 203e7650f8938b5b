import { type OtherChanges, otherChanges } from '@onceover/agents/dispatch/prompt-other-changes';
import { mayShowWholeFiles } from '@onceover/agents/economy/plan-session';
import { deltaLimit } from '@onceover/agents/economy/resume';
import type { LostDelta, PastReview, SessionDelta, WholeFile } from '@onceover/agents/economy/types';
import type { KeptSession } from '@onceover/base/kernel/agent';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { DiffSection } from '@onceover/base/kernel/repository';
import type { ReviewGate } from '../../gate-types.ts';
import type { IterationContext } from './iteration.ts';
import type { ShownDelta } from './prompt.ts';
import { changedPaths, type IndexedDiff, sessionCoversChange } from './prompt-diff.ts';

/**
 * The numbers of context lines to try in the diff of a resumed prompt, until the prompt is shorter than a quarter of
 * the first one.
 */
const CONTEXT_LINES = [3, 1, 0];
const DELTA_SHARE = 0.25;

/** More lines of context than any file has, so that the diff shows the whole file. */
const WHOLE_FILE = 1_000_000;

/** Makes a prompt from the start of the first prompt and the changes. */
type WriteDelta = (opening: string, delta: ShownDelta) => ComposedPrompt;

/** The files that a session has seen, as far as they are known. */
export type SessionReads = {
  /** Earlier reviews in the session, and the files that show whether it opens files again. */
  readonly earlier: PastReview['resumedReviews'];
  readonly seen: readonly string[];
  /** The files that the session has opened or was handed; `null` if its agent does not report them. */
  readonly inSession: readonly string[] | null;
};

type Context = Pick<IterationContext, 'ports' | 'diff'>;

/** Returns the changes since a session last saw the gate's files, with the prompt that shows them. */
export async function readDelta(
  context: Context,
  gate: ReviewGate,
  session: KeptSession,
  reads: SessionReads,
  write: WriteDelta,
): Promise<SessionDelta | LostDelta> {
  const delta = await shortestDelta(context, gate, session, reads.inSession, write);
  if ('lost' in delta || !mayShowWholeFiles(reads)) return delta;
  const wholeDiff = await context.diff(session.saw, WHOLE_FILE);
  return wholeDiff.ok ? { ...delta, wholeFiles: wholeFilesIn(gate, delta.sections, wholeDiff.value) } : delta;
}

async function shortestDelta(
  { ports, diff }: Context,
  gate: ReviewGate,
  session: KeptSession,
  inSession: SessionReads['inSession'],
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
    const others = othersIn(delta.value, { sections, inSession }, session);
    const compose: SessionDelta['compose'] = (shownSections, whole) =>
      write(opening, { diff: textOf(shownSections), whole, others });
    const prompt = compose(sections, []);
    if (shortest === null || prompt.dynamic.length < shortest.prompt.dynamic.length) {
      shortest = { prompt, sections, wholeFiles: [], compose };
    }
    if (prompt.dynamic.length < session.firstPromptLength * DELTA_SHARE) break;
  }
  return shortest ?? { lost: 'snapshot' };
}

/** The maximum share of the first prompt's length that the diffs of files outside the review may take. */
const OTHERS_SHARE = 0.25;

/**
 * Returns the changes that the diff of the files under review does not show. Diffs get only the space that is left, so
 * that they never make a prompt too long to resume the session.
 */
function othersIn(
  diff: IndexedDiff,
  { sections, inSession }: { readonly sections: readonly DiffSection[]; readonly inSession: SessionReads['inSession'] },
  session: KeptSession,
): OtherChanges {
  const shown = new Set(sections);
  const room = Math.min(session.firstPromptLength * OTHERS_SHARE, deltaLimit(session) - textOf(sections).length);
  return otherChanges(
    diff.sections.filter((section) => !shown.has(section)),
    inSession,
    room,
  );
}

function textOf(sections: readonly DiffSection[]): string {
  return sections.map(({ text }) => text).join('');
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
