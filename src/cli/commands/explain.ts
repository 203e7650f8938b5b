import { explain } from '../../app.ts';
import { explainDocument, runExplanationDocument } from '../../report/explain-document.ts';
import { tellExplanation } from '../../text/explain.ts';
import { tellRunExplanation } from '../../text/explain-run.ts';
import { shownOn } from '../looks.ts';
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
  const shown = shownOn(process.stdout, process.env);
  if (value.about === 'review') {
    if (json) answerJson(explainDocument(value.explanation));
    else answer(tellExplanation(value.explanation, shown.width));
    return;
  }
  const { explanation } = value;
  if (json) answerJson(runExplanationDocument(explanation));
  else if (options.prompt !== true) answer(tellRunExplanation(explanation, shown));
  else if (explanation.kind === 'slot')
    answer(explanation.log ?? 'It has not been asked in this cycle, so nothing was sent.');
  else if (explanation.kind === 'check') answer(explanation.log ?? 'It has not been run in this cycle.');
  else {
    const said = '--prompt is for a slot or a check: name a slot with "@" and its number.';
    await fail({ kind: 'wrong-usage', said, command: 'explain' }, json);
  }
}
