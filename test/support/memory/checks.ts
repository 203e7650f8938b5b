import type { CheckEnd, Checks } from '@onceover/base/kernel/ports';

/** The behaviour of a command: it ends with an exit code and an output, or it never ends by itself. */
type ScriptedCheck =
  | { readonly exitCode: number | null; readonly output: string }
  | { readonly endless: true; readonly output: string };

type Script = ScriptedCheck | ((env: Readonly<Record<string, string>>) => ScriptedCheck);

/** Scripted checks, command by command; `commands` lists the commands that ran, in order. */
export type MemoryChecks = Checks & { readonly commands: readonly string[] };

/** A shell that knows only these commands. */
export function memoryChecks(script: Readonly<Record<string, Script>>): MemoryChecks {
  const commands: string[] = [];
  return {
    commands,
    async run(command, options): Promise<CheckEnd> {
      if (options.stop?.aborted === true) return { ending: 'cancelled', exitCode: null, output: '', durationMs: 0 };
      commands.push(command);
      const found = script[command] ?? { exitCode: 127, output: `${command}: not found\n` };
      const does = typeof found === 'function' ? found(options.env) : found;
      if (!('endless' in does)) return { ending: 'by-itself', ...does, durationMs: 1 };
      const ending = await timeOrStop(options.timeoutSeconds * 1000, options.stop);
      return { ending, exitCode: null, output: does.output, durationMs: 1 };
    },
  };
}

function timeOrStop(ms: number, stop: AbortSignal | null): Promise<'timeout' | 'cancelled'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('timeout'), ms);
    stop?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve('cancelled');
    });
  });
}
