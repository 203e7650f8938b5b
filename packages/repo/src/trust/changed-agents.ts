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
  changedPaths: readonly string[],
): ReadonlySet<string> {
  const real = realPath(root);
  const isChanged = (place: string) =>
    changedPaths.some((path) => place === '' || path === place || path.startsWith(`${place}/`));
  return new Set(
    Object.entries(agents).flatMap(([name, agent]) =>
      placesIn(agent, root)
        .flatMap((path) => [relative(root, path), relative(real, realPath(path))])
        .filter((path) => !path.startsWith('..') && !isAbsolute(path))
        .some((path) => isChanged(path) || (path.includes('/') && isChanged(join(path, '..'))))
        ? [name]
        : [],
    ),
  );
}

/** Returns the full paths of everything that the settings of an agent may name. */
function placesIn(agent: Settings['agent'][string], root: string): readonly string[] {
  const otherWords = [...(agent.acp ?? []), ...Object.values(agent.env)].flatMap((text) =>
    text.split(/[\s'"=;:,&|()]+/),
  );
  return [...agentWords({ agent }), ...otherWords].filter((word) => word !== '').map((word) => resolve(root, word));
}
