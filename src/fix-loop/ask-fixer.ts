import { type Answers, answerSchema } from '../dispatch/answer-schemas.ts';
import { type ConverseEnd, converse } from '../dispatch/converse.ts';
import { cacheTtl } from '../dispatch/decide-resume.ts';
import type { Budget } from '../dispatch/limits.ts';
import type { RunPorts, RunRequest } from '../gates/ports.ts';
import type { Usage } from '../kernel/agent.ts';
import type { Reviewers } from '../kernel/ports.ts';
import { type FixTask, freshFixPrompt, resumedFixPrompt } from './prompt.ts';

/** A fixer's session. It is kept until the loop ends. */
export type FixerSession = { readonly id: string; readonly usedBefore: Usage | null };

export type FixerEnd = ConverseEnd<Answers['fixer']> & { readonly session: FixerSession | null };

export type FixerCall = {
  readonly ports: Pick<RunPorts, 'reporter' | 'coolings' | 'clock'>;
  readonly request: Pick<RunRequest, 'settings' | 'stop'>;
  readonly reviewers: Reviewers;
  readonly budget: Budget;
  readonly agent: string;
  readonly task: FixTask;
  readonly session: FixerSession | null;
};

/** Calls the fixer, in its session if it has one. No other agent takes over: it would not know the first one's edits. */
export async function askFixer(call: FixerCall): Promise<FixerEnd> {
  const { ports, request, reviewers, budget, agent, task, session } = call;
  const { settings, stop } = request;
  const facts = await reviewers.describe(agent);
  const end = await converse(
    {
      ...{ reviewers, budget, clock: ports.clock, coolings: ports.coolings },
      send: (name, question) =>
        reviewers.ask(name, question, {
          stop,
          watch: (doing, usage) => ports.reporter.tell({ kind: 'fix-active', doing, usage }),
        }),
    },
    {
      kind: 'fixer',
      agent,
      others: [],
      fresh: freshFixPrompt(task),
      resumed: session === null ? null : { prompt: resumedFixPrompt(task), session },
      options: {
        schema: answerSchema('fixer'),
        cacheTtl: cacheTtl(settings.cacheTtl, null),
        timeoutSeconds: facts.timeoutSeconds ?? settings.timeoutSeconds,
        idleSeconds: settings.idleTimeoutSeconds,
        writes: true,
      },
    },
  );
  if (end.answer === null || !(await facts.canResume())) return { ...end, session: null };
  const id = end.last?.sessionId ?? session?.id ?? null;
  return { ...end, session: id === null ? null : { id, usedBefore: end.last?.sessionUsage ?? null } };
}
