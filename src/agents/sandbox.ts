import { join } from 'node:path';
import { lookAt } from '../io/files.ts';
import type { Agent } from './agent.ts';
import { findProgram } from './find.ts';

/** How a program is started so that some folders are read-only or empty for it. */
export type Sandboxed = { readonly program: string; readonly before: readonly string[] };

/** Puts bubblewrap around a program; null where it is not installed: then the program must not be started. */
export function sandboxed(
  program: string,
  folders: { readonly readOnly?: readonly string[]; readonly hidden?: readonly string[] },
  path: string,
): Sandboxed | null {
  const bubblewrap = findProgram('bwrap', path, '/');
  if (bubblewrap === null) return null;
  const binds = [
    ...(folders.readOnly ?? []).flatMap((folder) => ['--ro-bind', folder, folder]),
    ...(folders.hidden ?? []).flatMap((folder) => ['--tmpfs', folder]),
  ];
  return {
    program: bubblewrap,
    before: ['--bind', '/', '/', '--dev-bind', '/dev', '/dev', ...binds, '--die-with-parent', '--', program],
  };
}

/** What of the repository an agent would load and must not see. */
export function toBeHidden(agent: Agent, root: string): readonly string[] {
  return (agent.loads ?? []).map((name) => join(root, name)).filter((path) => lookAt(path) !== null);
}
