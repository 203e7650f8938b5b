import { countUsage, questionWith, type ReplyRead, readReply, repairQuestion } from '../../dispatch/converse.ts';
import { startCooldown } from '../../dispatch/cooldowns.ts';
import { cacheTtl, sessionUse } from '../../dispatch/decide-resume.ts';
import { type ComposedPrompt, readsConfirmed, wholeText } from '../../dispatch/prompt.ts';
import { answerFromEdits } from '../../dispatch/read-answer.ts';
import { transcriptEntry } from '../../dispatch/retry.ts';
import type { AgentFailure, AgentReply, Usage } from '../../kernel/agent.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import type { AskEnd, Question, ReviewerFacts } from '../../kernel/ports.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { ReviewerRole } from '../../kernel/review-loops.ts';
import { isPass } from '../decide/end.ts';
import { isUnderReview } from '../decide/fix.ts';
import { loopAnswer, loopLabel, loopMustRead, toLoopAnswer } from '../prompt/prompt.ts';
import { changedBetween, onlyFiles, readSubject } from '../read/subject.ts';
import type { Ask, PhaseEvent } from '../state.ts';
import { currentQuestion, freshLength, freshPrompt, modelOf } from './build-prompt.ts';
import type { Conversation, PhaseContext } from './context.ts';

/** One question to a role, ready to send, and the conversation that the question belongs to. */
type RoleCall = {
  readonly playing: PhaseContext;
  readonly ask: Ask;
  readonly facts: ReviewerFacts;
  readonly question: Question;
  readonly prompt: ComposedPrompt;
  readonly promptChars: number;
  readonly talk: Conversation;
};

/**
 * Sends one question to a role and returns the event that follows. The state machine decides about retries, because it
 * counts and records each question. So this file uses the parts of `converse`, but not its retry loop.
 */
export async function askRole(playing: PhaseContext, ask: Ask): Promise<Result<PhaseEvent>> {
  const { ports, request, budget } = playing;
  if (isWriter(ask)) {
    const noted = await noteBefore(playing);
    if (!noted.ok) return noted;
  }
  const call = await prepareCall(playing, ask, await ports.reviewers.describe(ask.agent));
  const failure = tooLong(call);
  if (failure !== null) return ok({ kind: 'dispatch-failed', role: ask.role, failure, promptChars: 0, usage: null });
  if (budget.spend() !== null) {
    const reply = isWriter(ask) && ask.mode === 'repair' ? call.talk.last : null;
    if (reply === null) return ok({ kind: 'stop', why: 'budget' });
    // The budget does not allow the repair question. The writer has already edited files, so accept its unreadable
    // answer.
    const { summary } = answerFromEdits('fixer', reply) ?? { summary: '' };
    return fixedEvent({ ...call, promptChars: 0 }, reply, summary, null);
  }
  describeStart(call);
  const guarded = call.question.writes === true ? await ports.proof.snapshot() : null;
  const end = await ports.reviewers.ask(ask.agent, call.question, {
    stop: request.stop,
    watch: (doing, usage) =>
      ports.reporter.tell(
        ask.role === 'implementer'
          ? { kind: 'fix-active', doing, usage }
          : { kind: 'look-active', role: ask.role, doing, usage },
      ),
  });
  const restored = (await guarded?.restore()) ?? ok([]);
  if (!restored.ok) return restored;
  if (restored.value.length > 0) playing.memory.notices.push({ kind: 'proof-taken-back', paths: restored.value });
  const usage = countUsage(budget, ask.agent, end);
  const event = await readEvent(call, end, usage);
  if (event.ok) await remember(call, end, event.value, usage);
  return event;
}

