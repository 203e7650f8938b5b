import { pass } from '../../api.ts';
import { describeInstructions, describeNotice, describePass, describeRules } from '../../rules/describe.ts';
import { instructions, rules } from '../../rules/instructions.ts';
import { instructionsDocument, passDocument, rulesDocument } from '../../rules/json.ts';
import { givenFiles } from '../input.ts';
import { describeBug, exitWith, printJson, printResult, printWarnings, workingDirectory } from '../output.ts';

export async function instructionsCommand(
  names: readonly string[],
  options: { readonly for: string; readonly base?: string; readonly json?: boolean },
): Promise<void> {
  const json = options.json === true;
  const files = await givenFiles(names);
  if (!files.ok) return exitWith(files.failure, json);
  const outcome = await instructions(workingDirectory(), { files: files.value, base: options.base ?? null });
  if (!outcome.ok) return exitWith(outcome.failure, json);
  printWarnings(outcome.value.notices.map(describeNotice));
  if (json) printJson(instructionsDocument(outcome.value, options.for));
  else printResult(describeInstructions(outcome.value, options.for));
}

/** Runs `onceover instructions` without arguments and flags. */
export async function plainInstructions(): Promise<void> {
  try {
    await instructionsCommand([], { for: 'claude' }); // The default of `--for`.
  } catch (error) {
    describeBug(error, false);
  }
}

export async function passCommand(id: string, options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const marked = await pass(workingDirectory(), id, 'cli');
  if (!marked.ok) return exitWith(marked.failure, json);
  if (json) printJson(passDocument(marked.value));
  else printResult(describePass(marked.value));
}

export async function rulesCommand(names: readonly string[], options: { readonly json?: boolean }): Promise<void> {
  const json = options.json === true;
  const files = await givenFiles(names);
  if (!files.ok) return exitWith(files.failure, json);
  const found = await rules(workingDirectory(), files.value);
  if (!found.ok) return exitWith(found.failure, json);
  printWarnings(found.value.notices.map(describeNotice));
  if (json) printJson(rulesDocument(found.value.rules, found.value.notices));
  else printResult(describeRules(found.value.rules, files.value?.names ?? null));
}
