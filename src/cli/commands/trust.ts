import { trust } from '../../app.ts';
import { quoteName } from '../../domain/quote-name.ts';
import { answer, answerJson, fail } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

export async function trustCommand(options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const trusted = await trust(workingDirectory());
  if (!trusted.ok) return fail(trusted.failure, json);
  if (json) answerJson({ trusted_commands: [...trusted.value] });
  else if (trusted.value.length === 0)
    answer('The configuration runs no commands of its own, so there is nothing to agree to.');
  else {
    answer(
      `Agreed to the commands of this configuration, until one of them changes:\n${trusted.value.map((one) => `  ${quoteName(one)}`).join('\n')}`,
    );
  }
}
