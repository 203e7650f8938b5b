import { isInside } from '../domain/generated.ts';
import { repoPath } from '../domain/repo-path.ts';
import type { Settings } from '../domain/settings.ts';

/** Agents of the settings that start a file which the change has written to: with the file. */
export function writtenAgents(agents: Settings['agent'], changed: ReadonlySet<string>): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  for (const [name, { command, path }] of Object.entries(agents)) {
    const found = [...(command ?? []), ...(path === null ? [] : [path])].map((part) => writtenIn(part, changed));
    const file = found.find((one) => one !== null);
    if (file !== undefined && file !== null) written.set(name, file);
  }
  return written;
}

/** The changed file that a part of a command names, is above of, or mentions anywhere. */
function writtenIn(part: string, changed: ReadonlySet<string>): string | null {
  const words = [part, ...part.split(/[\s'"=;&|()]+/)]
    .flatMap((word) => repoPath(word) ?? [])
    .filter((word) => word !== '');
  for (const file of changed) {
    if (part.includes(file) || words.some((word) => isInside(file, word))) return file;
  }
  return null;
}
