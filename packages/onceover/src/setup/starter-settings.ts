import { fencedBlock } from '@onceover/base/kernel/escape';
import { stringify } from 'yaml';
import type { ImportedEntry, SourceConfig } from './import/types.ts';
import page from './starter-settings.md';
import type { CheckCommand } from './types.ts';

type StarterFacts = {
  readonly checks: readonly CheckCommand[];
  /** Globs of files that reviewers do not need to see. */
  readonly exclude: readonly string[];
  /** The paths of the packages in a workspace, such as `packages/*`; empty in other projects. */
  readonly packages: readonly string[];
};

/** Returns the text of a first `onceover.yml`; `agents` are the installed agents, the preferred one first. */
export function starterSettings(agents: readonly string[], facts: StarterFacts): string {
  const agentLine = `agents: [${agents.join(', ')}]`.padEnd(27);
  return fill('settings', {
    agents: agents.length === 0 ? block('no-agents') : `${agentLine} # the reviewers, preferred first\n`,
    gates: starterGates(facts),
  });
}

/** Returns the `gates` part of a first `onceover.yml`. */
export function starterGates({ checks, exclude, packages }: StarterFacts): string {
  const checkLines = checks.map(
    ({ name, run, timeoutSeconds }) => `      ${name}: { run: ${yamlWord(run)}, timeout: ${timeoutSeconds} }\n`,
  );
  const common = {
    exclude: excludeLines(exclude),
    checks: checks.length === 0 ? block('no-checks') : [block('checks'), ...checkLines].join(''),
    reviews: block('reviews'),
  };
  const checkedGate = checks.length === 0 ? '' : fill('checked', common);
  if (packages.length === 0) {
    return checkedGate !== '' && exclude.length > 0
      ? fill('split-gates', { ...common, checked: checkedGate })
      : fill('gates', common);
  }
  const packageEntries = packages.map((path) =>
    [
      `${`  - path: ${yamlWord(path)}`.padEnd(27)} # a review per package: unchanged ones are skipped\n`,
      excludeLines(exclude.filter((glob) => glob.startsWith('**/'))),
      block('package-reviews'),
    ].join(''),
  );
  return fill('workspace-gates', {
    ...common,
    checked: checkedGate,
    packages: packageEntries.join(''),
    outside: excludeLines([...packages.map((path) => `${path.replace(/\/\*$/, '')}/**`), ...exclude]),
  });
}

function excludeLines(globs: readonly string[]): string {
  return globs.length === 0 ? '' : [block('exclude'), ...globs.map((glob) => `      - ${yamlWord(glob)}\n`)].join('');
}

function block(name: string): string {
  return fencedBlock(page, `yaml ${name}`);
}

/** Returns the block `name` of starter-settings.md. Each line `{key}` in it is replaced by the value of that key. */
function fill(name: string, values: Readonly<Record<string, string>>): string {
  return block(name).replace(/^\{(\w+)\}\n/gm, (_, key: string) => values[key] ?? '');
}

/** Returns the text of an `onceover.yml` with the imported checks and reviews. */
export function importedSettings(
  { source, settings }: SourceConfig,
  installedAgents: readonly string[],
  gates: readonly ImportedEntry[],
): string {
  const [header] = block('settings').split('\n', 1);
  const agents = settings?.agents ?? installedAgents;
  const topLevel = {
    version: 1,
    ...settings,
    agents: agents.length === 0 ? undefined : agents,
    unchanged_gates: 'rest',
  };
  return [
    `${header} Imported from ${source}.\n`,
    ...(agents.length === 0 ? [block('no-agents')] : []),
    stringify(topLevel, ON_ONE_LINE),
    '\n',
    importedGates(gates),
  ].join('');
}

/** Returns the `gates` part of an `onceover.yml` with the imported checks and reviews. */
export function importedGates(gates: readonly ImportedEntry[]): string {
  // Entries can share a list. Do not write YAML aliases for it, because the file would be hard to edit.
  return stringify({ gates }, { ...ON_ONE_LINE, aliasDuplicateObjects: false });
}

const ON_ONE_LINE = { lineWidth: 0 } as const;

/** Returns globs for the generated files among `paths`, such as lockfiles, which need no review. */
export function toolWrittenGlobs(paths: readonly string[]): readonly string[] {
  const globs = new Set<string>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (LOCKFILES.has(name)) globs.add(path === name ? name : `**/${name}`);
    for (const ending of ENDINGS) if (name.endsWith(ending)) globs.add(`**/*${ending}`);
    const [top] = path.split('/', 1);
    if (top !== undefined && top !== path && FOLDERS.has(top)) globs.add(`${top}/**`);
  }
  // A glob that starts with `**/` also matches at the root, so the same glob without this prefix is not needed.
  return [...globs].filter((glob) => !globs.has(`**/${glob}`)).sort();
}

const LOCKFILES = new Set([
  ...['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'deno.lock'],
  ...['Cargo.lock', 'poetry.lock', 'uv.lock', 'pdm.lock', 'Pipfile.lock', 'go.sum', 'go.work.sum', 'Gemfile.lock'],
  ...['composer.lock', 'mix.lock', 'gradle.lockfile', 'pubspec.lock', 'Package.resolved'],
]);

const ENDINGS = ['.snap', '.min.js', '.min.css', '.pb.go', '_pb2.py'] as const;

const FOLDERS = new Set(['dist', 'vendor', 'node_modules', 'third_party']);

function yamlWord(text: string): string {
  return stringify(text, ON_ONE_LINE).trimEnd();
}
