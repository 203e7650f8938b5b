import { showUnseen } from '../domain/quote-name.ts';

/** What a system's code means, and what to do about it. */
const CODES: Readonly<Record<string, readonly [what: string, next: string]>> = {
  ENOSPC: ['no space is left on the disk', 'Make room and run again.'],
  EDQUOT: ['your share of the disk is used up', 'Make room and run again.'],
  EACCES: ['permission was denied', 'Check who it belongs to and its permissions, and run again.'],
  EPERM: ['permission was denied', 'Check who it belongs to and its permissions, and run again.'],
  EROFS: ['the disk can only be read', 'Run where the disk may be written.'],
  EIO: ['the disk reports an error', 'Check the disk and run again.'],
  EMFILE: ['too many files are open', 'Close some programs, or raise the limit ("ulimit -n"), and run again.'],
  ENFILE: ['too many files are open', 'Close some programs, or raise the limit ("ulimit -n"), and run again.'],
  EFBIG: ['it is too large', 'Look at what it is, move it away, and run again.'],
  ELOOP: ['it is a symlink', 'Look at what it is, move it away, and run again.'],
  EISDIR: ['it is a folder', 'Look at what it is, move it away, and run again.'],
  ENOTDIR: ['something on the way to it is no folder', 'Look at what it is, move it away, and run again.'],
};

/** Why the disk refused, with the system's own word for those who want to look it up. */
export function tellDiskCode(code: string): string {
  const known = CODES[code];
  return known === undefined ? showUnseen(code) : `${known[0]} (${code})`;
}

/** What to do where the disk refused. */
export function diskNext(code: string): string {
  const isSystem = /^E[A-Z0-9]+$/.test(code);
  const otherwise = isSystem ? 'Check its permissions and the space that is left' : 'Look at what it is, put it right';
  return CODES[code]?.[1] ?? `${otherwise}, and run again.`;
}
