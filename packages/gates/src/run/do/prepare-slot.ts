import { cacheRule } from '@onceover/agents/dispatch/cache-rules';
import {
  type CacheHistory,
  cacheTtl,
  costAfterCacheExpiry,
  type SharedStart,
  ttlOfCall,
} from '@onceover/agents/dispatch/decide-cache';
import { assignAgents, decideDispatch } from '@onceover/agents/dispatch/decide-resume';
import type { PrefixGate } from '@onceover/agents/dispatch/limits';
import type { ComposedPrompt } from '@onceover/agents/dispatch/prompt';
import { type Cooldown, estimateTokens, type KeptSession, type SlotTrouble } from '@onceover/base/kernel/agent';
import { digestOf, type RepoPath, type SnapshotId } from '@onceover/base/kernel/ids';
import type { ReviewedTrees, ReviewerFacts, Reviewers } from '@onceover/base/kernel/ports';
import type { DiffSection } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { ReportedFinding } from '../../findings/types.ts';
import { isOpen } from '../../findings/types.ts';
import type { ReviewGate, RunReason } from '../../gate-types.ts';
import { ruleReview } from '../../rules/prompt.ts';
import { readContext } from '../../rules/select-files.ts';
import type { GateState } from '../decide/gate-state.ts';
import type { GateRun } from '../decide/plan-run.ts';
import type { RunContext, RunFacts, SlotJob, UnassignableSlot } from '../ports.ts';
import type { SlotRecord } from '../record-types.ts';
import { type DeltaPrompt, withChangedFiles } from './handed-files.ts';
import { filesOpenedBefore } from './opened-before.ts';
import { freshGatePrompt, GATE_ENGINE, gateSchemaDigest, resumedGatePrompt, type SlotPast } from './prompt.ts';
import {
  changedPaths,
  type IndexedDiff,
  partShowing,
  pathsIn,
  sectionsOf,
  sessionCoversChange,
  splitDiff,
  unseenPaths,
} from './prompt-diff.ts';

/** The data that all reviewers of an iteration share. */
export type IterationContext = RunContext & {
  readonly facts: RunFacts;
  readonly iteration: number;
  readonly reviewers: Reviewers;
  readonly tree: SnapshotId;
  /** A text that identifies the branch's history, so that a later run can tell whether commits were removed since. */
  readonly mark: string | null;
  readonly prefixes: PrefixGate;
  /** The plans of all gates that run in this iteration. */
  readonly plans: readonly GateRun[];
  /** Facts from earlier calls in this repository: about the provider's cache, and about the time between calls. */
  readonly cacheHistory: CacheHistory;
  /** The git trees of both sides of the change, for reviewers that read files from git. */
  readonly trees: ReviewedTrees;
  /** The paths of all changed files. */
  readonly changed: readonly RepoPath[];
  isChanged(path: RepoPath): boolean;
  /** Returns the text of a file under review; `null` if there is none. Each file is read only once. */
  text(path: RepoPath): Promise<Result<string | null>>;
  /** Returns the diff from a tree to the current tree. Each diff is computed only once. */
  diff(from: string, contextLines: number): Promise<Result<IndexedDiff>>;
};

/** Returns the agents that can run a gate now, in order of preference, and the agents that are in a cooldown. */
export async function availableAgents(
  { ports, reviewers }: Pick<IterationContext, 'ports' | 'reviewers'>,
  gate: ReviewGate,
): Promise<{ readonly names: readonly string[]; readonly cooling: readonly Cooldown[] }> {
  const candidates = (gate.agents ?? reviewers.names).filter(
    (name) => reviewers.found.includes(name) && reviewers.refused?.has(name) !== true,
  );
  const cooling = (await ports.cooldowns.all(ports.clock.now())).filter(({ agent }) => candidates.includes(agent));
  return { names: candidates.filter((name) => !cooling.some(({ agent }) => agent === name)), cooling };
}

