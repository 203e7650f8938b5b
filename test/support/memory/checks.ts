import type { CheckEnd, Checks } from '../../../src/domain/ports.ts';

/** What a command does: it ends with a code and an output, or it never ends by itself. */
type ScriptedCheck =
  | { readonly exitCode: number | null; readonly output: string }
  | { readonly endless: true; readonly output: string };

type Script = ScriptedCheck | ((env: Readonly<Record<string, string>>) => ScriptedCheck);

/** Checks that do what a script says, command by command; `commands` are those that were run, in order. */
export type MemoryChecks = Checks & { readonly commands: readonly string[] };

/** A shell that knows these commands and no others. */
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
