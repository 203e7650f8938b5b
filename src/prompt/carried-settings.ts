import type { CarriedCheck, CarriedEntry, CarriedOver, CarriedReview } from '../domain/carry-over.ts';
import { agentLines, beside } from './starter-gates.ts';
import { yamlText, yamlWord } from './yaml-word.ts';

/** The text of an `onceover.yml` with what was carried over; `agents` are those that are here. */
export function carriedSettings(from: string, agents: readonly string[], { settings, entries }: CarriedOver): string {
  const { base, maxRetries, rerunNewIssueThreshold, models } = settings;
  return [
    `# The gates that a change has to pass; "onceover run" runs them. Carried over from ${oneLine(from)}.`,
    'version: 1',
    ...(base === null ? [] : [`base: ${yamlWord(base)}`]),
    agentLines(settings.agents ?? agents),
    ...(models.length === 0 ? [] : ['agent:']),
    ...models.map(([agent, model]) => `  ${agent}: { model: ${yamlWord(model)} }`),
    ...(maxRetries === null ? [] : [`max_retries: ${maxRetries}`]),
    ...(rerunNewIssueThreshold === null ? [] : [`rerun_new_issue_threshold: ${rerunNewIssueThreshold}`]),
    beside('unchanged_gates: rest', 'gates that hold are not run again'),
    '',
    carriedGates(entries),
  ].join('\n');
}

/** The part of it that an `onceover.yml` lacks. */
export function carriedGates(entries: readonly CarriedEntry[]): string {
  if (entries.length === 0) return 'gates: []\n';
  return ['gates:', ...entries.flatMap(entryLines), ''].join('\n');
}

function entryLines({ path, exclude, checks, reviews }: CarriedEntry): readonly string[] {
  return [
    `  - path: ${yamlWord(path)}`,
    ...excludeLines(exclude),
    ...(checks.length === 0 ? [] : ['    checks:', ...checks.map(checkLine)]),
    ...(reviews.length === 0 ? [] : ['    reviews:', ...reviews.flatMap(reviewLines)]),
  ];
}

const WIDEST = 100;

function excludeLines(globs: readonly string[]): readonly string[] {
  if (globs.length === 0) return [];
  const words = globs.map(yamlWord);
  const line = `    exclude: [${words.join(', ')}]`;
  return line.length <= WIDEST ? [line] : ['    exclude:', ...words.map((word) => `      - ${word}`)];
}

function checkLine({ name, run, timeoutSeconds }: CarriedCheck): string {
  const text = yamlText(run, 8);
  if (text.includes('\n')) {
    const timeout = timeoutSeconds === null ? '' : `\n        timeout: ${timeoutSeconds}`;
    return `      ${yamlWord(name)}:${timeout}\n        run: ${text}`;
  }
  const timeout = timeoutSeconds === null ? '' : `, timeout: ${timeoutSeconds}`;
  return `      ${yamlWord(name)}: { run: ${yamlWord(run)}${timeout} }`;
}

function reviewLines({ name, prompt, about, numReviews, agents, timeoutSeconds }: CarriedReview): readonly string[] {
  const parts = [
    `prompt: ${yamlWord(prompt)}`,
    ...(numReviews === 1 ? [] : [`num_reviews: ${numReviews}`]),
    ...(agents === null ? [] : [`agents: [${agents.map(yamlWord).join(', ')}]`]),
    ...(timeoutSeconds === null ? [] : [`timeout: ${timeoutSeconds}`]),
  ];
  const said = about === null ? '' : oneLine(about);
  return [...(said === '' ? [] : [`      # ${said}`]), `      ${yamlWord(name)}: { ${parts.join(', ')} }`];
}

const LONGEST_COMMENT = 90;

/** A text as a comment: nothing in it can end the line. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return plain.length > LONGEST_COMMENT ? `${plain.slice(0, LONGEST_COMMENT - 1).trimEnd()}…` : plain;
}
