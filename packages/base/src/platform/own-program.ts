import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { shellWord } from '../kernel/escape.ts';
import { findOnPath, isProgram } from './program.ts';

/** The facts about this process from which the command to start the same onceover again is found. */
type Process = {
  readonly execPath: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Returns the command, as a list of words, that starts the installed onceover: `onceover` if it is on PATH, `npx
 * --no-install` if it is a dependency of the project at `root`, otherwise Node.js with the path of this program. The
 * command never downloads a package.
 */
export function ownProgram(root: string | null, { execPath, argv, env }: Process): readonly [string, ...string[]] {
  // Ignore folders that npx and npm scripts add to PATH, because they do so only for the processes that they start.
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin'));
  if (findOnPath('onceover', folders.join(delimiter)) !== null) return ['onceover'];
  if (root !== null && isProgram(join(root, 'node_modules/.bin/onceover'))) return ['npx', '--no-install', 'onceover'];
  return [execPath, realpathSync(argv[1] ?? '')];
}

/** Returns the command that starts the installed onceover, as text for the user's shell. */
export function ownCommand(root: string | null, runningProcess: Process): string {
  const [first, ...args] = ownProgram(root, runningProcess);
  return [first === runningProcess.execPath ? 'node' : first, ...args].map(shellWord).join(' ');
}
