import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Returns a file and everything it imports statically, without types and packages. */
export function loadedBy(file: string, found = new Set<string>()): Set<string> {
  const path = resolve(file);
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(path, 'utf8');
  for (const [, from = ''] of text.matchAll(
    /^(?:import|export) (?!type )[^;]*? from '((?:\.|@onceover\/)[^']+)';/gms,
  )) {
    const [, name = '', door = ''] = /^@onceover\/(\w+)\/(.*)$/.exec(from) ?? [];
    loadedBy(name === '' ? join(dirname(path), from) : join('packages', name, 'src', `${door}.ts`), found);
  }
  return found;
}
