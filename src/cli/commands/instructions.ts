import { instructions } from '../../app.ts';
import { instructionsDocument } from '../../report/documents.ts';
import { tellInstructions } from '../../text/instructions.ts';
import { tellNotice } from '../../text/notice.ts';
import { givenFiles } from '../file-list.ts';
import { answer, answerJson, fail, warn } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function instructionsCommand(
  names: readonly string[],
  options: { readonly for: string; readonly base?: string; readonly json?: boolean },
): Promise<void> {
  const json = options.json === true;
  const files = await givenFiles(names);
  if (!files.ok) return fail(files.failure, json);
  const outcome = await instructions(workingDirectory(), { files: files.value, base: options.base ?? null });
  if (!outcome.ok) return fail(outcome.failure, json);
  warn(outcome.value.notices.map(tellNotice));
  if (json) answerJson(instructionsDocument(outcome.value, options.for));
  else answer(tellInstructions(outcome.value, options.for));
}
