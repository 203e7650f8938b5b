import { pass } from '../../app.ts';
import { passDocument } from '../../report/documents.ts';
import { tellPass } from '../../text/pass.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function passCommand(id: string, options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const marked = await pass(workingDirectory(), id, 'cli');
  if (!marked.ok) return fail(marked.failure, json);
  if (json) answerJson(passDocument(marked.value));
  else answer(tellPass(marked.value));
}
