import { stringify } from 'yaml';
import type { ImportedEntry, SourceConfig } from './import/types.ts';
import { type CheckCommand, CODE_QUALITY_FILE } from './types.ts';

/** The checks of a project, and globs of files that reviewers do not need to see. */
type StarterFacts = { readonly checks: readonly CheckCommand[]; readonly exclude: readonly string[] };

/** Returns the text of a first `onceover.yml`; `agents` are the installed agents, the preferred one first. */
export function starterSettings(agents: readonly string[], facts: StarterFacts): string {
  return [HEADER, 'version: 1', agentLines(agents), SKIP_UNCHANGED, '', starterGates(facts)].join('\n');
}

/** Returns the `gates` part of a first `onceover.yml`. */
export function starterGates({ checks, exclude }: StarterFacts): string {
  return [
    'gates:',
    withComment('  - path: .', 'everything; a folder or a glob works too'),
    ...excludeLines(exclude),
    ...(checks.length > 0 ? [withComment('    checks:', 'run first; timeouts in seconds')] : NO_CHECK),
    ...checks.map(checkLine),
    checks.length > 0 ? withComment('    reviews:', 'run after the checks pass') : '    reviews:',
    '      code-quality:',
    `        prompt: ${CODE_QUALITY_FILE}`,
    '        num_reviews: 1',
    withComment('        # num_reviews: 2', 'adds a second reviewer, run by the next agent;'),
    withComment('        #', 'one that passed is skipped during a fix'),
    '',
  ].join('\n');
}

/** Returns the text of an `onceover.yml` with the imported checks and reviews. */
export function importedSettings(
  { source, settings }: SourceConfig,
  installed: readonly string[],
  gates: readonly ImportedEntry[],
): string {
  const agents = settings?.agents ?? installed;
  const own = { version: 1, ...settings, agents: agents.length === 0 ? undefined : agents, unchanged_gates: 'rest' };
  return [
    `${HEADER} Imported from ${source}.\n`,
    ...(agents.length === 0 ? [`${NO_AGENT}\n`] : []),
    stringify(own, ON_ONE_LINE),
    '\n',
    importedGates(gates),
  ].join('');
}

/** Returns the `gates` part of an `onceover.yml` with the imported checks and reviews. */
export function importedGates(gates: readonly ImportedEntry[]): string {
  // Do not write YAML aliases for lists that entries share, because the file would be hard to edit.
  return stringify({ gates }, { ...ON_ONE_LINE, aliasDuplicateObjects: false });
}

const ON_ONE_LINE = { lineWidth: 0 } as const;

/** Returns globs for the generated files among `paths`, such as lockfiles, which need no review. */
export function toolWrittenGlobs(paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (LOCKFILES.has(name)) found.add(path === name ? name : `**/${name}`);
    for (const ending of ENDINGS) if (name.endsWith(ending)) found.add(`**/*${ending}`);
    const [top] = path.split('/', 1);
    if (top !== undefined && top !== path && FOLDERS.has(top)) found.add(`${top}/**`);
  }
  // A glob that starts with `**/` also matches at the root, so the same glob without it is not needed.
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

function excludeLines(globs: readonly string[]): readonly string[] {
  if (globs.length === 0) return [];
  const words = globs.map(yamlWord);
  const line = withComment(`    exclude: [${words.join(', ')}]`, WRITTEN);
  return line.length <= WIDEST
    ? [line]
    : [withComment('    exclude:', WRITTEN), ...words.map((word) => `      - ${word}`)];
}

const WRITTEN = 'written by tools';

function checkLine({ name, run, timeoutSeconds }: CheckCommand): string {
  return `      ${name}: { run: ${yamlWord(run)}, timeout: ${timeoutSeconds} }`;
}

function yamlWord(text: string): string {
  return stringify(text, ON_ONE_LINE).trimEnd();
}
