import {
  countChangedLines,
  describeOtherChanges,
  isSeenFile,
  otherChanges,
} from '@onceover/agents/dispatch/prompt-other-changes';
import { deltaLimit, sessionFingerprint } from '@onceover/agents/economy/resume';
import { costAfterCacheExpiry } from '@onceover/agents/economy/session-cost';
import { quoteName } from '@onceover/base/kernel/escape';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { ReviewerFacts } from '@onceover/base/kernel/ports';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { DiffSection } from '@onceover/base/kernel/repository';
import { sentenceDiff } from '@onceover/base/text-diff/sentence-diff';
import { freshTemplate } from '../decide/calls.ts';
import { countsFiles } from '../decide/roles.ts';
import { type LoopMaterial, loopAnswer, loopMustRead, loopPrompt } from '../prompt/prompt.ts';
import type { LoopDelta } from '../prompt/sections.ts';
import { isCode, isPhaseRecord } from '../read/subject.ts';
import { modelFor, roleName } from '../roles/types.ts';
import type { Ask, LoopSession, Measured } from '../state.ts';
import type { PhaseContext } from './context.ts';

/**
 * The changes since the last review, as text. `format` is the number of context lines of a diff, or `sentences` for a
 * list of changed sentences.
 */
export type Delta = { readonly format: number | 'sentences'; readonly text: string };

/** A format in which the changes can be shown. `make` returns them as text, or null if the format is not possible. */
export type DeltaCandidate = Pick<Delta, 'format'> & { make(): Promise<string | null> };

/**
 * If the changes are shorter than this part of the first prompt, or than this number of characters, no shorter format
 * is tried.
 */
const SHORT_ENOUGH = { part: 0.1, characters: 800 };

/**
 * Returns the changes in the first format that is short enough, or else in the shortest format; null if no format is
 * possible.
 */
export async function chooseDelta(
  candidates: readonly DeltaCandidate[],
  firstPromptLength: number,
): Promise<Delta | null> {
  const enough = Math.max(SHORT_ENOUGH.characters, firstPromptLength * SHORT_ENOUGH.part);
  let shortest: Delta | null = null;
  for (const { format, make } of candidates) {
    const text = await make();
    if (text === null) continue;
    if (text.length < enough) return { format, text };
    if (shortest === null || text.length < shortest.text.length) shortest = { format, text };
  }
  return shortest;
}

/** Returns a text with the numbers of added and removed lines: one line per changed file, then the total. */
export function diffStat(sections: readonly DiffSection[]): string {
  const files = sections.map(({ paths, text }) => ({
    name: paths.map(quoteName).join(' => '),
    ...countChangedLines(text),
  }));
  const addedLines = files.reduce((sum, file) => sum + file.added, 0);
  const removedLines = files.reduce((sum, file) => sum + file.removed, 0);
  const total = `${files.length} ${files.length === 1 ? 'file' : 'files'} changed, +${addedLines} -${removedLines}`;
  return [...files.map((file) => ` ${file.name} | +${file.added} -${file.removed}`), ` ${total}`].join('\n');
}

export function freshPrompt(playing: PhaseContext, ask: Ask): ComposedPrompt {
  return loopPrompt(ask, materialFor(playing, null));
}

export function freshLength(playing: PhaseContext, ask: Ask): number {
  return freshPrompt(playing, { ...ask, template: freshTemplate(ask.role), session: null, delta: null }).length;
}

function materialFor({ request, feature, memory }: PhaseContext, resumption: LoopMaterial['resumed']): LoopMaterial {
  return {
    roles: request.roles,
    phase: request.phase,
    feature: feature.paths,
    document: memory.sight.document,
    files: memory.sight.files,
    deleted: memory.sight.deleted,
    resumed: resumption,
    outline: memory.outline,
  };
}

/** Returns the facts that must not change in a session: agent, model, version, tools and instructions. */
export function currentQuestion(playing: PhaseContext, ask: Ask, facts: ReviewerFacts): Measured['now'] {
  const { stable } = freshPrompt(playing, { ...ask, template: freshTemplate(ask.role) });
  const { schema } = loopAnswer(ask, playing.request.roles);
  return {
    agent: ask.agent,
    model: modelOf(playing, ask),
    version: facts.version,
    toolsDigest: sessionFingerprint(facts.toolsDigest, schema, stable),
  };
}

