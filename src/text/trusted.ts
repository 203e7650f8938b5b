import { quoteName } from '../domain/quote-name.ts';

/** What was agreed to. */
export function tellTrusted(commands: readonly string[]): string {
  if (commands.length === 0) return 'The configuration runs no commands of its own, so there is nothing to agree to.';
  const lines = commands.map((one) => `  ${quoteName(one)}`);
  return ['Agreed to the commands of this configuration, until one of them changes:', ...lines].join('\n');
}
