import { clean } from '../../app.ts';
import { tellCleaned } from '../../text/cleaned.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function cleanCommand(options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const cleaned = await clean(workingDirectory());
  if (!cleaned.ok) return fail(cleaned.failure, json);
  const { iterations, open } = cleaned.value;
  if (json) answerJson({ archived_iterations: iterations, open_findings: [...open] });
  else answer(tellCleaned(cleaned.value));
}
