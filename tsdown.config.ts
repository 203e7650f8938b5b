import { readFileSync } from 'node:fs';
import { defineConfig, type UserConfig } from 'tsdown';
import { loadedBy } from './tools/loaded-by.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// Everything the program needs is in the package itself: one package to install, and few files to open at start-up.
const common: UserConfig = {
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  report: false,
};

// What a command needs goes into few files, since opening one takes longer than reading it; what only some runs and commands need
// stays in files of its own. Each of these takes what those before it have not.
const TOGETHER = {
  // What an agent that stops waits for, mostly with nothing changed; and what everything else needs too.
  hook: ['src/cli/hook-stop.ts', 'src/version.ts', 'src/text/paint.ts'],
  // What a run begins with: git is at work while the rest is being loaded.
  ahead: ['src/app/ahead.ts'],
  core: ['src/cli/commands/instructions.ts'],
  // A run that finds nothing to do.
  run: ['src/cli/plain-run.ts'],
};

const groups = Object.entries(TOGETHER).map(([name, files], n) => {
  const loaded = new Set(files.flatMap((file) => [...loadedBy(file)]));
  return { name, test: (id: string) => loaded.has(id), priority: 10 - n };
});

export default defineConfig([
  {
    ...common,
    entry: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    define: { ONCEOVER_VERSION: JSON.stringify(version) },
    dts: false,
    // Less to read at start-up, which is most of what a short command takes. READABLE=1 is for people.
    minify: process.env['READABLE'] === '1' ? 'dce-only' : true,
    outputOptions: { codeSplitting: { groups } },
    clean: true,
  },
  { ...common, entry: { index: 'src/index.ts' }, dts: { emitDtsOnly: true }, clean: false },
]);
