// Publishes the result on the pull request. The token reaches only this step, which runs no code of the change.
import { spawnSync } from 'node:child_process';

const {
  ONCEOVER_PROGRAM,
  ONCEOVER_RUN,
  ONCEOVER_SUMMARY,
  ONCEOVER_REPORT_URL = '',
  ONCEOVER_TOKEN,
  ...rest
} = process.env;
const env = { ...rest, ONCEOVER_TOKEN };
// The upload of the page may have failed; then the summary has no link.
const link = ONCEOVER_REPORT_URL === '' ? [] : ['--report-url', ONCEOVER_REPORT_URL];
const args = ['publish', '--from', ONCEOVER_RUN, '--summary', ONCEOVER_SUMMARY, ...link];
const { status } = spawnSync(process.execPath, [ONCEOVER_PROGRAM, ...args], { env, stdio: 'inherit' });
process.exitCode = status ?? 3;
