import type { ImportedEntry, ImportedReview, SourceConfig } from './import/types.ts';
import type { CheckCommand } from './types.ts';

type StarterFacts = {
  readonly checks: readonly CheckCommand[];
  /** Globs of files that need no review. */
  readonly exclude: readonly string[];
  /** The path of the review's prompt. */
  readonly prompt: string;
};

/** Returns the text of a first `onceover.yml`; `agents` are the installed ones, the preferred one first. */
export function starterSettings(agents: readonly string[], facts: StarterFacts): string {
  return [HEADER, 'version: 1', agentLines(agents), SKIP_UNCHANGED, '', starterGates(facts)].join('\n');
}

/** Returns the `gates` part of a first `onceover.yml`. */
export function starterGates({ checks, exclude, prompt }: StarterFacts): string {
  return [
    'gates:',
    withComment('  - path: .', 'everything; a folder or a glob works too'),
    ...excludeLines(exclude, 'written by tools'),
    ...(checks.length > 0 ? [withComment('    checks:', 'run first; timeouts in seconds')] : NO_CHECK),
    ...checks.map(checkLine),
    checks.length > 0 ? withComment('    reviews:', 'run after the checks pass') : '    reviews:',
    '      code-quality:',
    `        prompt: ${prompt}`,
    '        num_reviews: 1',
    withComment('        # num_reviews: 2', 'adds a second reviewer, from the next agent;'),
    withComment('        #', 'each one is skipped after it has passed'),
    '',
  ].join('\n');
}

/** Returns the text of an `onceover.yml` with the imported checks and reviews. */
export function importedSettings(
  { source, settings }: SourceConfig,
  installed: readonly string[],
  entries: readonly ImportedEntry[],
): string {
  const { base = null, maxRetries = null, rerunNewIssueThreshold = null, agents = null, models = [] } = settings ?? {};
  return [
    `${HEADER} Imported from ${oneLine(source)}.`,
    'version: 1',
    ...(base === null ? [] : [`base: ${yamlWord(base)}`]),
    agentLines(agents ?? installed),
    ...(models.length === 0 ? [] : ['agent:']),
    ...models.map(([agent, model]) => `  ${agent}: { model: ${yamlWord(model)} }`),
    ...(maxRetries === null ? [] : [`max_retries: ${maxRetries}`]),
    ...(rerunNewIssueThreshold === null ? [] : [`rerun_new_issue_threshold: ${rerunNewIssueThreshold}`]),
    SKIP_UNCHANGED,
    '',
    importedGates(entries),
  ].join('\n');
}

/** Returns the `gates` part of an `onceover.yml` with the imported checks and reviews. */
export function importedGates(entries: readonly ImportedEntry[]): string {
  if (entries.length === 0) return 'gates: []\n';
  const lines = entries.flatMap(({ path, exclude, checks, reviews }) => [
    `  - path: ${yamlWord(path)}`,
    ...excludeLines(exclude),
    ...(checks.length === 0 ? [] : ['    checks:', ...checks.map(checkLine)]),
    ...(reviews.length === 0 ? [] : ['    reviews:', ...reviews.flatMap(reviewLines)]),
  ]);
  return ['gates:', ...lines, ''].join('\n');
}

/** Returns globs for those of the listed files that tools write and that need no review. */
export function toolWrittenGlobs(paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (LOCKFILES.has(name)) found.add(path === name ? name : `**/${name}`);
    for (const ending of ENDINGS) if (name.endsWith(ending)) found.add(`**/*${ending}`);
    const [top] = path.split('/', 1);
    if (top !== undefined && top !== path && FOLDERS.has(top)) found.add(`${top}/**`);
  }
  // A glob for all folders also matches at the root.
  return [...found].filter((glob) => !found.has(`**/${glob}`)).sort();
}

