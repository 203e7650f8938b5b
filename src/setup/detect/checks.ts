import type { CheckCommand, CheckName, RootFiles, SkippedCommand } from '../types.ts';
import { type CheckCandidate, composerScripts, makeTargets, packageScripts } from './scripts.ts';
import { workspaceScripts } from './workspaces.ts';

/** Whether the files of a project show that it uses something. */
type Sign = (root: RootFiles) => boolean;

function file(...some: readonly string[]): Sign {
  return ({ names }) => some.some((name) => names.has(name));
}

function text(name: string, pattern: RegExp): Sign {
  return ({ texts }) => pattern.test(texts.get(name) ?? '');
}

function section(name: string, heading: string): Sign {
  return ({ texts }) => sectionOf(texts.get(name) ?? '', heading) !== '';
}

function all(...signs: readonly Sign[]): Sign {
  return (root) => signs.every((sign) => sign(root));
}

function any(...signs: readonly Sign[]): Sign {
  return (root) => signs.some((sign) => sign(root));
}

const PYTHON_FILES = [
  ...['pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt'],
  'requirements-test.txt',
];

/** Whether a Python tool has a configuration file or section, or is listed as a requirement. */
function python(tool: string, ...configs: readonly string[]): Sign {
  const headings = [tool, `tool.${tool}`, `tool:${tool}`];
  const inText = (content: string) =>
    requires(content, tool) || headings.some((heading) => sectionOf(content, heading) !== '');
  return any(file(...configs), ({ texts }) => PYTHON_FILES.some((name) => inText(texts.get(name) ?? '')));
}

const GO = text('go.mod', /^module[ \t]/m);
const GOLANGCI = file('.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json');
const CARGO_WORKSPACE = section('Cargo.toml', 'workspace');
const CARGO = section('Cargo.toml', 'package');
const CLIPPY = any(text('Cargo.toml', /^\[(?:workspace\.)?lints\.clippy\]/m), file('clippy.toml', '.clippy.toml'));
const MYPY = python('mypy', 'mypy.ini');
const MYPY_FILES: Sign = ({ texts }) =>
  /^(?:files|packages|modules)[ \t]*=/m.test(
    [
      sectionOf(texts.get('pyproject.toml') ?? '', 'tool.mypy'),
      ...['setup.cfg', 'tox.ini', 'mypy.ini'].map((name) => sectionOf(texts.get(name) ?? '', 'mypy')),
    ].join('\n'),
  );
const GRADLE = file('build.gradle', 'build.gradle.kts');
const MAVEN = file('pom.xml');

