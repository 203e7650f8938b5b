import type { AgentFailure, AgentReply } from '../domain/agent.ts';
import type { RepoPath } from '../domain/brand.ts';
import type { ReviewerRole } from '../domain/phase.ts';
import type { Ask, PhaseEvent, Replied } from '../domain/phase-step.ts';
import type { AskEnd, ReviewerFacts } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { addUsage, newTokens, type Usage } from '../domain/usage.ts';
import { unseenEdits } from '../plan/fixer-edits.ts';
import { isPass } from '../plan/phase-verdict.ts';
import { readsConfirmed } from '../prompt/files-read.ts';
import { keepRefusal } from '../prompt/kept-refusal.ts';
import { loopAnswer, loopLabel, loopMustRead } from '../prompt/loop.ts';
import { toLoopAnswer } from '../prompt/loop-answer.ts';
import { readAnswer } from '../prompt/read-answer.ts';
import { coolAgent } from './cool.ts';
import { exchangeOf } from './exchange.ts';
import { changedBetween, lookAtPhase, onlyFiles } from './phase-look.ts';
import type { Playing, Talk } from './phase-play.ts';
import { askedNow, freshLength } from './phase-prompts.ts';
import { type Put, questionFor, tooLong } from './phase-question.ts';

/** Puts one question and tells what came of it; whether another follows is not decided here. */
export async function askRole(playing: Playing, ask: Ask): Promise<Result<PhaseEvent>> {
  const { ports, request, budget } = playing;
  const isWriter = !ask.role.endsWith('-reviewer');
  if (isWriter) {
    const noted = await noteBefore(playing);
    if (!noted.ok) return noted;
  }
  const facts = await ports.reviewers.describe(ask.agent);
  const put = await questionFor(playing, ask, facts);
  const failure = tooLong(put.prompt, facts);
  if (failure !== null) return done({ kind: 'dispatch-failed', role: ask.role, failure, promptChars: 0, usage: null });
  if (budget.spend() !== null) {
    // What a writer did is in the files: it is not lost because nobody could ask again how it would put it.
    const said = isWriter && ask.mode === 'repair' ? put.talk.last : null;
    if (said === null) return done({ kind: 'stop', why: 'budget' });
    return fixedBy(playing, ask, { ...put, promptChars: 0 }, { said, usage: null }, facts);
  }
  tellStart(playing, ask, put.talk);
  const noted = put.question.writes === true ? await ports.proof.note() : null;
  const asked = await ports.reviewers.ask(ask.agent, put.question, {
    stop: request.stop,
    watch: (doing, usage) =>
      ports.reporter.tell(
        ask.role === 'implementer'
          ? { kind: 'fix-active', doing, usage }
          : { kind: 'look-active', role: ask.role, doing, usage },
      ),
  });
  const taken = (await noted?.takeBack()) ?? done([]);
  if (!taken.ok) return taken;
  if (taken.value.length > 0) playing.memory.notices.push({ kind: 'proof-taken-back', paths: taken.value });
  const usage = asked.ok ? asked.reply.usage : asked.usage;
  if (asked.ok || usage !== null) budget.used(ask.agent, usage);
  const event = isWriter
    ? await readWriter(playing, ask, put, asked, facts)
    : readReviewer(playing, ask, put, asked, facts);
  if (event.ok) await remember(playing, ask, put, asked, event.value, facts);
  return event;
}

function readReviewer(playing: Playing, ask: Ask, put: Put, asked: AskEnd, facts: ReviewerFacts): Result<PhaseEvent> {
  if (!asked.ok) return failedDispatch(ask, put, asked.failure, asked.usage);
  const read = readAnswer('loop', asked.reply);
  if (!read.ok) return failedDispatch(ask, put, read.failure, asked.reply.usage);
  const first = ask.mode === 'repair' ? put.talk.last : null;
  const answer = toLoopAnswer(first === null ? read.answer : keepRefusal(first, read.answer));
  const role = ask.role as ReviewerRole;
  return done({ kind: 'answered', role, answer, ...replied(playing, ask, put, asked.reply, facts) });
}

/**
 * What a writer did is in the files, whether or not it says so well: it is asked to repeat its answer where it can go on, and
 * never to begin again; if that fails too, its work counts with whatever it said.
 */
