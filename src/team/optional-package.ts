import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Loads a package that users install themselves: from next to onceover, or from the global packages. Packages of the
 * repository under review are never loaded, because its author could run code there. Returns `null` if none is found.
 */
export function optionalPackage(name: string): unknown {
  for (const from of places()) {
    try {
      // Not import(): on Node.js 20, onceover compiles its own files in a way in which import() does not work.
      return createRequire(from)(name);
    } catch (error) {
      if (!isNotFound(error, name)) throw error;
    }
  }
  return null;
}

function places(): readonly string[] {
  const own = process.argv[1];
  const found: string[] = [];
  try {
    // The started file may be a symlink in a folder of programs.
    if (own !== undefined) found.push(realpathSync(own));
  } catch {
    // The program was removed while it runs.
  }
  // The folder of global packages next to this Node.js, as npm lays it out.
  return [...found, join(dirname(process.execPath), '..', 'lib', 'node_modules', 'none.js')];
}

function isNotFound(error: unknown, name: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'MODULE_NOT_FOUND' && String(error).includes(`'${name}'`);
}
