import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Loads a package that users install themselves, either next to onceover or globally. It is never loaded from the
 * repository under review, because the author of a change could run code that way. Returns `null` if the package is not
 * installed.
 */
export function optionalPackage(name: string): unknown {
  for (const from of places()) {
    try {
      // Uses `require`, because import() does not work in onceover's own compiled files on Node.js 20.
      return createRequire(from)(name);
    } catch (error) {
      if (!isNotFound(error, name)) throw error;
    }
  }
  return null;
}

function places(): readonly string[] {
  const program = process.argv[1];
  const folders: string[] = [];
  try {
    // The started file may be a symlink, for example in a bin folder. Look for packages next to the real file.
    if (program !== undefined) folders.push(realpathSync(program));
  } catch {
    // The program file was deleted while the program is running, so look only among the global packages.
  }
  // npm installs global packages in this folder. The file `none.js` does not exist; `createRequire` only needs a path
  // there.
  return [...folders, join(dirname(process.execPath), '..', 'lib', 'node_modules', 'none.js')];
}

function isNotFound(error: unknown, name: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'MODULE_NOT_FOUND' && String(error).includes(`'${name}'`);
}
