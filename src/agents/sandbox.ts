import { findProgram } from './find.ts';

/** How a program is started where it cannot write to some folders. */
export type Sandboxed = { readonly program: string; readonly before: readonly string[] };

/** Puts bubblewrap around a program; null where it is not installed: then the program must not be started. */
export function sandboxed(program: string, readOnly: readonly string[], path: string): Sandboxed | null {
  const bubblewrap = findProgram('bwrap', path, '/');
  if (bubblewrap === null) return null;
  const binds = readOnly.flatMap((folder) => ['--ro-bind', folder, folder]);
  return {
    program: bubblewrap,
    before: ['--bind', '/', '/', '--dev-bind', '/dev', '/dev', ...binds, '--die-with-parent', '--', program],
  };
}