/** Returns the model to request; null for the agent's default. */
export function modelOf({ request }: PhaseContext, { role, part, agent }: Ask): string | null {
  const { roles, settings } = request;
  return modelFor(roles[roleName(role, part)], agent, settings.agent[agent]?.model ?? null);
}

/**
 * Builds and stores the prompt that would resume a session. Returns its length and the other facts that decide whether
 * it is sent.
 */
export async function measurePrompt(playing: PhaseContext, ask: Ask): Promise<Measured> {
  const { ports, request, memory } = playing;
  const facts = await ports.reviewers.describe(ask.agent);
  const now = currentQuestion(playing, ask, facts);
  const { session, delta } = ask;
  const noResumption = { now, canResume: false, lost: null, cost: null, deltaLength: 0 };
  if (session === null || delta === null || session.agent !== ask.agent) return noResumption;
  if (!(await facts.canResume())) return noResumption;
  if (memory.resuming.kind === 'unknown') memory.resuming = { kind: 'works' };
  const able = { ...noResumption, canResume: true };
  const prompt = await resumedPrompt(playing, ask);
  if (typeof prompt === 'string') return { ...able, lost: prompt };
  memory.measured.set(ask.role, prompt);
  const lengths = { delta: prompt.dynamic.length, fresh: freshLength(playing, ask) };
  const ttl = session.cache?.ttl ?? '5m';
  const cost = costAfterCacheExpiry(session, lengths, { now: ports.clock.now(), ttl, history: memory.cacheHistory });
  memory.costs.set(ask.role, cost);
  return {
    ...able,
    cost: request.settings.resumeWhenCold ? null : cost,
    deltaLength: lengths.delta,
    mustReadLength: countsFiles(request.settings.deltaGuard, ask.role)
      ? await mustReadLength(playing, ask, 2 * lengths.delta - session.firstPromptLength)
      : 0,
  };
}

/** Returns the length of the prompt that would resume the session; 0 if the prompt cannot be built. */
export async function resumedLength(playing: PhaseContext, ask: Ask): Promise<number> {
  const prompt = await resumedPrompt(playing, ask);
  return typeof prompt === 'string' ? 0 : prompt.dynamic.length;
}

/** Returns the prompt that resumes the session. If the prompt cannot be built, returns what is missing for it. */
async function resumedPrompt(
  playing: PhaseContext,
  ask: Ask,
): Promise<ComposedPrompt | 'session' | 'snapshot' | 'diff'> {
  if (ask.session === null) return 'session';
  const { opening } = ask.session;
  const change = await deltaOf(playing, ask, ask.session);
  if (typeof change === 'string') return change;
  return loopPrompt(ask, materialFor(playing, { opening, ...change }));
}

/**
 * Records which resume test the agent failed (V1 to V4, see dispatch/resume-probe.ts), unless a failure is already
 * recorded.
 */
export async function noteDeferred({ ports, memory }: PhaseContext, { agent, why: reason }: Ask): Promise<void> {
  if (reason !== 'cannot-resume' || memory.resuming.kind === 'deferred') return;
  const facts = await ports.reviewers.describe(agent);
  // If the agent can resume sessions but has none here, its last answer contained no session id. That is what the
  // resume test V1 checks.
  const why = (await facts.canResume()) ? 'V1: it named no session' : await facts.deferredReason();
  if (why === null) return;
  memory.resuming = { kind: 'deferred', why };
  memory.notices.push({ kind: 'not-resumed', agent, why });
}

/**
 * Returns the total length of the files that a new session would have to read. Stops counting when it reaches `enough`.
 */
async function mustReadLength(
  { ports, request, feature, memory }: PhaseContext,
  ask: Ask,
  enough: number,
): Promise<number> {
  const { roles, phase, root } = request;
  const documents = loopMustRead(ask, { roles, phase, feature: feature.paths });
  const paths = documents.map((path) => path.slice(root.length + 1) as RepoPath);
  let length = 0;
  for (const path of [...paths, ...(feature.documents.artifact === null ? memory.sight.files : [])]) {
    if (length >= enough) break;
    const text = await ports.snapshots.textIn(memory.sight.seen.snapshot, path);
    length += text.ok ? (text.value?.length ?? 0) : 0;
  }
  return length;
}

