import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A file with all that it imports as it is loaded: types, packages and what is imported later are not among them. */
export function loadedBy(file: string, found = new Set<string>()): Set<string> {
  const path = resolve(file);
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(path, 'utf8');
  for (const [, from = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*? from '(\.[^']+)';/gms)) {
    loadedBy(join(dirname(path), from), found);
  }
  return found;
}