async function readWriter(
  playing: Playing,
  ask: Ask,
  put: Put,
  asked: AskEnd,
  facts: ReviewerFacts,
): Promise<Result<PhaseEvent>> {
  const earlier = ask.mode === 'repair' ? put.talk.last : null;
  const { kind } = loopAnswer(ask, playing.request.roles);
  if (!asked.ok) {
    const { failure, usage } = asked;
    // Whoever writes nothing has done nothing that could count.
    if (earlier === null || failure.kind === 'cancelled' || kind === 'outline') {
      return failedDispatch(ask, put, failure, usage);
    }
    return fixedBy(playing, ask, put, { said: earlier, usage }, facts);
  }
  const { reply } = asked;
  const { usage } = reply;
  if (kind === 'outline') {
    const outline = readAnswer('outline', reply);
    if (!outline.ok) return failedDispatch(ask, put, outline.failure, usage);
    playing.memory.outline = outline.answer;
    return fixedBy(playing, ask, put, { said: reply, usage }, facts, outline.answer.summary);
  }
  const read = readAnswer('fixer', reply);
  if (read.ok) return fixedBy(playing, ask, put, { said: reply, usage }, facts, read.answer.summary);
  const canRepair = ask.mode !== 'repair' && reply.sessionId !== null && (await facts.canResume());
  if (canRepair) return failedDispatch(ask, put, read.failure, usage);
  return fixedBy(playing, ask, put, { said: earlier ?? reply, usage }, facts);
}

const LONGEST_SUMMARY = 1000;

/** Whose words count, and what the last question used: the two may not belong together. */
type Came = { readonly said: AgentReply; readonly usage: Usage | null };

async function fixedBy(
  playing: Playing,
  ask: Ask,
  put: Put,
  { said, usage }: Came,
  facts: ReviewerFacts,
  summary = said.text.trim().slice(0, LONGEST_SUMMARY),
): Promise<Result<PhaseEvent>> {
  const changedPaths = await changesSince(playing);
  if (!changedPaths.ok) return changedPaths;
  playing.memory.filesChanged = changedPaths.value.length;
  noteUnseen(playing, changedPaths.value);
  const came = replied(playing, ask, put, said, facts);
  return done({ kind: 'fixed', summary, changedPaths: changedPaths.value, ...came, usage });
}

function noteUnseen({ request, memory }: Playing, changed: readonly RepoPath[]): void {
  const only = request.phase === 'implement' ? onlyFiles(request.selection) : null;
  const paths = unseenEdits(changed, { only });
  if (paths.length > 0) memory.notices.push({ kind: 'unseen-edits', paths });
}

/** What is there before somebody begins to write: the first question of a dispatch notes it. */
async function noteBefore({ ports, request, feature, memory }: Playing): Promise<Result<void>> {
  if (memory.before !== null) return done(undefined);
  const sight = await lookAtPhase(ports.snapshots, request, feature.documents, memory.sight.began);
  if (!sight.ok) return sight;
  memory.before = { tree: sight.value.seen.snapshot, agentFiles: request.agentFiles() };
  return done(undefined);
}

async function changesSince(playing: Playing) {
  const { ports, request, feature, memory } = playing;
  const { before } = memory;
  if (before === null) throw new Error('nobody noted what was there before');
  const after = await lookAtPhase(ports.snapshots, request, feature.documents, memory.sight.began);
  if (!after.ok) return after;
  const changed = await changedBetween(ports.snapshots, before.tree, after.value.seen.snapshot);
  // Nobody could tell what it touched, and that is not having touched nothing.
  if (!changed.ok) return changed;
  memory.before = null;
  memory.isArtifactGone = after.value.artifact === 'missing';
  // Programs that judge may be files that git leaves out.
  const tampered = [...request.agentFiles()].filter(([path, digest]) => before.agentFiles.get(path) !== digest);
  return done([...new Set([...changed.value, ...tampered.map(([path]) => path)])]);
}

function replied(playing: Playing, ask: Ask, put: Put, reply: AgentReply, facts: ReviewerFacts): Replied {
  const { request, feature } = playing;
  const { roles, phase } = request;
  const { sessionId } = reply;
  const required = loopMustRead(ask, { roles, phase, feature: feature.paths });
  return {
    by: 'agent',
    session: sessionId === null ? null : { ...askedNow(playing, ask, facts), id: sessionId },
    promptChars: put.promptChars,
    freshChars: freshLength(playing, ask),
    usage: reply.usage,
    readsConfirmed: readsConfirmed(required, reply),
  };
}

