/** The commands that only read, so they also work with records that were made in WSL. */
const READING = ['status', 'explain', 'cost', '--help', '-h', '-'];

/** Whether a command works on Windows. If it does not, reports that. */
export function worksOnWindows(command: string): boolean {
  if (READING.includes(command)) return true;
  process.stderr.write(`onceover ${command} does not support Windows yet. Run it inside WSL.\n`);
  process.exitCode = 3;
  return false;
}
