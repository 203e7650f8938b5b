import { type ConverseEnd, converse } from '@onceover/agents/dispatch/converse';
import { readsConfirmed } from '@onceover/agents/dispatch/prompt';
import { cacheTtl, ttlOfCall } from '@onceover/agents/economy/cache-life';
import type { CacheTtl } from '@onceover/agents/economy/cache-rules';
import { cacheRule } from '@onceover/agents/economy/cache-rules';
import { judgeHit, sessionUse } from '@onceover/agents/economy/session-use';
import type { AgentFailure, CacheNote } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { AskEnd, Question } from '@onceover/base/kernel/ports';
import { joinPrompt, sentText } from '@onceover/base/kernel/prompt';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { ReviewerRole } from '@onceover/base/kernel/review-loops';
import { type ChangeView, hiddenByFix, readChange } from '@onceover/repo/trust/hidden-by-fix';
import { fallbackAsk, unsentCall } from '../decide/calls.ts';
import { isPass } from '../decide/end.ts';
import { isUnderReview } from '../decide/fix.ts';
import { loopAnswer, loopLabel, loopMustRead } from '../prompt/prompt.ts';
import { onlyFiles } from '../read/subject.ts';
import type { Ask, CallEnd, LoopSession, PhaseEvent, Replied } from '../state.ts';
import { currentQuestion, freshLength, freshPrompt, modelOf, noteDeferred } from './build-prompt.ts';
import type { PhaseContext } from './context.ts';

/** Calls the agent of a role, with retries, and returns the result as an event for the state machine. */
export async function askRole(playing: PhaseContext, ask: Ask): Promise<Result<PhaseEvent>> {
  const { ports, memory } = playing;
  await noteDeferred(playing, ask);
  const before = isWriter(ask) ? await workBefore(playing) : ok(null);
  if (!before.ok) return before;
  const guard = editsFiles(ask) ? await ports.proof.snapshot() : null;
  const talk = await talkTo(playing, ask);
  const restoredPaths = (await guard?.restore()) ?? ok([]);
  if (!restoredPaths.ok) return restoredPaths;
  if (restoredPaths.value.length > 0) memory.notices.push({ kind: 'proof-taken-back', paths: restoredPaths.value });
  const edits = before.value === null ? ok({ changedPaths: [] }) : await editsSince(playing, before.value);
  const { end, ended } = talk;
  if (ask.role !== 'implementer') describeEnd(playing, talk);
  if (end.trouble?.kind === 'budget') return ok({ kind: 'stop', why: 'budget', calls: [ended] });
  if (end.trouble !== null) return ok({ kind: 'call-failed', failure: end.trouble.failure, ...ended });
  const { answer } = end;
  const reply = await repliedWith(playing, ask, talk);
  if ('approved' in answer) return ok({ kind: 'answered', answer, ...reply, role: ask.role as ReviewerRole });
  if ('outlines' in answer) memory.outline = answer;
  if (!edits.ok) return edits;
  return ok({ kind: 'fixed', summary: answer.summary, ...edits.value, ...reply });
}

function isWriter({ role }: Ask): boolean {
  return !role.endsWith('-reviewer');
}

// Whether the role's agent edits files. All roles except reviewers do, but part A of the test-deepener only reads
// documents.
function editsFiles(ask: Ask): boolean {
  return isWriter(ask) && (ask.role !== 'test-deepener' || ask.part === 'B');
}

type Talk = Awaited<ReturnType<typeof talkTo>>;

