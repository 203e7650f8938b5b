// Reads from and writes to GitHub's runner.
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';

/** Sets an output of the step; the value may have several lines. */
export function setOutput(name, value) {
  const end = randomUUID();
  appendFileSync(process.env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

/** Shows an annotation on the job; `kind` is error, warning or notice. */
export function annotate(kind, text) {
  const data = text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  console.log(`::${kind} title=onceover::${data}`);
}

/** Returns a line of Markdown that links to the page of this run, which lists its artifacts. */
export function artifactLink() {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = process.env;
  const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}#artifacts`;
  return `The whole report is a page: download the artifact \`onceover-report\` of [this run](${run}).`;
}

/** Ends the step with an error. */
export function giveUp(text) {
  annotate('error', text);
  process.exit(2);
}

/** Returns the event that started the job; empty if it cannot be read. */
export function readEvent() {
  try {
    return JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'));
  } catch {
    return {};
  }
}

/** Returns the lines of an input that are not empty. */
export function linesOf(text = '') {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
