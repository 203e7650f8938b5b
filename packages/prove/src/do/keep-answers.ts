import type { Usage } from '@onceover/base/kernel/agent';
import { digestOf } from '@onceover/base/kernel/ids';
import type { AskEnd, Reviewers } from '@onceover/base/kernel/ports';
import type { KeptAnswers } from '../record/kept.ts';

/** A call that was made, whether or not it succeeded, with its cost. */
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
  /**
   * The folder of the test case. Prompts may contain its path, so the path is replaced before looking up an earlier
   * answer.
   */
  readonly root: string;
  readonly repeat: number;
  /**
   * The id of the test case. It is part of what identifies an answer, because a reviewer can read more files than its
   * prompt shows.
   */
  readonly caseId: string;
  /**
   * Returns a digest of the settings, scripts and environment that decide which program and model answer as this agent.
   */
  answererOf(name: string): string;
  /**
   * Whether the budget allows a call now. This is asked before each new call, but not before an earlier answer is
   * reused, which costs nothing.
   */
  mayCall(): boolean;
  /** Called for each call that was made, whether or not it succeeded. */
  paid(call: PaidCall): void;
};

/**
 * Returns reviewers that reuse the stored answer if a question was answered before. Each new answer is stored at once,
 * so that an interrupted `onceover prove` does not pay for it again. Failures are not stored.
 */
export function keepAnswers(reviewers: Reviewers, options: KeepOptions): Reviewers {
  const { kept, root, repeat, caseId, mayCall, paid } = options;
  const times = new Map<string, number>();
  return {
    ...reviewers,
    async ask(name, question, asking) {
      const { model, version, toolsDigest, usualModel = null } = await reviewers.describe(name);
      const { stable, dynamic, schema, sessionId, forkOf, model: questionModel = null } = question;
      const texts = [stable, dynamic].map((text) => text.replaceAll(root, '<root>'));
      const answerer = [name, options.answererOf(name), model, questionModel, usualModel, version, toolsDigest];
      const facts = [caseId, answerer, texts, schema, sessionId];
      // A forked session also knows what its parent session has read, so the parent is part of the question.
      const questionDigest = digestOf(forkOf === undefined ? facts : [...facts, forkOf]);
      // Two reviewers of a gate may get the same prompt. Each of them must have an answer of its own.
      const time = (times.get(questionDigest) ?? 0) + 1;
      times.set(questionDigest, time);
      const key = digestOf([questionDigest, repeat, time]);
      const keptAnswer = kept.answer(key);
      if (keptAnswer !== null) {
        asking.begun?.();
        return keptAnswer;
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