function failedDispatch(
  ask: Ask,
  { promptChars }: Put,
  failure: AgentFailure,
  usage: Usage | null,
): Result<PhaseEvent> {
  return done({ kind: 'dispatch-failed', role: ask.role, failure, promptChars, usage });
}

/** Keeps what the next question to this role may need, and tells whoever watches. */
async function remember(
  playing: Playing,
  ask: Ask,
  put: Put,
  asked: AskEnd,
  event: PhaseEvent,
  facts: ReviewerFacts,
): Promise<void> {
  const { memory, ports } = playing;
  const { talk, question } = put;
  const failure = event.kind === 'dispatch-failed' ? event.failure : null;
  memory.talks.set(ask.role, {
    ...talk,
    last: asked.ok ? asked.reply : talk.last,
    model: (asked.ok ? asked.model : null) ?? talk.model,
    durationMs: talk.durationMs + asked.durationMs,
    promptChars: talk.promptChars + put.promptChars,
    usage: addUsage(talk.usage, asked.ok ? asked.reply.usage : asked.usage),
    exchanges: [...talk.exchanges, exchangeOf(ask, question, asked, failure)],
  });
  if (failure?.kind === 'limit') await coolAgent(ports, ask.agent, failure);
  if (asked.ok) keepSession(playing, ask, put, asked.reply, facts);
  if (event.kind === 'answered') tellEnd(playing, ask, event);
  if (event.kind === 'fixed' && ask.role !== 'implementer') tellEnd(playing, ask, event);
}

function keepSession(playing: Playing, ask: Ask, put: Put, reply: AgentReply, facts: ReviewerFacts): void {
  const { memory, ports } = playing;
  const before = ask.session === null ? undefined : memory.sessions.get(ask.role);
  const used = reply.usage === null ? null : newTokens(reply.usage);
  const isFirst = before === undefined;
  memory.sessions.set(ask.role, {
    role: ask.role,
    opening: isFirst ? put.prompt.stable : before.opening,
    usedBefore: reply.sessionUsage,
    contextTokens: isFirst ? used : before.contextTokens === null ? null : before.contextTokens + (used ?? 0),
    freshTokens: isFirst ? used : before.freshTokens,
    lastUsedAt: ports.clock.now().toISOString(),
    warmMinutes: facts.warmMinutes[put.question.cacheTtl],
  });
}

function tellStart({ ports, request }: Playing, ask: Ask, { model }: Talk): void {
  const { role, part, agent, because, iteration, why } = ask;
  const dispatch = ask.mode === 'resumed' ? 'resumed' : 'fresh';
  if (because !== null) {
    const mode = ask.mode === 'repair' ? 'repair' : ask.why === 'other-agent' ? 'other-agent' : 'fresh';
    ports.reporter.tell({ kind: 'look-asked-again', role, agent, mode, because });
  } else if (role === 'implementer') {
    ports.reporter.tell({
      kind: 'fix-started',
      round: iteration,
      agent,
      dispatch,
      findings: ask.issues.length,
      checks: 0,
    });
  } else {
    const label = loopLabel(ask, request.phase);
    ports.reporter.tell({ kind: 'look-started', role, part, label, agent, model, dispatch, why });
  }
}

function tellEnd(
  { ports, memory }: Playing,
  ask: Ask,
  event: Extract<PhaseEvent, { kind: 'answered' | 'fixed' }>,
): void {
  const issues = event.kind === 'answered' ? event.answer.issues : [];
  const count = (severity: string) => issues.filter((issue) => issue.severity === severity).length;
  const talk = memory.talks.get(ask.role);
  ports.reporter.tell({
    kind: 'look-ended',
    role: ask.role,
    agent: ask.agent,
    status: event.kind === 'fixed' ? 'done' : isPass(event.answer) ? 'pass' : 'fail',
    blockers: count('blocker'),
    warnings: count('warning'),
    suggestions: count('suggestion'),
    failure: null,
    usage: event.by === 'caller' ? null : event.usage,
    durationMs: talk?.durationMs ?? 0,
  });
}
