import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { QUIET } from './quiet.ts';

/** Settings under which git believes of a file that it is unchanged only what cannot be set back. */
export const WATCHFUL = [...QUIET, 'core.checkStat=default', 'core.trustctime=true'] as const;

const UNDISTURBED = [
  ...WATCHFUL,
  'core.sparseCheckout=false',
  'index.sparse=false',
  'index.skipHash=false',
  'core.ignoreStat=false',
  'core.safecrlf=false',
  'submodule.recurse=false',
] as const;

/** Settings under which nothing of the user's keeps git from looking, or has it write down not to look. */
export function undisturbed(commonDir: string): readonly string[] {
  return [...UNDISTURBED, ...caseApart(commonDir)];
}

/** Where two files can differ by case alone, git is kept from taking a new one for one that it knows. */
export function caseApart(commonDir: string): readonly string[] {
  return tellsCaseApart(commonDir) ? ['core.ignoreCase=false'] : [];
}

/** Whether the file system takes names that differ by case for two; looked for where git does. */
function tellsCaseApart(commonDir: string): boolean {
  try {
    const inode = (name: string) => lstatSync(join(commonDir, name), { throwIfNoEntry: false })?.ino;
    const known = inode('HEAD');
    return known !== undefined && inode('hEaD') !== known;
  } catch {
    return false;
  }
}
