import type { AgentFailure } from '../domain/agent.ts';
import type { Ask } from '../domain/phase-step.ts';
import type { Question, ReviewerFacts } from '../domain/ports.ts';
import { cacheTtl } from '../plan/cache-ttl.ts';
import { strictSchema } from '../prompt/answer-schema.ts';
import { type ComposedPrompt, wholeText } from '../prompt/compose.ts';
import { repairPrompt, wholeRepairPrompt } from '../prompt/gate.ts';
import { loopAnswer } from '../prompt/loop.ts';
import { tellUnreadable } from '../text/agent-failure.ts';
import type { Playing, Talk } from './phase-play.ts';
import { freshPrompt, modelOf } from './phase-prompts.ts';

/** A question as it is put. */
export type Put = {
  readonly question: Question;
  readonly prompt: ComposedPrompt;
  readonly promptChars: number;
  readonly talk: Talk;
};

/** The question that asks a role, and what is remembered of its dispatch so far. */
export async function questionFor(playing: Playing, ask: Ask, facts: ReviewerFacts): Promise<Put> {
  const { request, memory, ports } = playing;
  const { settings } = request;
  const before = memory.talks.get(ask.role) ?? null;
  const isRepair = ask.mode === 'repair' && before !== null;
  const isResumed = ask.mode === 'resumed';
  const prompt = isRepair
    ? before.prompt
    : ((isResumed ? memory.measured.get(ask.role) : undefined) ?? freshPrompt(playing, ask));
  const model = modelOf(playing, ask);
  const isAgain = ask.because !== null && before !== null;
  const talk: Talk = isAgain
    ? { ...before, prompt, model }
    : { prompt, model, last: null, durationMs: 0, promptChars: 0, usage: null, exchanges: [] };
  memory.talks.set(ask.role, talk);
  const { schema } = loopAnswer(ask, request.roles);
  const memo = memory.sessions.get(ask.role);
  const gap = memo === undefined ? memory.gapMs : ports.clock.now().getTime() - Date.parse(memo.lastUsedAt);
  const common: Omit<Question, 'stable' | 'dynamic' | 'sessionId' | 'usedBefore'> = {
    schema,
    strictSchema: strictSchema(schema),
    cacheTtl: cacheTtl(settings.cacheTtl, gap),
    timeoutSeconds: facts.timeoutSeconds ?? settings.timeoutSeconds,
    idleSeconds: settings.idleTimeoutSeconds,
    ...(ask.role.endsWith('-reviewer') ? {} : { writes: writes(ask) }),
    ...(model === null ? {} : { model }),
  };
  if (isRepair) {
    const why = ask.because === null ? '' : tellUnreadable(ask.because);
    const sessionId = before.last?.sessionId ?? null;
    if (sessionId !== null && (await facts.canResume())) {
      const usedBefore = before.last?.sessionUsage ?? null;
      const question = { ...common, stable: prompt.stable, dynamic: repairPrompt(why), sessionId, usedBefore };
      return { question, prompt, promptChars: question.dynamic.length, talk };
    }
    const dynamic = wholeRepairPrompt(prompt.dynamic, why);
    const question = { ...common, stable: prompt.stable, dynamic, sessionId: null, usedBefore: null };
    return { question, prompt, promptChars: wholeText(question).length, talk };
  }
  const { stable, dynamic } = prompt;
  if (isResumed && ask.session !== null) {
    const usedBefore = memo?.usedBefore ?? null;
    const question = { ...common, stable, dynamic, sessionId: ask.session.id, usedBefore };
    return { question, prompt, promptChars: dynamic.length, talk };
  }
  const question = { ...common, stable, dynamic, sessionId: null, usedBefore: null };
  return { question, prompt, promptChars: prompt.length, talk };
}

// The first half of the test-deepener reads the documents and writes nothing.
function writes({ role, part }: Ask): boolean {
  return role !== 'test-deepener' || part === 'B';
}

/** Why a prompt cannot be put; null: it can. */
export function tooLong({ length }: ComposedPrompt, { diffLimit }: ReviewerFacts): AgentFailure | null {
  if (length <= diffLimit) return null;
  return {
    kind: 'agent-error',
    said: `the prompt has ${length} characters, and it is put at most ${diffLimit} at once`,
  };
}