type Change = { readonly delta: LoopDelta; readonly changedFiles: readonly string[] };

/** The numbers of context lines to try in a diff, starting with the most readable. */
const CONTEXTS = [3, 1, 0] as const;

/**
 * Returns the changes since the role's last call in a short format. If that is impossible, returns which data is
 * missing.
 */
async function deltaOf(
  playing: PhaseContext,
  ask: Ask,
  session: Pick<LoopSession, 'firstPromptLength' | 'opened'>,
): Promise<Change | 'snapshot' | 'diff'> {
  const { ports, request, feature } = playing;
  const { from, to } = ask.delta ?? { from: '', to: '' };
  const sectionsByContext = new Map<number, readonly DiffSection[] | null>();
  const sections = async (context: number) => {
    const cachedSections = sectionsByContext.get(context);
    if (cachedSections !== undefined) return cachedSections;
    const diff = await ports.snapshots.sections(from, to, context);
    sectionsByContext.set(context, diff.ok ? diff.value : null);
    return diff.ok ? diff.value : null;
  };
  const first = await sections(CONTEXTS[0]);
  if (first === null) return 'snapshot';
  const { artifact, all } = feature.documents;
  const isUnderReview = ({ paths }: DiffSection) =>
    artifact === null ? paths.some((path) => isCode(request, path)) : paths.includes(artifact);
  const isUpstream = (section: DiffSection) =>
    !isUnderReview(section) && section.paths.some((path) => path !== artifact && all.includes(path));
  const textOf = async (context: number, isShown: (section: DiffSection) => boolean) => {
    const shownSections = (await sections(context))?.filter(isShown);
    return shownSections?.map(({ text }) => text).join('') ?? null;
  };
  const candidates: DeltaCandidate[] = CONTEXTS.map((format) => ({
    format,
    make: () => textOf(format, isUnderReview),
  }));
  if (artifact !== null) candidates.push({ format: 'sentences', make: () => changedSentences(playing, ask, artifact) });
  const delta = await chooseDelta(candidates, session.firstPromptLength);
  if (delta === null) return 'diff';
  const isShown = (section: DiffSection) => isUnderReview(section) || isUpstream(section);
  const opened = session.opened ?? null;
  // A delta is about the documents or code under review. So of the other files it has only those that the agent opened,
  // or, if that is unknown, may have opened.
  const otherSections = first.filter(
    (section) =>
      !isShown(section) &&
      !section.paths.every((path) => isPhaseRecord(request, path)) &&
      (opened === null || isSeenFile(section, opened)),
  );
  return {
    delta: {
      stat: artifact === null ? diffStat(first.filter(isUnderReview)) : null,
      diff: delta.text,
      upstream: (await textOf(delta.format === 'sentences' ? 0 : delta.format, isUpstream)) ?? '',
      others: describeOtherChanges(otherChanges(otherSections, opened, roomForOthers(session, delta.text))),
    },
    changedFiles: [
      ...new Set([...first.filter(isShown), ...(opened === null ? [] : otherSections)].flatMap(({ paths }) => paths)),
    ],
  };
}

/** The maximum share of the first prompt's length that the diffs of files outside the review may take. */
const OTHERS_SHARE = 0.25;

/**
 * Returns how many characters the diffs of other files may have: what is left, so that they never make a prompt too long
 * to resume the session.
 */
function roomForOthers(session: Pick<LoopSession, 'firstPromptLength'>, delta: string): number {
  return Math.min(session.firstPromptLength * OTHERS_SHARE, deltaLimit(session) - delta.length);
}

async function changedSentences({ ports }: PhaseContext, { delta }: Ask, artifact: RepoPath): Promise<string | null> {
  if (delta === null) return null;
  const before = await ports.snapshots.textIn(delta.from, artifact);
  const after = await ports.snapshots.textIn(delta.to, artifact);
  if (!before.ok || !after.ok || before.value === null || after.value === null) return null;
  return sentenceDiff(before.value, after.value);
}
