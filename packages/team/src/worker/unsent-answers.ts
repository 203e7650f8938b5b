import { join } from 'node:path';
import { answerText, readAnswerText } from '@onceover/agents/remote/json-call';
import { isRecord } from '@onceover/base/kernel/json';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { openFolder, parseJson } from '@onceover/base/platform/private-files';
import type { TakenCall } from './take-calls.ts';

/** An answer that was paid for but is not in the team store yet. */
type UnsentAnswer = { readonly call: Pick<TakenCall, 'id' | 'start'>; readonly end: AskEnd };

/**
 * Keeps answers on disk until the team store has them, so that a killed worker or a long outage of the store does not
 * lose them. The next worker on this machine sends them to the store.
 */
export function openUnsentAnswers(base: string) {
  const folder = openFolder(base, 'answers');
  const nameOf = (id: string) => `${id}.json`;
  return {
    path: join(base, 'answers'),
    /** Writes an answer to disk. If the write fails, the answer in memory is used. */
    keep({ call: { id, start }, end }: UnsentAnswer): void {
      folder.write(nameOf(id), JSON.stringify({ id, start, answer: answerText(end) }));
    },
    sent({ id }: Pick<TakenCall, 'id'>): void {
      folder.remove(nameOf(id));
    },
    all(): readonly UnsentAnswer[] {
      const listing = folder.list();
      if (!listing.ok) return [];
      return listing.value.flatMap(({ name }) => {
        const text = folder.text(name);
        const value = text.ok && text.value !== null ? parseJson(text.value) : null;
        if (!isRecord(value)) return [];
        const { id, start, answer } = value;
        if (typeof id !== 'string' || typeof start !== 'string' || typeof answer !== 'string') return [];
        const end = readAnswerText(answer);
        return end === null || nameOf(id) !== name ? [] : [{ call: { id, start }, end }];
      });
    },
  };
}
