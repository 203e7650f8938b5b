import { ACTIVE } from '../domain/active.ts';
import type { CheckEnd, Checks } from '../domain/ports.ts';
import { type RunEnd, run } from './runner.ts';

// What a check prints is read in the order in which it was printed. Nothing to read: with a pipe for input, some programs
// would wait for it or work on that instead of the files. The command is an argument, so it needs no quoting.
const SHELL = '/bin/sh';
const PREPARE = 'exec </dev/null 2>&1; exec /bin/sh -c "$1"';

/** Runs checks with the user's shell and environment in the root; nothing of their process group outlives them. */
export function openChecks(root: string, env: NodeJS.ProcessEnv): Checks {
  return {
    async run(command, options) {
      const end = await run({
        program: SHELL,
        args: ['-c', PREPARE, 'sh', command],
        cwd: root,
        env: { ...defined(env), ...options.env, [ACTIVE]: '1' },
        input: '',
        timeoutMs: options.timeoutSeconds * 1000,
        idleMs: null,
        signal: options.stop,
      });
      return judge(end);
    },
  };
}

// Only a check that came to its own end has an exit code: what it says when it is told to end is no verdict.
function judge(end: RunEnd): CheckEnd {
  if (end.kind === 'not-started') return { ending: 'not-started', exitCode: null, output: end.code, durationMs: 0 };
  const output = [end.stdout.text, end.stderr.text].filter((text) => text !== '').join('\n');
  const durationMs = Math.round(end.durationMs);
  switch (end.ending) {
    case 'by-itself':
      return { ending: 'by-itself', exitCode: end.code, output, durationMs };
    case 'cancelled':
      return { ending: 'cancelled', exitCode: null, output, durationMs };
    case 'timeout':
    case 'idle':
      return { ending: 'timeout', exitCode: null, output, durationMs };
  }
}

function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
