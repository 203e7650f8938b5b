import { defineConfig } from 'tsdown';

// Everything the program needs is in the package itself: one package to install, and few files to open at start-up.
export default defineConfig({
  entry: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: { entry: 'src/index.ts' },
  minify: 'dce-only',
  deps: { alwaysBundle: [/.*/], onlyAllowBundle: false },
  clean: true,
  report: false,
});
