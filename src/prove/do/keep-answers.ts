import type { Usage } from '../../kernel/agent.ts';
import { digestOf } from '../../kernel/ids.ts';
import type { AskEnd, Reviewers } from '../../kernel/ports.ts';
import type { KeptAnswers } from '../record/kept.ts';

/** Calls that were made, whether they succeeded or not. */
export type PaidCall = {
  readonly agent: string;
  readonly model: string | null;
  readonly asks: number;
  readonly usage: Usage | null;
  readonly durationMs: number;
  readonly isResumed: boolean;
};

export type KeepOptions = {
  readonly kept: KeptAnswers;
  /** The folder of the case. Prompts may contain its path, which must not make a kept answer useless. */
  readonly root: string;
  readonly repeat: number;
  /** The id of the case. A reviewer can read more of the case than its prompt shows. */
  readonly caseId: string;
  /** Returns a digest of what decides who answers as this agent. */
  answererOf(name: string): string;
  /** Whether the budget allows a call now. Called before each new call; a kept answer costs nothing. */
  mayCall(): boolean;
  /** Called for each call that was made, whether it succeeded or not. */
  paid(call: PaidCall): void;
};

/**
 * Returns reviewers that answer a question from the kept answers, if it was answered before. Every new answer is kept at
 * once, so that an interrupted proof does not pay for it again. Failures are not kept.
 */
export function keepAnswers(reviewers: Reviewers, options: KeepOptions): Reviewers {
  const { kept, root, repeat, caseId, mayCall, paid } = options;
  const times = new Map<string, number>();
  return {
    ...reviewers,
    async ask(name, question, asking) {
      const { model, version, toolsDigest, usualModel = null } = await reviewers.describe(name);
      const { stable, dynamic, schema, sessionId, forkOf, model: other = null } = question;
      const texts = [stable, dynamic].map((text) => text.replaceAll(root, '<root>'));
      const answerer = [name, options.answererOf(name), model, other, usualModel, version, toolsDigest];
      const facts = [caseId, answerer, texts, schema, sessionId];
      // A fork knows what its parent read, so its answer is not that of a session without a parent.
      const asked = digestOf(forkOf === undefined ? facts : [...facts, forkOf]);
      // Two reviewers of a gate may get the same prompt. Each of them has an answer of its own.
      const time = (times.get(asked) ?? 0) + 1;
      times.set(asked, time);
      const key = digestOf([asked, repeat, time]);
      const known = kept.answer(key);
      if (known !== null) {
        asking.begun?.();
        return known;
      }
      if (!mayCall()) return { ok: false, failure: { kind: 'cancelled' }, usage: null, said: '', durationMs: 0 };
      const end = await reviewers.ask(name, question, asking);
      if (end.ok) kept.keepAnswer(key, end);
      paid({
        agent: name,
        model: end.ok ? (end.model ?? model) : model,
        asks: 1,
        usage: usageOf(end),
        durationMs: end.durationMs,
        isResumed: sessionId !== null,
      });
      return end;
    },
  };
}

function usageOf(end: AskEnd): Usage | null {
  return end.ok ? end.reply.usage : end.usage;
}
