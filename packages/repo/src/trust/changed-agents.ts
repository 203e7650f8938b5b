import { isAbsolute, join, relative, resolve } from 'node:path';
import { realPath } from '@onceover/base/platform/files';
import type { Settings } from '../config/settings.ts';
import { agentWords } from './agent-words.ts';

/**
 * Returns the agents whose program the change may have replaced: their settings name a changed file, a folder with a
 * changed file, or a file beside a changed one, which the program may import.
 */
export function changedAgents(
  agents: Settings['agent'],
  root: string,
  changed: readonly string[],
): ReadonlySet<string> {
  const real = realPath(root);
  const isChanged = (place: string) =>
    changed.some((path) => place === '' || path === place || path.startsWith(`${place}/`));
  return new Set(
    Object.entries(agents).flatMap(([name, own]) =>
      placesIn(own, root)
        .flatMap((path) => [relative(root, path), relative(real, realPath(path))])
        .filter((path) => !path.startsWith('..') && !isAbsolute(path))
        .some((path) => isChanged(path) || (path.includes('/') && isChanged(join(path, '..'))))
        ? [name]
        : [],
    ),
  );
}

/** Returns the full paths of everything that the settings of an agent may name. */
function placesIn(own: Settings['agent'][string], root: string): readonly string[] {
  const others = [...(own.acp ?? []), ...Object.values(own.env)].flatMap((text) => text.split(/[\s'"=;:,&|()]+/));
  return [...agentWords({ agent: own }), ...others].filter((word) => word !== '').map((word) => resolve(root, word));
}
