/**
 * Lets Node (22 or newer) keep the compiled code of onceover in the user's cache folder. A shared temporary folder
 * would not be safe: an agent that fixes code could write there and change the code that judges its work.
 */
export function useCompileCache({ XDG_CACHE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): void {
  // Load these modules here instead of with `import`, so that `--version` and the stop hook do not load them.
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?(folder: string): void;
  };
  const { dirname, isAbsolute, join } = process.getBuiltinModule('node:path');
  const { existsSync, mkdirSync } = process.getBuiltinModule('node:fs');
  const makes = (folder: string) => {
    try {
      if (!existsSync(folder)) mkdirSync(folder);
      return true;
    } catch {
      return false;
    }
  };
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache');
  if (enableCompileCache === undefined || !isAbsolute(caches)) return;
  // Do not use a cache folder inside a git repository, because the cache would become part of the reviewed change.
  for (let folder = caches; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return;
    if (folder === dirname(folder)) break;
  }
  const folder = join(caches, 'onceover-compiled');
  // Make the folder first: enableCompileCache never returns if it cannot make the folder, for example in /proc.
  if (makes(caches) && makes(folder)) enableCompileCache(folder);
}
