import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** Settings that keep git from running the user's hooks and monitors, and from splitting or extending an index. */
export const NO_USER_PROGRAMS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=',
  'core.untrackedCache=false',
  'core.splitIndex=false',
] as const;

/** Settings that also make git compare ctime, which a user cannot set back. */
export const STRICT_STAT = [...NO_USER_PROGRAMS, 'core.checkStat=default', 'core.trustctime=true'] as const;

/** Settings that also override every user setting that would make git skip a changed file. */
export function withStrictStat(commonDir: string): readonly string[] {
  return [
    ...STRICT_STAT,
    'core.sparseCheckout=false',
    'index.sparse=false',
    'index.skipHash=false',
    'core.ignoreStat=false',
    'core.safecrlf=false',
    'submodule.recurse=false',
    ...caseSensitivity(commonDir),
  ];
}

/** On a case-sensitive file system, keeps git from taking a new file for a known one that differs only in case. */
export function caseSensitivity(commonDir: string): readonly string[] {
  return isCaseSensitive(commonDir) ? ['core.ignoreCase=false'] : [];
}

function isCaseSensitive(commonDir: string): boolean {
  try {
    const inode = (name: string) => lstatSync(join(commonDir, name), { throwIfNoEntry: false })?.ino;
    const known = inode('HEAD');
    return known !== undefined && inode('hEaD') !== known;
  } catch {
    return false;
  }
}
