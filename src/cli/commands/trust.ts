import { trust } from '../../app.ts';
import { tellTrusted } from '../../text/trusted.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function trustCommand(options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const trusted = await trust(workingDirectory());
  if (!trusted.ok) return fail(trusted.failure, json);
  if (json) answerJson({ trusted_commands: [...trusted.value] });
  else answer(tellTrusted(trusted.value));
}