/** Builds the question for a role, and starts or continues its conversation. */
async function prepareCall(playing: PhaseContext, ask: Ask, facts: ReviewerFacts): Promise<RoleCall> {
  const { request, memory, ports } = playing;
  const { settings } = request;
  const before = memory.talks.get(ask.role) ?? null;
  const isRepair = ask.mode === 'repair' && before !== null;
  const measured = ask.mode === 'resumed' ? memory.measured.get(ask.role) : undefined;
  const prompt = isRepair ? before.prompt : (measured ?? freshPrompt(playing, ask));
  const model = modelOf(playing, ask);
  const talk: Conversation =
    ask.because !== null && before !== null
      ? { ...before, prompt, model }
      : { prompt, model, last: null, durationMs: 0, exchanges: [] };
  memory.talks.set(ask.role, talk);
  const { schema } = loopAnswer(ask, request.roles);
  const memo = memory.sessions.get(ask.role);
  const gap = memo === undefined ? memory.gapMs : ports.clock.now().getTime() - Date.parse(memo.lastUsedAt);
  const options = {
    schema,
    cacheTtl: cacheTtl(settings.cacheTtl, gap),
    timeoutSeconds: facts.timeoutSeconds ?? settings.timeoutSeconds,
    idleSeconds: settings.idleTimeoutSeconds,
    ...(isWriter(ask) ? { writes: editsFiles(ask) } : {}),
    ...(model === null ? {} : { model }),
  };
  const session = ask.mode === 'resumed' ? ask.session : null;
  const base = questionWith(prompt, options, session && { id: session.id, usedBefore: memo?.usedBefore ?? null });
  const question =
    isRepair && ask.because !== null
      ? await repairQuestion({ base, whole: base }, ask.because, before.last, facts)
      : base;
  const promptChars = question.sessionId === null ? wholeText(question).length : question.dynamic.length;
  return { playing, ask, facts, question, prompt, promptChars, talk };
}

function isWriter({ role }: Ask): boolean {
  return !role.endsWith('-reviewer');
}

// Part A of the test-deepener only reads the documents; all other writers edit files.
function editsFiles({ role, part }: Ask): boolean {
  return role !== 'test-deepener' || part === 'B';
}

function tooLong({ prompt: { length }, facts: { diffLimit } }: RoleCall): AgentFailure | null {
  if (length <= diffLimit) return null;
  return {
    kind: 'agent-error',
    said: `the prompt has ${length} characters, more than the ${diffLimit} that this agent is sent at once`,
  };
}

async function readEvent(call: RoleCall, end: AskEnd, usage: Usage | null): Promise<Result<PhaseEvent>> {
  const { playing, ask, facts, talk, promptChars } = call;
  const { kind } = loopAnswer(ask, playing.request.roles);
  const earlier = ask.mode === 'repair' ? talk.last : null;
  const failed = ({ failure }: Extract<ReplyRead<unknown>, { ok: false }>) =>
    ok({ kind: 'dispatch-failed', role: ask.role, failure, promptChars, usage } as const);
  if (kind === 'loop') {
    const read = await readReply(kind, end, earlier, facts);
    if (!read.ok) return failed(read);
    const role = ask.role as ReviewerRole;
    return ok({ kind: 'answered', role, answer: toLoopAnswer(read.answer), ...replied(call, read.reply, usage) });
  }
  if (kind === 'outline') {
    const read = await readReply(kind, end, earlier, facts);
    if (!read.ok) return failed(read);
    playing.memory.outline = read.answer;
    return fixedEvent(call, read.reply, read.answer.summary, usage);
  }
  const read = await readReply(kind, end, earlier, facts);
  return read.ok ? fixedEvent(call, read.reply, read.answer.summary, usage) : failed(read);
}

/**
 * Returns the event after a writer's answer. `usage` is that of the last question, even if `reply` answers an earlier
 * one.
 */
async function fixedEvent(
  call: RoleCall,
  reply: AgentReply,
  summary: string,
  usage: Usage | null,
): Promise<Result<PhaseEvent>> {
  const { request, memory } = call.playing;
  const changed = await changesSince(call.playing);
  if (!changed.ok) return changed;
  const changedPaths = changed.value;
  memory.filesChanged = changedPaths.length;
  const only = request.phase === 'implement' ? onlyFiles(request.selection) : null;
  const unseen = changedPaths.filter((path) => !isUnderReview(path, { only }));
  if (unseen.length > 0) memory.notices.push({ kind: 'unseen-edits', paths: unseen });
  return ok({ kind: 'fixed', summary, changedPaths, ...replied(call, reply, usage) });
}

/**
 * Takes a snapshot before the first question to a writer. Retries keep this snapshot, because the writer may have
 * edited files since.
 */
async function noteBefore({ ports, request, feature, memory }: PhaseContext): Promise<Result<void>> {
  if (memory.before !== null) return ok(undefined);
  const sight = await readSubject(ports.snapshots, request, feature.documents, memory.sight.began);
  if (!sight.ok) return sight;
  memory.before = { tree: sight.value.seen.snapshot, agentFiles: request.agentFiles() };
  return ok(undefined);
}

/**
 * Returns the files that a writer changed. Fails if git cannot compare the snapshots: that does not mean "no change".
 */
