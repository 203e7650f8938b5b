// What the scripts of the action say to GitHub's runner, and hear from it.
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';

/** Sets an output of the step, whatever it holds. */
export function setOutput(name, value) {
  const end = randomUUID();
  appendFileSync(process.env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

/** Shows a sentence with the job: `kind` is error, warning or notice. */
export function annotate(kind, text) {
  const data = text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  console.log(`::${kind} title=onceover::${data}`);
}

/** Ends the step with a sentence. */
export function giveUp(text) {
  annotate('error', text);
  process.exit(2);
}

/** What the job is about, as GitHub tells it; empty where it does not. */
export function readEvent() {
  try {
    return JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'));
  } catch {
    return {};
  }
}

/** The lines of an input that hold something. */
export function linesOf(text = '') {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
