import type { PlayPorts } from './scene.ts';

/** The process ends here. */
export class Crash extends Error {}

/** What changes the world: to end between two of them is to end before the second. */
const EFFECTS: { readonly [Port in keyof PlayPorts]?: readonly (keyof PlayPorts[Port])[] } = {
  reviewers: ['ask'],
  commits: ['commit'],
  loops: ['write'],
  feature: ['writeHistory', 'tellMeta', 'putMetaAside'],
  ledger: ['add'],
  logs: ['write'],
  coolings: ['add'],
};

/**
 * Ports of a process that ends before it changes the world for the n-th time, from 0: from then on it changes nothing.
 * `effects` tells how often it did.
 */
export function crashing(ports: PlayPorts, at: number): { readonly ports: PlayPorts; effects(): number } {
  let effects = 0;
  const trapped = Object.entries(EFFECTS).map(([name, methods]) => {
    const port = ports[name as keyof PlayPorts] as unknown as Record<string, (...args: unknown[]) => unknown>;
    const traps = methods.map((method) => [
      method,
      (...args: unknown[]) => {
        if (effects >= at) throw new Crash(`before effect ${at}`);
        effects += 1;
        return port[String(method)]?.(...args);
      },
    ]);
    return [name, { ...port, ...Object.fromEntries(traps) }];
  });
  return { ports: { ...ports, ...Object.fromEntries(trapped) }, effects: () => effects };
}
