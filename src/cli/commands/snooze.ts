import { snoozeHook } from '../../app.ts';
import { tellSnoozed } from '../../text/snoozed.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

const USUAL_MINUTES = 60;
const MOST_MINUTES = 24 * 60;

export async function snoozeCommand(
  asked: string | undefined,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const minutes = asked === 'off' ? 0 : asked === undefined ? USUAL_MINUTES : Number(asked);
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > MOST_MINUTES) {
    const said = `hook snooze takes a number of minutes up to ${MOST_MINUTES}, or "off".`;
    return fail({ kind: 'wrong-usage', said, command: 'hook' }, json);
  }
  const until = await snoozeHook(workingDirectory(), minutes);
  if (!until.ok) return fail(until.failure, json);
  if (json) answerJson({ snoozed_until: until.value?.toISOString() ?? null });
  else answer(tellSnoozed(until.value));
}
