#!/usr/bin/env node
/** Put in when it is built; not imported, so that no other file has to be opened to answer --version. */
declare const ONCEOVER_VERSION: string;

const [first, ...rest] = process.argv.slice(2);

// An agent waits for it each time it stops, mostly with nothing changed; no mistake in its settings may hold it.
const isStop = first === 'hook' && rest[0] === 'stop' && !rest.includes('--help') && !rest.includes('-h');

// Whoever reads our output may stop reading: that is no error, and what was found out still decides the exit code.
for (const stream of isStop ? [] : [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    // What could not be said cannot have been heard: that is no pass.
    process.exitCode = 3;
    if (stream !== process.stderr)
      process.stderr.write(
        `onceover: The answer could not be written (${error.code}).\nCheck the space that is left, and run again.\n`,
      );
  });
}

try {
  await answer();
} catch (error) {
  tellNotLoaded(error instanceof Error ? error.message : String(error));
}

async function answer(): Promise<void> {
  // The shortest questions are answered before anything else is loaded.
  if (rest.length === 0 && (first === '--version' || first === '-V')) process.stdout.write(`${ONCEOVER_VERSION}\n`);
  else if (process.platform === 'win32') {
    process.stderr.write('onceover does not support Windows yet. Use it inside WSL.\n');
    process.exitCode = 3;
  } else if (isStop) await (await import('./hook-stop.ts')).hookStop(rest.slice(1));
  else {
    if (first === 'instructions' || first === 'run' || first === 'status') {
      const run = first === 'run' && rest.length === 0;
      (await import('../app/ahead.ts')).lookAhead({ run });
    }
    // What is asked most often, and mostly has nothing to do, needs nobody to read flags for it.
    if (first === 'run' && rest.length === 0) await (await import('./plain-run.ts')).plainRun();
    else await (await import('./program.ts')).runProgram(process.argv);
  }
}

/** Says that a file of the program is gone, or no more files may be opened: that is neither a pass nor a finding. */
function tellNotLoaded(said: string): void {
  const message = `A part of the program could not be loaded, so nothing was judged: ${said}`;
  const next = 'Check how many files may be open ("ulimit -n"), install onceover again, and run again.';
  if (rest.includes('--json'))
    process.stdout.write(`${JSON.stringify({ error: { kind: 'not-loaded', message, next } }, null, 2)}\n`);
  process.stderr.write(`onceover: ${message}\n${next}\n`);
  process.exitCode = 3;
}
