import { readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { openLock } from '@onceover/base/platform/lock';

/** Takes the lock on behalf of another live process. */
export async function holdInAnotherProcess(root: string, commonDir: string): Promise<() => void> {
  const lock = await openLock({ root, commonDir }).take();
  if (!lock.ok) throw new Error(lock.failure.kind);
  const folder = join(commonDir, 'onceover/locks');
  for (const name of readdirSync(folder)) {
    // The parent process lives at least as long as this one.
    const owner = { pid: process.ppid, host: hostname(), since: new Date(), heartbeat: new Date() };
    writeFileSync(join(folder, name, '1.json'), JSON.stringify(owner));
  }
  return () => void lock.value.release();
}
