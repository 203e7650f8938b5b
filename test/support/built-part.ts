import { join, resolve } from 'node:path';
import { build } from 'tsdown';
import { temporaryFolder } from './repo.ts';

/** Builds a module that other processes can import, in a folder that is removed when the test ends. */
export async function builtPart(source: string): Promise<string> {
  const folder = temporaryFolder();
  await build({
    config: false,
    entry: { part: resolve(import.meta.dirname, '../..', source) },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    loader: { '.md': 'text' },
    dts: false,
    logLevel: 'silent',
    deps: { alwaysBundle: [/.*/], onlyBundle: false },
  });
  return join(folder, 'part.mjs');
}
