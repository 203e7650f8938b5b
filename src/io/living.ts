import { readFileSync, readlinkSync } from 'node:fs';
import { codeOf } from './files.ts';
import { runProcess } from './process.ts';

/** A living process: `startedAt` differs from that of another that has its number later; null where it is not told. */
type Life = { readonly startedAt: string | null };

/** What the system knows of a process; null: there is none with that number, or only its corpse. */
export async function lifeOf(pid: number, platform: NodeJS.Platform = process.platform): Promise<Life | null> {
  if (!isThere(pid)) return null;
  return platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Which processes this one can see by their numbers; null where there is only one such set, or it has no name. */
export function processNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

const UNKNOWN: Life = { startedAt: null };

// Ticks since the machine was started, so they tell something together with which start that was.
function fromProc(pid: number): Life | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The program's name comes before, in parentheses, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    return isCorpse(state) ? null : { startedAt: ticks === undefined ? null : `${boot} ${ticks}` };
  } catch {
    return UNKNOWN;
  }
}

async function fromPs(pid: number): Promise<Life | null> {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const end = await runProcess('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { cwd: '/', env });
  if (end.kind !== 'exited' || end.code !== 0) return UNKNOWN;
  const [state, ...start] = end.stdout.toString('utf8').trim().split(/\s+/);
  return isCorpse(state) ? null : { startedAt: start.length === 0 ? null : start.join(' ') };
}

// Killed, but its parent has not asked how it ended.
function isCorpse(state: string | undefined): boolean {
  return state !== undefined && /^[ZX]/.test(state);
}
