import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

/** Builds and loads a module that the package does not export, so that a benchmark can measure it. */
export async function load(source) {
  const folder = await buildAll(source);
  return import(pathToFileURL(join(folder, 'part.mjs')).href);
}

/** Builds a module with everything that it imports, in a temporary folder, which it returns. */
export async function buildAll(source, plugins = []) {
  const folder = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    config: false,
    entry: { part: fileURLToPath(new URL(`../../${source}`, import.meta.url)) },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    loader: { '.md': 'text' },
    dts: false,
    logLevel: 'silent',
    define: { ONCEOVER_VERSION: JSON.stringify('bench') },
    // Helpers of tests import files that are not doors of their package; only tests may do that.
    inputOptions: { resolve: { conditionNames: ['test', 'import', 'node', 'default'] } },
    deps: { alwaysBundle: [/.*/], onlyBundle: false },
    plugins,
  });
  return folder;
}