export async function prepareSlot(
  context: IterationContext,
  state: GateState,
  plan: { readonly slot: number; readonly why: RunReason },
): Promise<Result<SlotJob | UnassignableSlot>> {
  const { gate } = state;
  const unassignable = (trouble: SlotTrouble, agent: string | null = null) =>
    ok<UnassignableSlot>({ state, gate, ...plan, agent, trouble });
  const available = await availableAgents(context, gate);
  const assignment = assignAgents(plan.slot, available.names);
  if (assignment === null) {
    const wantedAgents = gate.agents ?? context.request.settings.agents ?? context.reviewers.names;
    const refusedAgent = [...(context.reviewers.refused ?? [])].find(([name]) => wantedAgents.includes(name));
    if (refusedAgent !== undefined)
      return unassignable({ kind: 'author-agent', agent: refusedAgent[0], path: refusedAgent[1] });
    const missing = context.reviewers.missing.filter(({ name }) => wantedAgents.includes(name));
    return unassignable({ kind: 'no-agent', wanted: wantedAgents, cooling: available.cooling, missing });
  }
  const { agent, others } = assignment;
  const reviewerFacts = await Promise.all([agent, ...others].map((name) => context.reviewers.describe(name)));
  const agentFacts = reviewerFacts[0] as ReviewerFacts;
  const lastLook = lastReview(state, plan.slot);
  const change = await gateDiff(context, gate);
  if (!change.ok) return change;
  const [unreadable] = unseenPaths(change.value, gate.entries, 'opaque');
  if (unreadable !== undefined) return unassignable({ kind: 'not-text', path: unreadable }, agent);
  const limit = Math.min(...reviewerFacts.map(({ diffLimit }) => diffLimit));
  const parts = splitDiff(change.value, limit);
  if (!parts.ok) {
    return unassignable({ kind: 'file-too-large', path: parts.path, characters: parts.characters, limit }, agent);
  }
  const { rubric, unshown } = await readRubric(context, gate);
  const past = await pastOf(context, state, plan.slot, lastLook);
  const diffLength = parts.parts.reduce((sum, { text }) => sum + text.length, 0);
  const givenFiles =
    parts.parts.length > 1 || plan.why === 'asked-for' || plan.why === 'certify'
      ? []
      : await filesOpenedBefore(context, gate, { agent, promptLength: GATE_ENGINE.length + diffLength });
  const fresh = parts.parts.map(({ text: diff }, i): ComposedPrompt => {
    const part = parts.parts.length === 1 ? null : { number: i + 1, of: parts.parts.length };
    const open = past.open.filter(({ file }) => partShowing(file, parts.parts) === i);
    return freshGatePrompt({ diff, part }, rubric, { ...past, open }, givenFiles);
  });
  const lastSession = lastLook?.own?.session ?? null;
  // The cost estimate of a new session already counts the files that the reviewer opens, so do not count these files
  // twice.
  const givenLength = givenFiles.reduce((sum, { text }) => sum + text.length, 0);
  const freshLength = fresh.reduce((sum, { length }) => sum + length, 0) - givenLength;
  const resumedPrompt =
    lastSession === null
      ? null
      : await deltaPrompt(context, gate, lastSession, (...args) => resumedGatePrompt(args[0], args[1], past, args[2]));
  const delta = resumedPrompt?.ok === true ? resumedPrompt : null;
  const deltaLength = delta?.prompt.dynamic.length ?? 0;
  const { clock } = context.ports;
  const pauseMs = lastLook === null ? null : clock.now().getTime() - Date.parse(lastLook.timestamp);
  const rule = cacheRule(
    agentFacts.provider,
    agentFacts.model ?? agentFacts.usualModel ?? lastSession?.cache?.model ?? null,
  );
  const { settings } = context.request;
  const ttl = cacheTtl(settings.cacheTtl, rule, { next: context.cacheHistory.next.reviewer, pauseMs });
  const lengths = {
    delta: deltaLength,
    fresh: freshLength,
    given: givenFiles.length,
    ...(agentFacts.sharesPrefix ? { shared: sharedStarts(context.plans, gate, fresh[0], lastSession) } : {}),
  };
  const cost =
    delta === null
      ? null
      : costAfterCacheExpiry(delta.session, lengths, { now: clock.now(), ttl, history: context.cacheHistory });
  const dispatch = decideDispatch({
    who: 'reviewer',
    wanted: plan.why === 'asked-for' || plan.why === 'certify' ? 'fresh' : 'any',
    // A session that saw only one part of the change cannot be resumed for the whole change.
    session: fresh.length > 1 ? null : lastSession,
    now: {
      agent,
      model: agentFacts.model,
      version: agentFacts.version,
      toolsDigest: slotFingerprint(agentFacts, gate),
    },
    canResume: lastSession?.agent === agent && (await agentFacts.canResume()),
    lost: resumedPrompt?.ok === false ? resumedPrompt.lost : null,
    isFinalValidation: false,
    changed: lastLook?.own?.content !== gate.content,
    cost,
    deltaLength,
  });
  // If the provider's cache of their sessions has expired, resumed reviewers can share the start of their prompts
  // again, like new ones.
  const start = dispatch.kind === 'fresh' ? fresh[0] : delta?.prompt;
  const startsUncached = dispatch.kind === 'fresh' || cost?.cacheExpired === true;
  return ok({
    state,
    gate,
    ...plan,
    agent,
    others,
    dispatch,
    fresh,
    given: givenFiles.map(({ path }) => path),
    unshown,
    resumed:
      dispatch.kind === 'resumed' && delta !== null ? await withChangedFiles(context, state, delta, plan.slot) : null,
    tree: context.tree,
    lastLook,
    prefix: agentFacts.sharesPrefix && startsUncached ? `${agent}\0${start?.stable ?? ''}` : null,
    sharing: sharingKey(agent, agentFacts, fresh),
    timeoutSeconds: gate.timeoutSeconds ?? agentFacts.timeoutSeconds ?? settings.timeoutSeconds,
    cacheTtl: ttlOfCall(
      settings.cacheTtl,
      ttl,
      dispatch.kind === 'resumed' && cost !== null ? { ...lastSession, ...cost } : null,
    ),
    cacheNote: cost?.note ?? null,
  });
}

