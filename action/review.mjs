// Runs the gates and sets the outputs of the step. The last step of the action uses them for the verdict.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { annotate, artifactLink, linesOf, setOutput } from './github.mjs';

const { ONCEOVER_PROGRAM, ONCEOVER_KEPT, ONCEOVER_ARGS, ONCEOVER_BASE, ONCEOVER_REPORT, ...others } = process.env;
const { ONCEOVER_ARTIFACT, ONCEOVER_PASSES_FETCHED, ...job } = others;
// A check runs code of the change, so it must not reach the files through which steps talk to the runner.
const { GITHUB_OUTPUT: _, GITHUB_ENV: __, GITHUB_PATH: ___, GITHUB_STATE: ____, ...rest } = job;
// The run does not fetch passes again if the step before has fetched them.
const env = ONCEOVER_PASSES_FETCHED === 'true' ? { ...rest, ONCEOVER_PASSES_FETCHED } : rest;
const folder = mkdtempSync(join(job.RUNNER_TEMP, 'onceover-'));
const [markdown, sarif, html, json] = ['onceover.md', 'onceover.sarif', 'onceover.html', 'run.json'].map((name) =>
  join(folder, name),
);
const page = ONCEOVER_ARTIFACT === 'true' ? [`html=${html}`] : [];
const reports = [
  ...['github', `markdown=${markdown}`, `sarif=${sarif}`, `json=${json}`],
  ...page,
  ...linesOf(ONCEOVER_REPORT),
];
const args = [
  'run',
  ...reports.map((report) => `--report=${report}`),
  ...linesOf(ONCEOVER_BASE).map((base) => `--base=${base}`),
  ...linesOf(ONCEOVER_ARGS),
];

const before = fingerprint(linesOf(ONCEOVER_KEPT));
const exitCode = await run(ONCEOVER_PROGRAM, args);
const written = readSarif();
if (written === null) annotate('error', `onceover ended with exit code ${exitCode} and wrote no report. See the log.`);
setOutput('exit-code', exitCode);
setOutput('status', written?.properties.status ?? 'error');
setOutput('findings', written?.results.filter(isOpen).length ?? '');
setOutput('markdown', written === null ? '' : markdown);
setOutput('sarif', written === null ? '' : sarif);
setOutput('run', written === null ? '' : json);
const hasPage = page.length > 0 && existsSync(html);
setOutput('html', hasPage ? html : '');
if (hasPage && job.GITHUB_STEP_SUMMARY) appendFileSync(job.GITHUB_STEP_SUMMARY, `\n${artifactLink()}\n`);
setOutput('is-news', fingerprint(linesOf(ONCEOVER_KEPT)) !== before);

/** Runs onceover and forwards signals of a cancelled job. A killed process counts as exit code 3. */
function run(program, given) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...given], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.on('error', () => resolve(3));
    child.on('close', (code) => resolve(code ?? 3));
  });
}

function isOpen({ properties }) {
  return properties?.state === 'open' || properties?.state === 'fixed_claimed';
}

// With wrong options nothing ran, so there is no report.
function readSarif() {
  try {
    return JSON.parse(readFileSync(sarif, 'utf8')).runs[0];
  } catch {
    return null;
  }
}

/** Returns a digest that changes if any file in these folders changes. */
function fingerprint(folders) {
  const hash = createHash('sha256');
  for (const one of folders) {
    for (const name of namesIn(one)) {
      const { size, mtimeMs } = statSync(join(one, name));
      hash.update(JSON.stringify([one, name, size, mtimeMs]));
    }
  }
  return hash.digest('hex');
}

function namesIn(path) {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}
