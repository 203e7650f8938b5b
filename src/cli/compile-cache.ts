/**
 * Lets Node keep the compiled code of onceover in the user's cache folder, from Node 22 on. The shared folder for
 * temporary files would not be safe: a fixer may write there, and this code decides whether a gate passes.
 */
export function useCompileCache({ XDG_CACHE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): void {
  // Not imported, because the imports would be loaded for `--version` and the stop hook too.
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?(folder: string): void;
  };
  const { dirname, isAbsolute, join } = process.getBuiltinModule('node:path');
  const { existsSync } = process.getBuiltinModule('node:fs');
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache');
  if (enableCompileCache === undefined || !isAbsolute(caches)) return;
  // In a working tree, the cache would become part of a change.
  for (let folder = caches; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return;
    if (folder === dirname(folder)) break;
  }
  enableCompileCache(join(caches, 'onceover-compiled'));
}
