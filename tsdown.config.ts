import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsdown';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// Everything the program needs is in the package itself: one package to install, and few files to open at start-up.
export default defineConfig({
  entry: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  define: { ONCEOVER_VERSION: JSON.stringify(version) },
  dts: { entry: 'src/index.ts' },
  minify: 'dce-only',
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  outputOptions: {
    codeSplitting: {
      groups: [
        {
          name: 'core',
          test: /src\/(?:app|domain|plan|prompt|text|execute|stores|io|report\/documents|config\/(?:load|parsed))/,
        },
      ],
    },
  },
  clean: true,
  report: false,
});
