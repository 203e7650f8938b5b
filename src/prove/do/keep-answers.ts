import type { Usage } from '../../kernel/agent.ts';
import { digestOf } from '../../kernel/ids.ts';
import type { AskEnd, Reviewers } from '../../kernel/ports.ts';
import type { KeptAnswers } from '../record/kept.ts';

/** A call that was made, whether it succeeded or not. */
export type PaidCall = {
  readonly agent: string;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly durationMs: number;
  readonly isResumed: boolean;
};

export type KeepOptions = {
  readonly kept: KeptAnswers;
  /** The folder of the case. Prompts may contain its path, which must not make a kept answer useless. */
  readonly root: string;
  readonly repeat: number;
  /** Called for each call that was made, whether it succeeded or not. */
  paid(call: PaidCall): void;
};

/**
 * Returns reviewers that answer a question from the kept answers, if it was answered before. Every new answer is kept at
 * once, so that an interrupted proof does not pay for it again. Failures are not kept.
 */
export function keepAnswers(reviewers: Reviewers, { kept, root, repeat, paid }: KeepOptions): Reviewers {
  const times = new Map<string, number>();
  return {
    ...reviewers,
    async ask(name, question, options) {
      const { model, version, toolsDigest } = await reviewers.describe(name);
      const { stable, dynamic, schema, sessionId, model: other = null } = question;
      const texts = [stable, dynamic].map((text) => text.replaceAll(root, '<root>'));
      const asked = digestOf([name, model, other, version, toolsDigest, texts, schema, sessionId]);
      // Two reviewers of a gate may get the same prompt. Each of them has an answer of its own.
      const time = (times.get(asked) ?? 0) + 1;
      times.set(asked, time);
      const key = digestOf([asked, repeat, time]);
      const known = kept.answer(key);
      if (known !== null) {
        options.begun?.();
        return known;
      }
      const end = await reviewers.ask(name, question, options);
      if (end.ok) kept.keepAnswer(key, end);
      paid({
        agent: name,
        model: end.ok ? (end.model ?? model) : model,
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