/**
 * Returns how many tokens the reviewers that run now have in common: in new sessions, and in their earlier sessions.
 */
function sharedStarts(
  plans: readonly GateRun[],
  { content }: ReviewGate,
  prompt: ComposedPrompt | undefined,
  lastSession: KeptSession | null,
): { readonly fresh: SharedStart; readonly resumed: SharedStart } {
  const running = plans.flatMap(({ state, slots }) =>
    slots
      .filter(({ kind }) => kind === 'run')
      .map(({ slot }) => {
        const metadata = lastReview(state, slot)?.own;
        return { gate: state.gate, session: metadata?.session ?? null, isFork: metadata?.reading !== undefined };
      }),
  );
  const sameContentReviews = running.filter(({ gate }) => gate.content === content);
  const resumedReviews = running.filter(
    ({ session }) => session !== null && session.stableDigest === lastSession?.stableDigest,
  );
  const tokensOf = (reviews: typeof running) => {
    const tokenCounts = reviews.map(({ session }) => session?.cache?.opening?.shared ?? 0);
    return Math.max(...tokenCounts, estimateTokens(prompt?.stable.length ?? 0));
  };
  // The figures of a forked session include files that another session read for it. New sessions can share such a
  // session again, but resumed sessions share only the start of their prompts. So leave out forked sessions here.
  const resumedTokens = tokensOf(sameContentReviews.filter(({ isFork }) => !isFork));
  return {
    fresh: { reviewers: sameContentReviews.length, tokens: tokensOf(sameContentReviews) },
    resumed: { reviewers: resumedReviews.length, tokens: resumedTokens },
  };
}

/**
 * Returns a digest of the inputs that must stay the same in a session: tools, answer schema and the reviewer's
 * instructions.
 */
export function slotFingerprint(
  facts: Pick<ReviewerFacts, 'toolsDigest' | 'forksCached'>,
  { rubric }: ReviewGate,
): string {
  return `${readingFingerprint(facts)}:${rubric.digest}`;
}

/**
 * Returns a digest of the inputs that must stay the same in a session that only reads files: tools and answer schema.
 */
export function readingFingerprint(facts: Pick<ReviewerFacts, 'toolsDigest' | 'forksCached'>): string {
  return `${facts.toolsDigest}:${gateSchemaDigest(facts)}`;
}

/**
 * Returns a key that is the same for all reviewers that can share one session that reads the files; `null` if this
 * reviewer cannot share one.
 */
function sharingKey(agent: string, now: ReviewerFacts, fresh: readonly ComposedPrompt[]): string | null {
  const [only] = fresh;
  if (only === undefined || fresh.length > 1 || !now.forksCached || !now.canFork()) return null;
  return digestOf([agent, now.model, now.version, now.toolsDigest, only.stable]);
}

/**
 * Returns the reviewer's last review of the current change, not counting skips; `null` if there is none or it ended in
 * an error.
 */
function lastReview({ cycle }: GateState, slot: number): SlotRecord | null {
  const latest = cycle.findLast((record) => record.slot === slot && record.own?.dispatch !== 'none');
  return latest === undefined || latest.status === 'error' ? null : latest;
}

async function gateDiff(context: IterationContext, gate: ReviewGate): Promise<Result<readonly DiffSection[]>> {
  const { comparison } = context.facts;
  const wholeDiff = await context.diff(comparison.baseTree, DEFAULT_DIFF_CONTEXT);
  if (!wholeDiff.ok) return wholeDiff;
  const { whole: gateSections, torn } = sectionsOf(wholeDiff.value, new Set(gate.entries.map(({ path }) => path)));
  if (torn.length === 0) return ok(gateSections);
  // If a file was renamed into or out of the gate, show only the side inside the gate.
  const plain = await context.ports.snapshots.plainSections(comparison.baseTree, context.tree, torn);
  return plain.ok ? ok([...gateSections, ...plain.value]) : plain;
}