/** The command of each tool, and the sign that a project uses the tool. The first row that fits is used per check. */
const TOOLS: readonly (readonly [check: CheckName, run: string, usedIf: Sign])[] = [
  ['lint', 'golangci-lint run', all(GO, GOLANGCI)],
  ['lint', 'go vet ./...', GO],
  ['test', 'go test ./...', GO],
  ['lint', 'cargo clippy --workspace --all-targets', all(CARGO_WORKSPACE, CLIPPY)],
  ['lint', 'cargo clippy --all-targets', all(CARGO, CLIPPY)],
  ['test', 'cargo test --workspace', CARGO_WORKSPACE],
  ['test', 'cargo test', CARGO],
  ['lint', '{python}ruff check .', python('ruff', 'ruff.toml', '.ruff.toml')],
  ['lint', '{python}flake8', python('flake8', '.flake8')],
  ['types', '{python}mypy', all(MYPY, MYPY_FILES)],
  ['types', '{python}mypy .', MYPY],
  ['types', '{python}pyright', python('pyright', 'pyrightconfig.json')],
  ['test', '{python}pytest -q', python('pytest', 'pytest.ini', 'conftest.py')],
  ['lint', 'bundle exec rubocop', text('Gemfile', /^[ \t]*gem[ \t(]+["']rubocop["'-]/m)],
  ['lint', 'bundle exec standardrb', text('Gemfile', /^[ \t]*gem[ \t(]+["']standard["']/m)],
  ['test', 'bundle exec rspec', text('Gemfile', /^[ \t]*gem[ \t(]+["']rspec["'-]/m)],
  ['lint', 'mix credo', text('mix.exs', /\{:credo\b/)],
  ['test', 'mix test', ({ texts }) => texts.has('mix.exs')],
  ['test', './gradlew test', all(GRADLE, file('gradlew'))],
  ['test', 'gradle test', GRADLE],
  ['test', './mvnw -q test', all(MAVEN, file('mvnw'))],
  ['test', 'mvn -q test', MAVEN],
];

/** The command that runs Python tools inside the project's environment, per lockfile. */
const PYTHON_RUNNERS = [
  ['uv.lock', 'uv run '],
  ['poetry.lock', 'poetry run '],
  ['pdm.lock', 'pdm run '],
  ['Pipfile.lock', 'pipenv run '],
] as const;

function toolChecks(root: RootFiles): readonly CheckCandidate[] {
  const runner = PYTHON_RUNNERS.find(([lockfile]) => root.names.has(lockfile))?.[1] ?? '';
  return TOOLS.filter(([, , usedIf]) => usedIf(root)).map(([name, run]) => ({
    name,
    run: run.replace('{python}', runner),
    unfit: null,
  }));
}

/** Returns a section of a TOML or INI file with its subsections; '' if there is none. */
function sectionOf(content: string, heading: string): string {
  const start = new RegExp(`^\\[\\[?[ \\t]*${heading.replaceAll('.', '\\.')}[ \\t]*[.\\]]`);
  return content
    .split(/^(?=\[)/m)
    .filter((part) => start.test(part))
    .join('');
}

/** Whether a list of requirements names the tool itself, and not only a longer name that starts the same. */
function requires(content: string, tool: string): boolean {
  const named = new RegExp(`(?:^[ \\t]*|["'])${tool}[ \\t]*(?:["'=<>~!;[@,]|$)`, 'm');
  return named.test(content.replace(/#.*$/gm, ''));
}

/** The files at the root whose text can show a command. */
export const CHECK_SOURCES: ReadonlySet<string> = new Set([
  ...['package.json', 'pnpm-workspace.yaml', '.yarnrc.yml', 'composer.json', 'GNUmakefile', 'makefile', 'Makefile'],
  ...['go.mod', 'Cargo.toml', 'mypy.ini', 'Gemfile', 'mix.exs', ...PYTHON_FILES],
]);

const NAMES: readonly CheckName[] = ['lint', 'types', 'test', 'check'];

/** Returns at most one command per check. Scripts that people wrote come before the defaults of tools. */
export function checkCommands(root: RootFiles): {
  readonly checks: readonly CheckCommand[];
  readonly passedOver: readonly SkippedCommand[];
} {
  const candidates = [packageScripts, composerScripts, makeTargets, workspaceScripts, toolChecks].flatMap((find) =>
    find(root),
  );
  const chosen = NAMES.flatMap((name) => {
    const own = candidates.filter((candidate) => candidate.name === name);
    return [own.find(({ unfit }) => unfit === null) ?? own[0]].filter((candidate) => candidate !== undefined);
  });
  // Beside lint, types and test, a script named "check" most likely runs those three again.
  const wanted = chosen.filter(({ name }) => name !== 'check' || chosen.length < NAMES.length);
  return {
    checks: wanted.flatMap(({ name, run, unfit }) =>
      unfit === null ? [{ name, run, timeoutSeconds: COMPILES_FIRST.test(run) ? 1800 : TIMEOUTS[name] }] : [],
    ),
    passedOver: wanted.flatMap(({ name, run, unfit }) =>
      unfit === null || name === 'check' ? [] : [{ run, why: unfit }],
    ),
  };
}

const TIMEOUTS: Readonly<Record<CheckName, number>> = { lint: 300, types: 300, test: 900, check: 900 };

const COMPILES_FIRST = /^(?:cargo|(?:\.\/)?gradlew?|mvn|\.\/mvnw) /;

/** Returns the programs that the commands start with, each once. */
export function programsOf(checks: readonly CheckCommand[]): readonly string[] {
  return [...new Set(checks.map(({ run }) => run.split(' ').find((word) => !/^\w+=/.test(word)) ?? ''))];
}
