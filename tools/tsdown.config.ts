import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown';
import { loadedBy } from './loaded-by.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// All packages are bundled: one package to install, and few files to open at start-up.
const common: UserConfig = {
  cwd: resolve(import.meta.dirname, '..'),
  platform: 'node',
  target: 'node20.19',
  loader: { '.md': 'text' },
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  report: false,
};

// Ordinary dependencies of the package @onceover/team.
const OF_TEAM = ['pg', 'pg-boss'];

// Opening a file takes longer than reading it, so the code of frequent commands goes into few chunks. Code that only some commands need stays
// in its own chunks. Each group takes what the groups before it left.
const TOGETHER = {
  // The version and colours, which every command but the stop hook needs.
  words: ['packages/base/src/version.ts', 'packages/base/src/ui/style.ts'],
  // The stop hook with nothing changed.
  hook: ['packages/onceover/src/cli/hook-stop.ts'],
  // The start of a run: git works while the rest loads.
  ahead: ['packages/gates/src/run/prefetch.ts'],
  core: ['packages/onceover/src/cli/commands/rules.ts'],
  // A run that finds nothing to do.
  run: ['packages/onceover/src/cli/plain-run.ts'],
};

const groups = Object.entries(TOGETHER).map(([name, files], n) => {
  const loaded = new Set(files.flatMap((file) => [...loadedBy(file)]));
  return { name, test: (id: string) => loaded.has(id), priority: 10 - n };
});

// A getter per export, for exports that are assigned again later. Our chunks have none of these.
const GETTER = /Object\.defineProperty\(exports,`(\w+)`,\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;

/** Makes exports of the chunks above plain values, which load faster, and writes dist/index.mjs with the names for `import`. */
const plainExports: Rolldown.Plugin = {
  name: 'plain-exports',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk' && Object.hasOwn(TOGETHER, chunk.name))
        chunk.code = chunk.code.replace(GETTER, 'exports.$1=$2');
    }
    const index = bundle['index.cjs'];
    if (index?.type !== 'chunk') throw new Error('The build has no index.cjs.');
    const source = `export { ${index.exports.join(', ')} } from './index.cjs';\n`;
    this.emitFile({ type: 'asset', fileName: 'index.mjs', source });
  },
};

const entry = { cli: 'packages/onceover/src/cli/main.ts', index: 'packages/onceover/src/index.ts' };

const program: UserConfig = {
  ...common,
  // Node.js starts a CommonJS file about 4 ms sooner than an ES module. Users of the library import index.mjs.
  format: 'cjs',
  checks: { legacyCjs: false },
  plugins: [plainExports],
  entry,
  dts: false,
  // Minified code loads faster. Set READABLE=1 to read it.
  minify: process.env['READABLE'] === '1' ? 'dce-only' : true,
  outputOptions: { codeSplitting: { groups } },
  clean: true,
};

const defined = (isTeam: boolean) => ({
  define: { ONCEOVER_VERSION: JSON.stringify(version), ONCEOVER_TEAM: String(isTeam) },
});

const types: UserConfig = {
  ...common,
  format: 'esm',
  entry: { index: entry.index },
  dts: { emitDtsOnly: true, eager: true },
  clean: false,
};

// The package onceover, and the package @onceover/team with the same program and the store, the server and the workers.
export default defineConfig([
  { ...program, ...defined(false) },
  {
    ...program,
    ...defined(true),
    outDir: 'packages/team/dist',
    deps: { neverBundle: OF_TEAM, alwaysBundle: (id) => !OF_TEAM.includes(id), onlyBundle: false },
  },
  types,
]);