export const DEFAULT_DIFF_CONTEXT = 3;

/**
 * The numbers of context lines to try in the diff of a resumed prompt, until the prompt is shorter than a quarter of
 * the first one.
 */
const CONTEXT_LINES = [3, 1, 0];
const DELTA_SHARE = 0.25;

type ResumedPrompt =
  | ({ readonly ok: true } & DeltaPrompt)
  | { readonly ok: false; readonly lost: 'session' | 'snapshot' | 'diff' };

/**
 * Returns a prompt with the changes since a session last saw the gate's files. `write` makes the prompt from the start
 * of the first prompt, the diff, and the files that the diff shows in full.
 */
export async function deltaPrompt(
  context: IterationContext,
  gate: ReviewGate,
  session: KeptSession,
  write: (opening: string, delta: string, whole: readonly RepoPath[]) => ComposedPrompt,
): Promise<ResumedPrompt> {
  const opening = await context.ports.sessionPrompts.read(session.stableDigest);
  if (opening === null) return { ok: false, lost: 'session' };
  let shortest: Extract<ResumedPrompt, { ok: true }> | null = null;
  for (const contextLines of CONTEXT_LINES) {
    const delta = await context.diff(session.saw, contextLines);
    if (!delta.ok) return { ok: false, lost: 'snapshot' };
    // Even if a file has not changed since the last review, it can be new to the gate, or be compared with another base
    // now. The diff would not show that, so the session cannot be resumed.
    if (!sessionCoversChange(session.shown, gate.entries, delta.value.has)) return { ok: false, lost: 'diff' };
    const paths = changedPaths(delta.value, gate.entries, session.shown);
    const sections = delta.value.showing(paths);
    const compose = (shownSections: readonly DiffSection[], whole: readonly RepoPath[]) =>
      write(opening, shownSections.map(({ text }) => text).join(''), whole);
    const prompt = compose(sections, []);
    if (shortest === null || prompt.dynamic.length < shortest.prompt.dynamic.length) {
      shortest = { ok: true, prompt, session, sections, compose };
    }
    if (prompt.dynamic.length < session.firstPromptLength * DELTA_SHARE) break;
  }
  return shortest ?? { ok: false, lost: 'snapshot' };
}

/**
 * Returns the gate's paths that changed since the last review; `null` if that is unknown. Without a session, onceover
 * does not know which files that review showed. If the base has changed too, it cannot tell whether a difference comes
 * from the new base.
 */
function changedSince(
  { facts }: IterationContext,
  { entries }: ReviewGate,
  diff: IndexedDiff,
  { own: last }: SlotRecord,
): readonly RepoPath[] | null {
  if (last?.session != null) return changedPaths(diff, entries, last.session.shown);
  const isSameBase = last?.mergeBase === facts.comparison.where.mergeBase;
  if (!isSameBase && diff.left.length > 0) return null;
  return pathsIn(diff, new Set([...entries.map(({ path }) => path), ...diff.left]));
}

async function pastOf(
  context: IterationContext,
  state: GateState,
  slot: number,
  lastLook: SlotRecord | null,
): Promise<SlotPast> {
  const isOwnOpen = (report: ReportedFinding) => report.finding.slot === slot && isOpen(report.state);
  const lastSnapshot = lastLook?.own?.snapshot ?? null;
  const delta = lastSnapshot === null ? null : await context.diff(lastSnapshot, DEFAULT_DIFF_CONTEXT);
  const changedFiles =
    lastLook === null || delta?.ok !== true ? null : changedSince(context, state.gate, delta.value, lastLook);
  return {
    open: state.findings.filter(isOwnOpen).map(({ finding }) => finding),
    declined: state.findings.filter((report) => report.state === 'waived').map(({ finding }) => finding),
    since: changedFiles === null ? null : { passed: lastLook?.status === 'pass', changed: [...new Set(changedFiles)] },
  };
}

async function readRubric(
  context: IterationContext,
  gate: ReviewGate,
): Promise<{ readonly rubric: string; readonly unshown: SlotJob['unshown'] }> {
  if (gate.task === null) return { rubric: gate.rubric.text, unshown: [] };
  const ruleContext = await readContext([gate.task], context.ports.references(), context.changed);
  return { rubric: ruleReview(gate.task, ruleContext.context), unshown: ruleContext.notices };
}
