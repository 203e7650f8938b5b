import type { PlayPorts } from './scene.ts';

/** The process ends here. */
export class Crash extends Error {}

/** The calls that write. A crash between two of them equals a crash before the second. */
const EFFECTS: { readonly [Port in keyof PlayPorts]?: readonly (keyof PlayPorts[Port])[] } = {
  reviewers: ['ask'],
  commits: ['commit'],
  loops: ['write'],
  feature: ['writeHistory', 'writeMeta', 'putMetaAside'],
  ledger: ['add'],
  logs: ['write'],
  cooldowns: ['add'],
};

/**
 * Wraps the ports of a process that ends before its n-th write, counted from 0; after that it writes nothing. `effects`
 * returns the number of writes.
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
