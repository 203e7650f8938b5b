// Measures `onceover --version` and `--help`, compared with a bare start of Node.
import { BARE, CLI, sideBySide } from './support/measure.mjs';
import { report } from './support/rows.mjs';

const [bare, version, help] = sideBySide([
  BARE,
  [process.execPath, CLI, '--version'],
  [process.execPath, CLI, '--help'],
]);
const beside = [{ what: '`node -e 0`', figure: bare }];
report({ id: 'version', what: '`onceover --version`', figure: version, unit: 'ms', beside, limit: { ratio: 1.6 } });
report({ id: 'help', what: '`onceover --help`', figure: help, unit: 'ms', beside, limit: { ratio: 2 } });
