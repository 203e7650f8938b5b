import { readFileSync } from 'node:fs';
import { defineConfig, type UserConfig } from 'tsdown';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// Everything the program needs is in the package itself: one package to install, and few files to open at start-up.
const common: UserConfig = {
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  report: false,
};

// What the everyday commands need goes into one file; what only some need stays in files of its own.
const CORE =
  /src\/(?:app|domain|text|io\/(?!runner|capture|scratch)|stores\/(?:generated|instruction|passes)|report\/documents|config\/(?:load|parsed|rule-file)|plan\/(?:decide|explain|identify|match|review-id|task)|prompt\/(?:fence|instruction-file)|execute\/(?:instructions|references|select))/;

export default defineConfig([
  {
    ...common,
    entry: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    define: { ONCEOVER_VERSION: JSON.stringify(version) },
    dts: false,
    minify: 'dce-only',
    outputOptions: { codeSplitting: { groups: [{ name: 'core', test: CORE }] } },
    clean: true,
  },
  { ...common, entry: { index: 'src/index.ts' }, dts: { emitDtsOnly: true }, clean: false },
]);