/** Sends a question to an agent, with retries. Stores the transcript and returns how the conversation ended. */
async function talkTo(playing: PhaseContext, ask: Ask) {
  const { ports, request, budget, memory } = playing;
  const { reviewers, clock, cooldowns, reporter } = ports;
  const { role, agent, others, session } = ask;
  const { settings } = request;
  const { kind, schema } = loopAnswer(ask, request.roles);
  const fallback = fallbackAsk(ask);
  const fresh = freshPrompt(playing, fallback);
  const measuredPrompt = memory.measured.get(role);
  const ttl = await ttlFor(playing, ask);
  let [asks, promptChars] = [0, 0];
  let model: string | null = null;
  let fellBack: AgentFailure | null = null;

  const send = async (name: string, question: Question): Promise<AskEnd> => {
    const facts = await reviewers.describe(name);
    model = modelOf(playing, { ...ask, agent: name });
    const whole = joinPrompt(question).length;
    if (whole > facts.diffLimit) return tooLong(whole, facts.diffLimit);
    if (asks === 0) describeStart(playing, { ...ask, agent: name }, question, model);
    asks += 1;
    promptChars += sentText(question).length;
    const timeoutSeconds = facts.timeoutSeconds ?? settings.timeoutSeconds;
    const askEnd = await reviewers.ask(
      name,
      { ...question, timeoutSeconds, ...(model === null ? {} : { model }) },
      {
        stop: request.stop,
        watch: (doing, usage) =>
          reporter.tell(
            role === 'implementer' ? { kind: 'fix-active', doing, usage } : { kind: 'look-active', role, doing, usage },
          ),
      },
    );
    asks += askEnd.retries ?? 0;
    if (askEnd.ok) model = askEnd.model ?? model;
    return askEnd;
  };

  const end = await converse(
    {
      ...{ reviewers, clock, cooldowns, budget, send },
      askingAgain(again) {
        if (session !== null && again.mode !== 'repair') fellBack ??= again.because;
        reporter.tell({ kind: 'look-asked-again', role, ...again });
      },
    },
    {
      ...{ kind, agent, others, fresh },
      resumed: session === null || measuredPrompt === undefined ? null : { prompt: measuredPrompt, session },
      options: {
        ...{ schema, cacheTtl: ttl, timeoutSeconds: settings.timeoutSeconds, idleSeconds: settings.idleTimeoutSeconds },
        ...(isWriter(ask) ? { writes: editsFiles(ask) } : {}),
      },
    },
  );
  const { durationMs, exchanges, usage } = end;
  memory.talks.set(role, {
    ...{ model, durationMs, exchanges, endedAt: clock.now().getTime() },
    cache: cacheNoteOf(playing, ask, end),
  });
  const { template, why } = end.dispatch === 'resumed' ? ask : fallback;
  const freshChars = end.answer === null ? 0 : freshLength(playing, ask);
  const callEnd: CallEnd = {
    role,
    call: {
      ...unsentCall({ agent: end.agent, template, why: end.agent === agent ? why : 'other-agent' }),
      spent: { asks, promptChars, freshChars, usage },
    },
    fellBack,
  };
  return { end, ended: callEnd, fresh, ttl };
}

/** Returns how long the provider should cache the prompt of a call. */
async function ttlFor({ ports, request, memory }: PhaseContext, ask: Ask): Promise<CacheTtl> {
  const { settings, fixing } = request;
  const { session, role } = ask;
  // If sessions are not stored, no later call can find this prompt in the cache, so request the short lifetime.
  if (settings.cacheTtl === 'auto' && fixing.by === 'caller' && !fixing.keepSessions) return '5m';
  const facts = await ports.reviewers.describe(ask.agent);
  const lastUsed = session === null ? memory.talks.get(role)?.endedAt : Date.parse(session.lastUsedAt);
  const pauseMs = lastUsed === undefined ? null : ports.clock.now().getTime() - lastUsed;
  const rule = cacheRule(facts.provider, facts.model ?? facts.usualModel ?? session?.cache?.model ?? null);
  const next = memory.cacheHistory.next[isWriter(ask) ? 'fixer' : 'reviewer'];
  const ttl = cacheTtl(settings.cacheTtl, rule, { next, pauseMs });
  const cost = memory.costs.get(role);
  return ttlOfCall(settings.cacheTtl, ttl, session === null || cost === undefined ? null : { ...session, ...cost });
}

/**
 * Returns what was assumed about the provider's cache of the role's session, and whether the session really was in it.
 */
function cacheNoteOf(
  { memory }: PhaseContext,
  { role, session }: Ask,
  end: Pick<ConverseEnd<unknown>, 'dispatch' | 'exchanges' | 'last' | 'usage'>,
): CacheNote | null {
  const cost = memory.costs.get(role);
  memory.costs.delete(role);
  if (cost === undefined) return null;
  if (session === null || end.dispatch !== 'resumed') return cost.note;
  const requests = end.exchanges.length === 1 ? (end.last?.requests ?? null) : null;
  return { ...cost.note, hit: judgeHit(session, { usage: end.usage, requests }) };
}

/** Returns the failure for a prompt that is longer than the agent's limit. Such a prompt is not sent. */
function tooLong(length: number, limit: number): AskEnd {
  const message = `the prompt has ${length} characters, more than the ${limit} that this agent is sent at once`;
  return { ok: false, failure: { kind: 'agent-error', said: message }, usage: null, said: '', durationMs: 0 };
}

/** Returns the session that the next call can resume, and whether the agent confirmed reading the required files. */
async function repliedWith(playing: PhaseContext, ask: Ask, { end, ended, fresh, ttl }: Talk): Promise<Replied> {
  const { ports, request, feature, memory } = playing;
  const { roles, phase } = request;
  const { last, usage } = end;
  const facts = await ports.reviewers.describe(end.agent);
  const resumedSession = end.dispatch === 'resumed' ? ask.session : null;
  const id = last?.sessionId ?? resumedSession?.id ?? null;
  const first = resumedSession ?? {
    ...currentQuestion(playing, { ...ask, agent: end.agent }, facts),
    firstPromptLength: fresh.length,
    opening: fresh.stable,
  };
  const use = sessionUse(resumedSession, {
    usage,
    sessionUsage: last?.sessionUsage ?? null,
    requests: last?.requests ?? null,
    at: ports.clock.now(),
    ttl,
    provider: facts.provider,
    model: end.model ?? facts.usualModel ?? null,
    promptLength: (resumedSession === null ? fresh : (memory.measured.get(ask.role) ?? fresh)).dynamic.length,
  });
  const requiredPaths = loopMustRead(ask, { roles, phase, feature: feature.paths });
  return {
    ...ended,
    by: 'agent',
    session:
      id === null ? null : { ...first, ...use, id, opened: openedSince(resumedSession, last?.filesRead ?? null) },
    readsConfirmed: last === null ? null : readsConfirmed(requiredPaths, last),
  };
}

