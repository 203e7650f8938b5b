// Checks the subjects of the commits since the voice of the project was settled: at most 72 characters.
import { execFileSync } from 'node:child_process';

const SINCE = '46befe2dc03177ca8af677be65e1766a65a25705';
const MOST = 72;

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

function subjects() {
  try {
    return git('log', '--no-merges', '--format=%h %s', `${SINCE}..HEAD`).split('\n').filter(Boolean);
  } catch {
    // A shallow clone or an exported tree does not have the commit.
    return null;
  }
}

const found = subjects();
const long = (found ?? []).filter((line) => line.slice(line.indexOf(' ') + 1).length > MOST);
for (const line of long) console.error(`The subject has more than ${MOST} characters: ${line}`);
console.log(found === null ? 'commits: no history to check' : `commits: ${found.length} subjects checked`);
process.exitCode = long.length === 0 ? 0 : 1;