const LOCKFILES = new Set([
  ...['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'deno.lock'],
  ...['Cargo.lock', 'poetry.lock', 'uv.lock', 'pdm.lock', 'Pipfile.lock', 'go.sum', 'go.work.sum', 'Gemfile.lock'],
  ...['composer.lock', 'mix.lock', 'gradle.lockfile', 'pubspec.lock', 'Package.resolved'],
]);

const ENDINGS = ['.snap', '.min.js', '.min.css', '.pb.go', '_pb2.py'] as const;

const FOLDERS = new Set(['dist', 'vendor', 'node_modules', 'third_party']);

const HEADER = '# The checks and reviews that a change has to pass. "onceover run" runs them.';

const COMMENTS_AT = 28;

function withComment(line: string, comment: string): string {
  return `${line.padEnd(COMMENTS_AT - 1)} # ${comment}`;
}

const SKIP_UNCHANGED = withComment('unchanged_gates: rest', 'skip what is unchanged since it last ran');

const NO_CHECK = [
  withComment('    # checks:', 'commands that run first; none was found here'),
  '    #   test: { run: ./test.sh, timeout: 900 }',
];

const NO_AGENT = `${withComment('# agents: [claude, codex]', 'none was found: see "onceover doctor"')}
# agent:                    # or a command: prompt on stdin, JSON on stdout
#   house: { command: [./tools/reviewer.sh] }`;

function agentLines(agents: readonly string[]): string {
  return agents.length > 0 ? withComment(`agents: [${agents.join(', ')}]`, 'the reviewers, preferred first') : NO_AGENT;
}

const WIDEST = 78;

function excludeLines(globs: readonly string[], comment: string | null = null): readonly string[] {
  if (globs.length === 0) return [];
  const words = globs.map(yamlWord);
  const commented = (line: string) => (comment === null ? line : withComment(line, comment));
  const line = commented(`    exclude: [${words.join(', ')}]`);
  return line.length <= WIDEST ? [line] : [commented('    exclude:'), ...words.map((word) => `      - ${word}`)];
}

function checkLine({ name, run, timeoutSeconds }: ImportedEntry['checks'][number]): string {
  const text = yamlText(run, 8);
  if (!text.includes('\n')) {
    return `      ${yamlWord(name)}: { run: ${text}${timeoutSeconds === null ? '' : `, timeout: ${timeoutSeconds}`} }`;
  }
  const timeout = timeoutSeconds === null ? '' : `\n        timeout: ${timeoutSeconds}`;
  return `      ${yamlWord(name)}:${timeout}\n        run: ${text}`;
}

function reviewLines({ name, prompt, about, numReviews, agents, timeoutSeconds }: ImportedReview): readonly string[] {
  const parts = [
    `prompt: ${yamlWord(prompt)}`,
    ...(numReviews === undefined || numReviews === 1 ? [] : [`num_reviews: ${numReviews}`]),
    ...(agents == null ? [] : [`agents: [${agents.map(yamlWord).join(', ')}]`]),
    ...(timeoutSeconds == null ? [] : [`timeout: ${timeoutSeconds}`]),
  ];
  const comment = oneLine(about ?? '');
  return [...(comment === '' ? [] : [`      # ${comment}`]), `      ${yamlWord(name)}: { ${parts.join(', ')} }`];
}

const LONGEST_COMMENT = 90;

/** Returns a text that is safe in a comment: no character in it can end the line. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return plain.length > LONGEST_COMMENT ? `${plain.slice(0, LONGEST_COMMENT - 1).trimEnd()}…` : plain;
}

/** Returns a text as a YAML value on one line, quoted if YAML could read it as something else. */
export function yamlWord(text: string): string {
  if (PLAIN.test(text) && !NOT_A_STRING.test(text)) return text;
  return JSON.stringify(text).replace(INVISIBLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns a text as the YAML value of a key with this indent; a text of several lines becomes a block if it can. */
export function yamlText(text: string, indent: number): string {
  if (!text.includes('\n') || !BLOCK.test(text)) return yamlWord(text);
  const lines = text.split('\n').map((line) => (line === '' ? '' : `${' '.repeat(indent + 2)}${line}`));
  return `|-\n${lines.join('\n')}`;
}

const PLAIN = /^[A-Za-z0-9_./][A-Za-z0-9_./@+=-]*(?: [A-Za-z0-9_./@+=-]+)*$/;

// Some version of YAML reads these words as null, a boolean or a number.
const NOT_A_STRING = /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?\.?\d[\d_.eExXa-fA-FoO+:-]*|[-+]?\.inf|\.nan)$/i;

const INVISIBLE = /[\u007f-\u00a0\u00ad\u2028\u2029\ufeff\ufffe\uffff]/g;

const BLOCK = /^[\x21-\x7e\u00a1-\u00ac\u00ae-\u1fff][\x20-\x7e\n\t\u00a1-\u00ac\u00ae-\u1fff]*[\x21-\x7e]$/;
