/**
 * Stores the compiled code of onceover in the user's cache folder, so that later commands start faster. A shared
 * temporary folder would not be safe: an agent that fixes code could change the stored code, which judges its work.
 */
export function useCompileCache({ XDG_CACHE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): void {
  // Load these modules here instead of with `import`, so that `--version` does not load them.
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
  if (!isAbsolute(caches)) return;
  // Do not use a cache folder inside a git repository, because its files would become part of the reviewed change.
  for (let folder = caches; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return;
    if (folder === dirname(folder)) break;
  }
  const folder = join(caches, 'onceover-compiled');
  // Make the folder first, because `enableCompileCache` never returns if it cannot make the folder, for example in
  // /proc.
  if (!makes(caches) || !makes(folder)) return;
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?(folder: string): void;
  };
  if (enableCompileCache === undefined) cacheCompiledChunks(folder);
  else enableCompileCache(folder);
}

type CompilingModule = { exports: object; require(id: string): unknown };

/** Does for Node.js 20, with the files of this build, what `enableCompileCache` does in Node.js 22. */
function cacheCompiledChunks(folder: string): void {
  const { Module } = process.getBuiltinModule('node:module');
  const { Script } = process.getBuiltinModule('node:vm');
  const { basename, dirname, join } = process.getBuiltinModule('node:path');
  const compile: unknown = Reflect.get(Module.prototype, '_compile');
  if (typeof compile !== 'function') return;
  const uncachedScripts: {
    readonly file: string;
    readonly code: string;
    readonly script: InstanceType<typeof Script>;
  }[] = [];
  Reflect.set(Module.prototype, '_compile', function (this: CompilingModule, code: string, filename: string): unknown {
    if (dirname(filename) !== __dirname) return Reflect.apply(compile, this, [code, filename]);
    const file = join(folder, `${process.version}-${basename(filename)}`);
    const cachedData = readCompiled(file, code);
    const script = new Script(Module.wrap(code), cachedData === null ? { filename } : { filename, cachedData });
    if (cachedData === null || script.cachedDataRejected === true) uncachedScripts.push({ file, code, script });
    const run = script.runInThisContext() as (...args: unknown[]) => unknown;
    return run.call(this.exports, this.exports, (id: string) => this.require(id), this, filename, __dirname);
  });
  // When the process exits, V8 has compiled all functions that were called, so store these too.
  process.on('exit', () => {
    if (uncachedScripts.length > 0) removeOld(folder);
    for (const { file, code, script } of uncachedScripts) writeCompiled(file, code, script.createCachedData());
  });
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Deletes files that are a month old. Most of them belong to other versions of onceover. */
function removeOld(folder: string): void {
  const { readdirSync, rmSync, statSync } = process.getBuiltinModule('node:fs');
  try {
    for (const name of readdirSync(folder)) {
      const file = `${folder}/${name}`;
      if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file);
    }
  } catch {
    // Another command deleted the file first, or the folder is not readable. Both are harmless, because these files
    // only take space.
  }
}

const DIGEST_BYTES = 32;

/** Returns the compiled code in a cache file; `null` if the file is incomplete or belongs to other source code. */
function readCompiled(file: string, code: string): Buffer | null {
  try {
    const bytes = process.getBuiltinModule('node:fs').readFileSync(file);
    const cachedData = bytes.subarray(DIGEST_BYTES);
    return digestOf(code, cachedData).equals(bytes.subarray(0, DIGEST_BYTES)) ? cachedData : null;
  } catch {
    return null;
  }
}

function writeCompiled(file: string, code: string, cachedData: Buffer): void {
  const { renameSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const temporaryFile = `${file}.${process.pid}`;
  try {
    writeFileSync(temporaryFile, Buffer.concat([digestOf(code, cachedData), cachedData]), { mode: 0o600 });
    renameSync(temporaryFile, file);
  } catch {
    // Ignore the error: without the cache, the next command only starts more slowly.
  }
}

function digestOf(code: string, cachedData: Buffer): Buffer {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(code).update(cachedData).digest();
}
