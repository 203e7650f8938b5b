import { CHECK_NAMES, type CheckCommand, type CheckName, type SkippedCommand } from '../types.ts';
import { type CheckCandidate, type RootFiles, SCRIPT_FILES, scriptChecks } from './scripts.ts';

/**
 * A check for projects that have a file at the root whose name matches `file` and whose content, if given, matches
 * `text`.
 */
type ToolCheck = readonly [check: CheckName, run: string, file: RegExp, text?: RegExp];

const PYTHON_FILES = /^(?:pyproject\.toml|setup\.cfg|tox\.ini|dev-requirements\.txt|requirements(?:-dev|-test)?\.txt)$/;

/**
 * Returns two rows of `TOOLS` for a Python tool: one finds the tool by its own settings file, the other by its name in
 * a project file.
 */
function python(check: CheckName, run: string, file: RegExp): readonly ToolCheck[] {
  const tool = run.split(' ')[0];
  const section = `\\[\\[?[ \\t]*(?:tool[.:])?${tool}[ \\t]*[.\\]]`;
  // The name of the tool must end here, so that "pytest-cov" does not count as "pytest".
  const requirement = `(?:[^#\\n]*["']|[ \\t]*)${tool}[ \\t]*(?:["'=<>~!;[@,]|$)`;
  const text = new RegExp(`^(?:${section}|${requirement})`, 'm');
  return [
    [check, `{python}${run}`, file],
    [check, `{python}${run}`, PYTHON_FILES, text],
  ];
}

const CARGO = /^Cargo\.toml$/;
const GO = /^go\.mod$/;
const GEMFILE = /^Gemfile$/;
const MYPY_WITH_FILES = /^\[(?:tool\.)?mypy\](?:\r?\n(?!\[).*)*?\n(?:files|packages|modules)[ \t]*=/m;

/** The usual commands of common tools. If a project matches several rows of one check, the first row counts. */
const TOOLS: readonly ToolCheck[] = [
  ['lint', 'golangci-lint run', /^\.golangci\.(?:ya?ml|toml|json)$/],
  ['lint', 'go vet ./...', GO, /^module[ \t]/m],
  ['test', 'go test ./...', GO, /^module[ \t]/m],
  ['lint', 'cargo clippy --workspace --all-targets', CARGO, /^\[(?:workspace\.)?lints\.clippy\]/m],
  ['lint', 'cargo clippy --workspace --all-targets', /^\.?clippy\.toml$/],
  ['test', 'cargo test --workspace', CARGO, /^\[[ \t]*(?:package|workspace)[ \t]*[.\]]/m],
  ...python('lint', 'ruff check .', /^\.?ruff\.toml$/),
  ...python('lint', 'flake8', /^\.flake8$/),
  ['types', '{python}mypy', /^(?:pyproject\.toml|setup\.cfg|tox\.ini|mypy\.ini)$/, MYPY_WITH_FILES],
  ...python('types', 'mypy .', /^mypy\.ini$/),
  ...python('types', 'pyright', /^pyrightconfig\.json$/),
  ...python('test', 'pytest -q', /^(?:pytest\.ini|conftest\.py)$/),
  ['lint', 'bundle exec rubocop', GEMFILE, /^[ \t]*gem[ \t(]+["']rubocop["'-]/m],
  ['lint', 'bundle exec standardrb', GEMFILE, /^[ \t]*gem[ \t(]+["']standard["']/m],
  ['test', 'bundle exec rspec', GEMFILE, /^[ \t]*gem[ \t(]+["']rspec["'-]/m],
  ['lint', 'mix credo', /^mix\.exs$/, /\{:credo\b/],
  ['test', 'mix test', /^mix\.exs$/],
  ['test', './gradlew test', /^gradlew$/],
  ['test', 'gradle test', /^build\.gradle(?:\.kts)?$/],
  ['test', './mvnw -q test', /^mvnw$/],
  ['test', 'mvn -q test', /^pom\.xml$/],
];

/** For each lockfile, the command prefix that runs a Python tool in the project's environment. */
const PYTHON_RUNNERS = [
  ['uv.lock', 'uv run '],
  ['poetry.lock', 'poetry run '],
  ['pdm.lock', 'pdm run '],
  ['Pipfile.lock', 'pipenv run '],
] as const;

function toolChecks({ names, texts }: RootFiles): readonly CheckCandidate[] {
  const runner = PYTHON_RUNNERS.find(([lockfile]) => names.has(lockfile))?.[1] ?? '';
  const uses = ([, , file, text]: ToolCheck) =>
    [...names].some((name) => file.test(name) && (text === undefined || text.test(texts.get(name) ?? '')));
  return TOOLS.filter(uses).map(([name, run]) => ({ name, run: run.replace('{python}', runner), unfit: null }));
}

/** Whether `init` has to read this file at the root to find the project's commands. */
export function isCheckSource(name: string): boolean {
  return SCRIPT_FILES.includes(name) || TOOLS.some(([, , file, text]) => text !== undefined && file.test(name));
}

/** Returns at most one command for each check. A script of the project is preferred to a tool's default command. */
export function checkCommands(root: RootFiles) {
  const candidates = [...scriptChecks(root), ...toolChecks(root)];
  const firstChoices = CHECK_NAMES.flatMap((name) => {
    const alternatives = candidates.filter((candidate) => candidate.name === name);
    return [alternatives.find(({ unfit }) => unfit === null) ?? alternatives[0]].filter(
      (candidate) => candidate !== undefined,
    );
  });
  // If there are checks for lint, types and test, a script named "check" probably runs those three again, so leave it
  // out.
  const commands = firstChoices.filter(({ name }) => name !== 'check' || firstChoices.length < CHECK_NAMES.length);
  return {
    checks: commands.flatMap(({ name, run, unfit }): CheckCommand[] =>
      unfit === null ? [{ name, run, timeoutSeconds: COMPILES_FIRST.test(run) ? 1800 : TIMEOUTS[name] }] : [],
    ),
    passedOver: commands.flatMap(({ name, run, unfit }): SkippedCommand[] =>
      unfit === null || name === 'check' ? [] : [{ run, why: unfit }],
    ),
  };
}

const TIMEOUTS: Readonly<Record<CheckName, number>> = { lint: 300, types: 300, test: 900, check: 900 };

const COMPILES_FIRST = /^(?:cargo|(?:\.\/)?gradlew?|mvn|\.\/mvnw) /;