/** Returns the files that an agent opened in its session so far; `null` if that is unknown. */
function openedSince(
  resumedSession: Pick<LoopSession, 'opened'> | null,
  openedNow: readonly string[] | null,
): readonly string[] | null {
  const openedBefore = resumedSession === null ? [] : (resumedSession.opened ?? null);
  return openedBefore === null || openedNow === null ? null : [...new Set([...openedBefore, ...openedNow])];
}

/** The state of the working tree before an agent edits files, and the digests of the agents' programs. */
type WorkBefore = { readonly view: ChangeView; readonly agentFiles: ReadonlyMap<RepoPath, string> };

async function workBefore({ ports, request }: PhaseContext): Promise<Result<WorkBefore>> {
  const view = await readChange(ports, { ...request, selection: ALL_FILES });
  return view.ok ? ok({ view: view.value, agentFiles: request.agentFiles() }) : view;
}

/** Selects all files of the working tree, because an agent may also edit files that are not under review. */
const ALL_FILES = { kind: 'uncommitted' } as const;

type Edits = Pick<Extract<PhaseEvent, { kind: 'fixed' }>, 'changedPaths' | 'hidden'>;

/** Returns the files that an agent changed or hid from reviewers. Fails if git cannot compare the files. */
async function editsSince(playing: PhaseContext, before: WorkBefore): Promise<Result<Edits>> {
  const { ports, request, memory } = playing;
  const after = await readChange(ports, { ...request, selection: ALL_FILES });
  if (!after.ok) return after;
  const diff = await ports.snapshots.sections(before.view.tree, after.value.tree, 0);
  if (!diff.ok) return diff;
  const hiddenPaths = hiddenByFix(before.view, after.value, diff.value);
  if (hiddenPaths.length > 0) memory.notices.push({ kind: 'hidden-by-fixer', paths: hiddenPaths });
  // Snapshots do not contain files outside the repository, so compare the digests of the agents' programs to notice
  // edits to them.
  const tamperedFiles = [...request.agentFiles()].filter(([path, digest]) => before.agentFiles.get(path) !== digest);
  const changedPaths = [
    ...new Set([...diff.value.flatMap(({ paths }) => paths), ...tamperedFiles.map(([path]) => path)]),
  ];
  memory.filesChanged = changedPaths.length;
  const only = request.phase === 'implement' ? onlyFiles(request.selection) : null;
  const unseenPaths = changedPaths.filter((path) => !isUnderReview(path, { only }));
  if (unseenPaths.length > 0) memory.notices.push({ kind: 'unseen-edits', paths: unseenPaths });
  return ok({ changedPaths, hidden: hiddenPaths.map((path) => (path ?? '.git') as RepoPath) });
}

function describeStart(
  { ports, request }: PhaseContext,
  ask: Ask,
  { sessionId }: Question,
  model: string | null,
): void {
  const { role, part, agent, why, iteration: round } = ask;
  const dispatch = sessionId === null ? 'fresh' : 'resumed';
  if (role === 'implementer') {
    ports.reporter.tell({ kind: 'fix-started', round, agent, dispatch, findings: ask.issues.length, checks: 0 });
  } else {
    const label = loopLabel(ask, request.phase);
    ports.reporter.tell({ kind: 'look-started', role, part, label, agent, model, dispatch, why });
  }
}

function describeEnd({ ports }: PhaseContext, { end, ended: { role, call } }: Talk): void {
  const { answer, trouble, durationMs, usage } = end;
  const review = answer !== null && 'approved' in answer ? answer : null;
  const count = (severity: string) => review?.issues.filter((issue) => issue.severity === severity).length ?? 0;
  const verdict = review === null ? 'done' : isPass(review) ? 'pass' : 'fail';
  ports.reporter.tell({
    kind: 'look-ended',
    role,
    agent: call.agent,
    status: trouble === null ? verdict : 'error',
    blockers: count('blocker'),
    warnings: count('warning'),
    suggestions: count('suggestion'),
    failure: trouble && (trouble.kind === 'agent' ? trouble.failure : { kind: 'cancelled' }),
    usage,
    durationMs,
  });
}
