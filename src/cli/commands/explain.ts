import { explain } from '../../app.ts';
import { explainDocument } from '../../report/documents.ts';
import { tellExplanation } from '../../text/explain.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function explainCommand(
  id: string,
  options: { readonly base?: string; readonly json?: boolean },
): Promise<void> {
  const json = options.json === true;
  const explanation = await explain(workingDirectory(), id, { base: options.base ?? null });
  if (!explanation.ok) return fail(explanation.failure, json);
  if (json) answerJson(explainDocument(explanation.value));
  else answer(tellExplanation(explanation.value));
}
