import { rules } from '../../app.ts';
import { rulesDocument } from '../../report/documents.ts';
import { tellNotice } from '../../text/notice.ts';
import { tellRules } from '../../text/rules.ts';
import { givenFiles } from '../file-list.ts';
import { answer, answerJson, fail, warn } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function rulesCommand(names: readonly string[], options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const files = await givenFiles(names);
  if (!files.ok) return fail(files.failure, json);
  const found = await rules(workingDirectory(), files.value);
  if (!found.ok) return fail(found.failure, json);
  warn(found.value.notices.map(tellNotice));
  if (json) answerJson(rulesDocument(found.value.rules, found.value.notices));
  else answer(tellRules(found.value.rules, files.value?.names ?? null));
}
