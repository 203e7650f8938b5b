#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts';

/** The version of onceover. The build inserts it as a constant, so that `--version` loads no other file. */
declare const ONCEOVER_VERSION: string;

// Without a command, help is printed, as with an option.
const [first = '-', ...rest] = process.argv.slice(2);

// An agent waits for this hook every time that it wants to stop, and usually nothing changed since. So the hook has its
// own path, which loads little code.
const isStop = first === 'hook' && rest[0] === 'stop' && !rest.includes('--help') && !rest.includes('-h');

// The program that reads our output may close the pipe early (EPIPE). That is not an error, and the exit code depends
// only on the result.
for (const stream of isStop ? [] : [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    // A result that could not be written must not count as a pass.
    process.exitCode = 3;
    if (stream !== process.stderr)
      process.stderr.write(
        `onceover: The result could not be written (${error.code}).\nCheck the free disk space and run again.\n`,
      );
  });
}

// Node.js exits with code 0 when nothing is pending, even if `main` has not finished. This must not look like a pass.
let isDone = false;
process.on('exit', (code) => {
  if (isDone || code !== 0) return;
  process.exitCode = 3;
  process.stderr.write('onceover: The command ended before its work was done, so nothing passed. Run it again.\n');
});
main()
  .catch((error: unknown) => printNotLoaded(error instanceof Error ? error.message : String(error)))
  .finally(() => {
    isDone = true;
  });

async function main(): Promise<void> {
  // Print the version before any other code is loaded.
  if (/^(--version|-v) $/i.test(`${first} ${rest}`)) {
    process.stdout.write(`${ONCEOVER_VERSION}\n`);
    return;
  }
  if (process.platform === 'win32' && !(await import('./windows.ts')).worksOnWindows(first)) return;
  // The hook is faster without the compile cache: compiling its few functions takes less time than loading the hash
  // functions that the cache needs.
  if (isStop) return (await import('./hook-stop.ts')).hookStop(rest.slice(1));
  if (!ONCEOVER_TEAM && first[0] !== '-' && (await (await import('./start-team.ts')).startTeamProgram(first))) return;
  useCompileCache(process.env);
  // Agents and hooks run these commands often, mostly without flags. Without flags, the option parser is not needed.
  const plain = rest.length === 0 ? first : null;
  if (first === 'instructions' || first === 'run' || first === 'status')
    (await import('@onceover/gates/run/prefetch')).prefetch({ run: plain === 'run' });
  if (plain === 'run') await (await import('./plain-run.ts')).plainRun();
  else if (plain === 'instructions') await (await import('./commands/rules.ts')).plainInstructions();
  else await (await import('./program.ts')).runProgram(process.argv);
}

/** Reports that one of onceover's files could not be loaded. No gate ran, so the exit code is 3. */
function printNotLoaded(errorText: string): void {
  const [reason] = errorText.split('\n');
  const message = `A part of onceover could not be loaded, so no gate ran: ${reason}`;
  const next = 'Check the limit of open files ("ulimit -n"), or install onceover again. Then run again.';
  if (rest.includes('--json'))
    process.stdout.write(`${JSON.stringify({ error: { kind: 'not-loaded', message, next } }, null, 2)}\n`);
  process.stderr.write(`onceover: ${message}\n${next}\n`);
  process.exitCode = 3;
}
