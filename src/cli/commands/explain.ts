import { explain } from '../../app.ts';
import { explainDocument, runExplanationDocument } from '../../report/explain-document.ts';
import { tellExplanation } from '../../text/explain.ts';
import { tellRunExplanation } from '../../text/explain-run.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function explainCommand(
  name: string,
  options: { readonly base?: string; readonly prompt?: boolean; readonly json?: boolean },
): Promise<void> {
  const json = options.json === true;
  const explained = await explain(workingDirectory(), name, { base: options.base ?? null });
  if (!explained.ok) return fail(explained.failure, json);
  const { value } = explained;
  if (value.about === 'review') {
    if (json) answerJson(explainDocument(value.explanation));
    else answer(tellExplanation(value.explanation));
    return;
  }
  const { explanation } = value;
  if (json) answerJson(runExplanationDocument(explanation));
  else if (options.prompt !== true) answer(tellRunExplanation(explanation));
  else if (explanation.kind !== 'slot') {
    fail(
      { kind: 'wrong-usage', said: '--prompt is for a slot: name it with "@" and its number.', command: 'explain' },
      json,
    );
  } else answer(explanation.log ?? 'It has not been asked in this cycle, so nothing was sent.');
}
