import { filesToHandOver, isSameFile, opensAgain, type ResumedReview } from '../../dispatch/decide-handover.ts';
import { deltaLimit } from '../../dispatch/decide-resume.ts';
import type { ComposedPrompt } from '../../dispatch/prompt.ts';
import { estimateTokens, type KeptSession } from '../../kernel/agent.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import type { DiffSection } from '../../kernel/repository.ts';
import type { Result } from '../../kernel/result.ts';
import type { GateState } from '../decide/gate-state.ts';
import type { SlotJob } from '../ports.ts';
import type { RecordMetadata } from '../record-types.ts';
import type { IndexedDiff } from './prompt-diff.ts';

/** The prompt that resumes a session, before files are shown as a whole in it. */
export type DeltaPrompt = {
  readonly prompt: ComposedPrompt;
  readonly session: KeptSession;
  /** The differences since the session's last review. */
  readonly sections: readonly DiffSection[];
  /** Returns the prompt with these differences, of which those of the files in `whole` show the whole file. */
  compose(sections: readonly DiffSection[], whole: readonly RepoPath[]): ComposedPrompt;
};

const MOST_REVIEWS = 4;

/** More lines of context than a file has. */
const WHOLE_FILE = 1_000_000;

/**
 * Returns the prompt of a resumed slot. Where that is cheaper, the difference of a changed file shows the whole file, so
 * that the reviewer does not have to open it again.
 */
export async function withChangedFiles(
  { diff }: { diff(from: string, contextLines: number): Promise<Result<IndexedDiff>> },
  { gate, cycle }: GateState,
  { prompt, session, sections, compose }: DeltaPrompt,
  slot: number,
): Promise<NonNullable<SlotJob['resumed']>> {
  const plain = { prompt, session, handed: [] };
  const earlier = cycle
    .filter((record) => record.slot === slot && record.own?.dispatch === 'resumed' && record.own.opened !== undefined)
    .slice(-MOST_REVIEWS)
    .map(({ own }): ResumedReview => ({ handed: own?.handed ?? [], opened: own?.opened ?? [] }));
  const likely = opensAgain(earlier);
  const seen = cycle.filter((record) => record.slot === slot).flatMap(({ own }) => filesSeen(own));
  if (likely === 0 || seen.length === 0) return plain;
  const whole = await diff(session.saw, WHOLE_FILE);
  if (!whole.ok) return plain;
  const present = new Set(gate.entries.filter(({ headBlob }) => headBlob !== null).map(({ path }) => path));
  const files = sections.flatMap((section) => {
    const path = section.paths.findLast((one) => present.has(one));
    const [all, ...others] = path === undefined ? [] : whole.value.showing([path]);
    if (path === undefined || all === undefined || others.length > 0) return [];
    // A reviewer that did not need the file before will hardly open it for a small change.
    if (!seen.some((one) => isSameFile(one, path))) return [];
    return [{ path, section, all, more: all.text.length - section.text.length }];
  });
  const handed = filesToHandOver(files, {
    // Tokens that the first call found in the cache are missing in `contextTokens`.
    contextTokens: Math.max(session.contextTokens ?? 0, estimateTokens(session.firstPromptLength)),
    likely,
    // The prompt must stay short enough to be sent to a resumed session.
    room: deltaLimit(session) - prompt.dynamic.length,
  });
  if (handed.length === 0) return plain;
  const shown = sections.map((section) => handed.find((file) => file.section === section)?.all ?? section);
  const paths = files.filter((file) => handed.includes(file)).map(({ path }) => path);
  return { prompt: compose(shown, paths), session, handed: paths };
}

/** Returns the files that a reviewer opened, that its reading opened for it, and that its prompt showed as a whole. */
function filesSeen(own: RecordMetadata | null): readonly string[] {
  return [...(own?.opened ?? []), ...(own?.handed ?? []), ...(own?.reading?.opened ?? [])];
}