async function changesSince(playing: PhaseContext): Promise<Result<readonly RepoPath[]>> {
  const { ports, request, feature, memory } = playing;
  const { before } = memory;
  if (before === null) throw new Error('no snapshot was taken before the writer started');
  const after = await readSubject(ports.snapshots, request, feature.documents, memory.sight.began);
  if (!after.ok) return after;
  const changed = await changedBetween(ports.snapshots, before.tree, after.value.seen.snapshot);
  if (!changed.ok) return changed;
  memory.before = null;
  memory.isArtifactGone = after.value.artifact === 'missing';
  // Snapshots do not show edits to files that git ignores, so compare the programs of the agents by their digests.
  const tampered = [...request.agentFiles()].filter(([path, digest]) => before.agentFiles.get(path) !== digest);
  return ok([...new Set([...changed.value, ...tampered.map(([path]) => path)])]);
}

function replied({ playing, ask, facts, promptChars }: RoleCall, reply: AgentReply, usage: Usage | null) {
  const { request, feature } = playing;
  const { roles, phase } = request;
  const { sessionId } = reply;
  const required = loopMustRead(ask, { roles, phase, feature: feature.paths });
  return {
    by: 'agent',
    session: sessionId === null ? null : { ...currentQuestion(playing, ask, facts), id: sessionId },
    promptChars,
    freshChars: freshLength(playing, ask),
    usage,
    readsConfirmed: readsConfirmed(required, reply),
  } as const;
}

/** Stores the reply and the session for the next question to this role, and reports the result of the call. */
async function remember(call: RoleCall, end: AskEnd, event: PhaseEvent, usage: Usage | null): Promise<void> {
  const { playing, ask, facts, question, prompt, talk } = call;
  const { memory, ports } = playing;
  const failure = event.kind === 'dispatch-failed' ? event.failure : null;
  memory.talks.set(ask.role, {
    ...talk,
    last: end.ok ? end.reply : talk.last,
    model: (end.ok ? end.model : null) ?? talk.model,
    durationMs: talk.durationMs + end.durationMs,
    exchanges: [...talk.exchanges, transcriptEntry(ask, question, end, failure)],
  });
  if (failure?.kind === 'limit') await startCooldown(ports, ask.agent, failure);
  if (end.ok) {
    const kept = (ask.session === null ? undefined : memory.sessions.get(ask.role)) ?? null;
    const warmMinutes = facts.warmMinutes[question.cacheTtl];
    memory.sessions.set(ask.role, {
      role: ask.role,
      opening: kept === null ? prompt.stable : kept.opening,
      ...sessionUse(kept, { usage, sessionUsage: end.reply.sessionUsage, at: ports.clock.now(), warmMinutes }),
    });
  }
  if (event.kind === 'answered' || (event.kind === 'fixed' && ask.role !== 'implementer')) describeEnd(call, event);
}

function describeStart({ playing: { ports, request }, ask, talk: { model } }: RoleCall): void {
  const { role, part, agent, because, iteration: round, why } = ask;
  const dispatch = ask.mode === 'resumed' ? 'resumed' : 'fresh';
  if (because !== null) {
    const mode = ask.mode === 'repair' ? 'repair' : why === 'other-agent' ? 'other-agent' : 'fresh';
    ports.reporter.tell({ kind: 'look-asked-again', role, agent, mode, because });
  } else if (role === 'implementer') {
    const findings = ask.issues.length;
    ports.reporter.tell({ kind: 'fix-started', round, agent, dispatch, findings, checks: 0 });
  } else {
    const label = loopLabel(ask, request.phase);
    ports.reporter.tell({ kind: 'look-started', role, part, label, agent, model, dispatch, why });
  }
}

function describeEnd(
  { playing: { ports, memory }, ask: { role, agent } }: RoleCall,
  event: Extract<PhaseEvent, { kind: 'answered' | 'fixed' }>,
): void {
  const issues = event.kind === 'answered' ? event.answer.issues : [];
  const count = (severity: string) => issues.filter((issue) => issue.severity === severity).length;
  ports.reporter.tell({
    kind: 'look-ended',
    role,
    agent,
    status: event.kind === 'fixed' ? 'done' : isPass(event.answer) ? 'pass' : 'fail',
    blockers: count('blocker'),
    warnings: count('warning'),
    suggestions: count('suggestion'),
    failure: null,
    usage: event.by === 'caller' ? null : event.usage,
    durationMs: memory.talks.get(role)?.durationMs ?? 0,
  });
}
