import { describeInstructions, describeNotice, describePass, describeRules } from '@onceover/gates/rules/describe';
import { instructions, rules } from '@onceover/gates/rules/instructions';
import { instructionsDocument, passDocument, rulesDocument } from '@onceover/gates/rules/json';
import { pass } from '../../api.ts';
import { passedInRuns } from '../../passed-tasks.ts';
import { givenFiles } from '../input.ts';
import { exitWith, type Flags, finish, printBug, workingDirectory } from '../output.ts';

export async function instructionsCommand(
  names: readonly string[],
  options: Flags<'base'> & { readonly for: string },
): Promise<void> {
  const { for: platform, base = null, json = false } = options;
  const files = await givenFiles(names);
  if (!files.ok) return exitWith(files.failure, json);
  await finish(await instructions(workingDirectory(), { files: files.value, base, passedTasks: passedInRuns }), json, {
    warnings: ({ notices }) => notices.map(describeNotice),
    document: (outcome) => instructionsDocument(outcome, platform),
    text: (outcome) => describeInstructions(outcome, platform),
  });
}

/** Runs `onceover instructions` without arguments and flags. This needs no option parser. */
export async function plainInstructions(): Promise<void> {
  try {
    await instructionsCommand([], { for: 'claude' }); // `claude` is the default of the flag `--for`.
  } catch (error) {
    printBug(error, false);
  }
}

export async function passCommand(id: string, { json = false }: Flags): Promise<void> {
  const passResult = await pass(workingDirectory(), id, 'cli');
  await finish(passResult, json, { document: passDocument, text: (receipt) => describePass(receipt) });
}

export async function rulesCommand(names: readonly string[], { json = false }: Flags): Promise<void> {
  const files = await givenFiles(names);
  if (!files.ok) return exitWith(files.failure, json);
  await finish(await rules(workingDirectory(), files.value), json, {
    warnings: ({ notices }) => notices.map(describeNotice),
    document: (listing) => rulesDocument(listing.rules, listing.notices),
    text: (listing) => describeRules(listing.rules, files.value?.names ?? null),
  });
}
