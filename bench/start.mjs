// How long `onceover --version` takes beside a bare start of Node.
import { fileURLToPath } from 'node:url';
import { report, sideBySide } from './support/measure.mjs';

const cli = fileURLToPath(new URL('../dist/cli.mjs', import.meta.url));
const [bare, version] = sideBySide([
  [process.execPath, '-e', '0'],
  [process.execPath, cli, '--version'],
]);
report({
  what: 'onceover --version, as a multiple of "node -e 0"',
  figure: version / bare,
  limit: 1.6,
  unit: ' x',
  details: `${version.toFixed(1)} ms to ${bare.toFixed(1)} ms`,
});
