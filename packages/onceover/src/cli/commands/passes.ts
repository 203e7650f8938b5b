import { count } from '@onceover/base/ui/wording';
import { describeShared } from '@onceover/gates/result/describe/shared';
import { describePassList, describeVerified } from '@onceover/gates/sharing/describe';
import { passesDocument, verifyDocument } from '@onceover/gates/sharing/json';
import { fetchPasses, listPasses, prunePasses, pushPasses, verifyPassFile } from '../../api.ts';
import { type Flags, finish, workingDirectory } from '../output.ts';

const NOTHING = { carrier: null, passes: 0, waivers: 0, removed: 0 };

export async function passesListCommand({ json = false }: Flags): Promise<void> {
  await finish(await listPasses(workingDirectory()), json, {
    document: passesDocument,
    text: (list, style) => describePassList(list, new Date(), style),
  });
}

export async function passesFetchCommand({ json = false }: Flags): Promise<void> {
  await finish(await fetchPasses(workingDirectory()), json, {
    document: ({ carrier }) => ({ ...NOTHING, carrier }),
    text: ({ carrier }) => `The passes of ${carrier} are up to date. List them with "onceover passes".`,
  });
}

export async function passesPushCommand({ json = false }: Flags): Promise<void> {
  await finish(await pushPasses(workingDirectory()), json, {
    document: (end) =>
      end === null ? NOTHING : { ...NOTHING, carrier: end.carrier, passes: end.passes, waivers: end.waivers },
    text: (end) => (end === null ? 'Nothing to share: no new pass for the current change.' : `${describeShared(end)}.`),
  });
}

/**
 * Asks the person at the terminal whether to share the passes of the run, and shares them. The exit code stays that of
 * the run.
 */
export async function askToShare(): Promise<void> {
  const code = process.exitCode;
  const { createInterface } = process.getBuiltinModule('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const endOfInput = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question('Share them now? [y/N] '), endOfInput]);
  lines.close();
  if (/^y(?:es)?$/i.test(answer.trim())) await passesPushCommand({});
  process.exitCode = code;
}

export async function passesPruneCommand(options: Flags & { readonly days?: number }): Promise<void> {
  const { json = false, days = null } = options;
  await finish(await prunePasses(workingDirectory(), days), json, {
    document: ({ carrier, removed }) => ({ ...NOTHING, carrier, removed }),
    text: ({ carrier, removed, days: dayLimit }) =>
      `Removed ${count(removed, 'statement')} older than ${count(dayLimit, 'day')} from ${carrier}.`,
  });
}

export async function passesVerifyCommand(file: string, { json = false }: Flags): Promise<void> {
  await finish(await verifyPassFile(workingDirectory(), file), json, {
    document: verifyDocument,
    text: describeVerified,
    exitCode: ({ counts }) => (counts ? 0 : 1),
  });
}
