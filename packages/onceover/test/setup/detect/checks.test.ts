import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkCommands, isCheckSource } from '../../../src/setup/detect/checks.ts';
import { packagePaths } from '../../../src/setup/detect/scripts.ts';

type Files = Readonly<Record<string, string>>;

function plan(files: Files) {
  const names = Object.keys(files).filter((path) => !path.includes('/'));
  return checkCommands({ names: new Set(names), texts: new Map(Object.entries(files)) });
}

function commands(files: Files): Readonly<Record<string, string>> {
  return Object.fromEntries(plan(files).checks.map(({ name, run }) => [name, run]));
}

const scripts = (scriptTexts: Readonly<Record<string, unknown>>, otherKeys: object = {}) => ({
  'package.json': JSON.stringify({ scripts: scriptTexts, ...otherKeys }),
});

describe('scripts of package.json', () => {
  const usual = scripts({ lint: 'eslint .', typecheck: 'tsc --noEmit', test: 'jest', build: 'tsc' });

  test.each<[string, Files, string[]]>([
    ['npm', usual, ['npm run lint', 'npm run typecheck', 'npm run test']],
    ['pnpm', { ...usual, 'pnpm-lock.yaml': '' }, ['pnpm run lint', 'pnpm run typecheck', 'pnpm run test']],
    ['yarn', { ...usual, 'yarn.lock': '' }, ['yarn run lint', 'yarn run typecheck', 'yarn run test']],
    ['bun', { ...usual, 'bun.lock': '' }, ['bun run lint', 'bun run typecheck', 'bun run test']],
    ['bun, old', { ...usual, 'bun.lockb': '' }, ['bun run lint', 'bun run typecheck', 'bun run test']],
  ])('are run by %s according to the lockfile', (_, files, runs) => {
    expect(Object.values(commands(files))).toEqual(runs);
  });

  test.each([
    ['pnpm@9.1.0', 'pnpm run test'],
    ['yarn@4.0.0+sha224.0', 'yarn run test'],
    ['npm@10.0.0', 'npm run test'],
    ['rm -rf /', 'yarn run test'],
    [7, 'yarn run test'],
  ])('prefer packageManager %j to the lockfile', (packageManager, run) => {
    expect(commands({ ...scripts({ test: 'jest' }, { packageManager }), 'yarn.lock': '' })).toEqual({ test: run });
  });

  test.each<[string, Files, Files]>([
    ['types by another name', { 'check-types': 'tsc' }, { types: 'npm run check-types' }],
    ['the placeholder of npm init', { test: 'echo "Error: no test specified" && exit 1' }, {}],
    ['a test that watches at a terminal', { test: 'vitest' }, { test: 'CI=true npm run test' }],
    ['a second test that ends', { test: 'vitest', 'test:run': 'vitest run' }, { test: 'npm run test:run' }],
    [
      'a test that watches, and one that ends',
      { test: 'jest --watch', 'test:ci': 'jest' },
      { test: 'npm run test:ci' },
    ],
    [
      'a lint that fixes files, and one that only reads them',
      { lint: 'eslint --fix .', 'lint:check': 'eslint .' },
      { lint: 'npm run lint:check' },
    ],
    ['a check', { check: 'tsc --noEmit && eslint .', test: 'jest' }, { test: 'npm run test', check: 'npm run check' }],
    [
      'a check that runs the others',
      { check: 'npm run lint && npm test', lint: 'eslint', test: 'jest' },
      { lint: 'npm run lint', test: 'npm run test' },
    ],
    [
      'a check beside all others',
      { lint: 'a', types: 'b', test: 'c', check: 'd' },
      { lint: 'npm run lint', types: 'npm run types', test: 'npm run test' },
    ],
    ['names from Object', { constructor: 'x', toString: 'y' }, {}],
  ])('%s', (_, scriptTexts, checks) => {
    expect(commands(scripts(scriptTexts))).toEqual(checks);
  });

  test('do not run "yarn check", which is a built-in command', () => {
    expect(commands({ ...scripts({ check: 'tsc' }), 'yarn.lock': '' })).toEqual({ check: 'yarn run check' });
  });

  test('report the commands that cannot be checks', () => {
    const { checks, passedOver } = plan(scripts({ lint: 'eslint --fix .', test: 'jest --watch', check: 'tsc -w' }));
    expect(checks).toEqual([]);
    expect(passedOver).toEqual([
      { run: 'npm run lint', why: 'changes-files' },
      { run: 'npm run test', why: 'watches' },
    ]);
  });

  test('do not report a command that another file replaces', () => {
    const { checks, passedOver } = plan({ ...scripts({ lint: 'eslint --fix .' }), Makefile: 'lint:\n\teslint .\n' });
    expect([checks.map(({ run }) => run), passedOver]).toEqual([['make lint'], []]);
  });

  test.each([
    '',
    '{',
    'null',
    '[]',
    '7',
    '{"scripts": []}',
    '{"scripts": {"test": 7, "lint": ["x", 1], "types": null}}',
  ])('are empty in a broken file: %s', (text) => {
    expect(plan({ 'package.json': text })).toEqual({ checks: [], passedOver: [] });
  });
});

describe('targets of a Makefile', () => {
  test.each<[string, string, Files]>([
    ['both', 'test: build\n\tgo test ./...\nlint:\n\t@golint\n', { lint: 'make lint', test: 'make test' }],
    ['two targets in one rule', 'lint test:\n\t./run $@\n', { lint: 'make lint', test: 'make test' }],
    ['double colon, carriage returns', 'test::\r\n\t./run\r\n', { test: 'make test' }],
    ['check alone', 'check:\n\t./run\n', { check: 'make check' }],
    [
      'check that runs the others',
      'check: lint test\nlint:\n\t./l\ntest:\n\t./t\n',
      { lint: 'make lint', test: 'make test' },
    ],
    ['check that runs scripts of another file', 'check:\n\tnpm run lint && npm test\n', {}],
    ['a prerequisite that changes files', 'lint: fix\nfix:\n\teslint --fix .\n', {}],
    ['an empty target', 'test:\n', {}],
    ['a test that watches at a terminal', 'test:\n\t@npx vitest\n', { test: 'CI=true make test' }],
    ['no target: a variable', 'test := x\nlint = y\ncheck ?= z\ntypes ::= w\n', {}],
    ['no target: .PHONY, a comment, a recipe', '.PHONY: lint test\n# test: x\nbuild:\n\ttest: x\n', {}],
    ['no target: another name', 'test-all:\n\t./run\nlinting:\n\t./run\n', {}],
  ])('%s', (_, makefile, checks) => {
    expect(commands({ Makefile: makefile })).toEqual(checks);
  });

  test('come from the file that GNU make reads first', () => {
    expect(commands({ Makefile: 'lint:\n\tx\n', makefile: 'test:\n\tx\n' })).toEqual({ test: 'make test' });
  });
});

describe('tools that the files name', () => {
  test.each<[string, Files, Files]>([
    ['Go', { 'go.mod': 'module x\n' }, { lint: 'go vet ./...', test: 'go test ./...' }],
    [
      'Go with golangci',
      { 'go.mod': 'module x\n', '.golangci.yml': '' },
      { lint: 'golangci-lint run', test: 'go test ./...' },
    ],
    ['no Go module', { 'go.mod': '// nothing\n' }, {}],
    ['Rust', { 'Cargo.toml': '[package]\nname = "x"\n' }, { test: 'cargo test --workspace' }],
    [
      'Rust with clippy',
      { 'Cargo.toml': '[package]\n[lints.clippy]\nall = "deny"\n' },
      { lint: 'cargo clippy --workspace --all-targets', test: 'cargo test --workspace' },
    ],
    [
      'a Rust workspace',
      { 'Cargo.toml': '[workspace]\n', 'clippy.toml': '' },
      { lint: 'cargo clippy --workspace --all-targets', test: 'cargo test --workspace' },
    ],
    [
      'Python, sections',
      { 'pyproject.toml': '[tool.ruff.lint]\n[tool.mypy]\n[tool.pytest.ini_options]\n' },
      { lint: 'ruff check .', types: 'mypy .', test: 'pytest -q' },
    ],
    [
      'Python, groups, uv',
      { 'pyproject.toml': '[dependency-groups]\ndev = ["ruff>=0.5", \'pytest\']\n', 'uv.lock': '' },
      { lint: 'uv run ruff check .', test: 'uv run pytest -q' },
    ],
    [
      'Python, Poetry',
      { 'pyproject.toml': '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n', 'poetry.lock': '' },
      { test: 'poetry run pytest -q' },
    ],
    [
      'Python, setup.cfg',
      { 'setup.cfg': '[flake8]\n[mypy]\nfiles = src\n[tool:pytest]\n' },
      { lint: 'flake8', types: 'mypy', test: 'pytest -q' },
    ],
    ['Python, tox.ini', { 'tox.ini': '[testenv]\ndeps =\n    pytest\n' }, { test: 'pytest -q' }],
    [
      'Python, requirements',
      { 'requirements-dev.txt': 'pytest==8.0\nruff\n' },
      { lint: 'ruff check .', test: 'pytest -q' },
    ],
    [
      'Python, files of the tools',
      { 'ruff.toml': '', 'pyrightconfig.json': '', 'pytest.ini': '' },
      { lint: 'ruff check .', types: 'pyright', test: 'pytest -q' },
    ],
    [
      'Python, where mypy looks',
      { 'pyproject.toml': '[tool.mypy]\nstrict = true\nfiles = ["src"]\n[tool.x]\n' },
      { types: 'mypy' },
    ],
    [
      'Python, where another tool looks',
      { 'pyproject.toml': '[tool.mypy]\n[tool.x]\nfiles = ["src"]\n' },
      { types: 'mypy .' },
    ],
    [
      'Python, only names that begin so',
      {
        'pyproject.toml':
          'dependencies = ["pytest-cov", "ruff-lsp", "mypy_extensions"]\ndescription = "a mypy for cats"\n# dev = ["pytest"]\n',
      },
      {},
    ],
    [
      'Ruby',
      { Gemfile: 'gem "rubocop-rails", require: false\n  gem \'rspec-rails\'\n' },
      { lint: 'bundle exec rubocop', test: 'bundle exec rspec' },
    ],
    ['Ruby, standard', { Gemfile: 'gem "standard"\n# gem "rspec"\n' }, { lint: 'bundle exec standardrb' }],
    ['Elixir', { 'mix.exs': '{:credo, "~> 1.7"}' }, { lint: 'mix credo', test: 'mix test' }],
    ['Gradle', { 'build.gradle.kts': '', gradlew: '' }, { test: './gradlew test' }],
    ['Gradle without its wrapper', { 'build.gradle': '' }, { test: 'gradle test' }],
    ['Maven', { 'pom.xml': '' }, { test: 'mvn -q test' }],
    ['Maven with its wrapper', { 'pom.xml': '', mvnw: '' }, { test: './mvnw -q test' }],
    [
      'Composer',
      { 'composer.json': '{"scripts": {"test": ["@lint", "phpunit"], "lint": "phpcs", "phpstan": "phpstan"}}' },
      { lint: 'composer run-script lint', types: 'composer run-script phpstan', test: 'composer run-script test' },
    ],
    ['nothing', { 'README.md': '' }, {}],
  ])('%s', (_, files, checks) => {
    expect(commands(files)).toEqual(checks);
  });

  test('come after package scripts and targets, in that order', () => {
    const files = { ...scripts({ lint: 'eslint .' }), Makefile: 'lint:\n\tx\ntest:\n\tx\n', 'go.mod': 'module x\n' };
    expect(commands(files)).toEqual({ lint: 'npm run lint', test: 'make test' });
  });

  test('get more time if they compile first', () => {
    const seconds = (files: Files) => plan(files).checks.map(({ timeoutSeconds }) => timeoutSeconds);
    expect(seconds({ 'go.mod': 'module x\n' })).toEqual([300, 900]);
    expect(seconds({ 'Cargo.toml': '[package]\n' })).toEqual([1800]);
    expect(seconds({ 'pom.xml': '' })).toEqual([1800]);
  });
});

test('returns each check at most once for any files', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '[tool.ruff]',
      'test:',
      'lint: test',
      '\tvitest',
      'module x',
      'gem "rspec"',
      '[package]',
      '"pytest"',
    ),
  );
  const text = fc.oneof(
    fc.json(),
    fc.array(line).map((lines) => lines.join('\n')),
  );
  const sources = [
    ...['package.json', 'pnpm-workspace.yaml', 'composer.json', 'Makefile', 'makefile', 'go.mod', 'Cargo.toml'],
    ...['mypy.ini', 'Gemfile', 'mix.exs', 'pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements-dev.txt'],
  ];
  expect(sources.filter((name) => !isCheckSource(name))).toEqual([]);
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...sources, 'pom.xml', 'uv.lock'), text), (files) => {
      const names = plan(files).checks.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !['lint', 'types', 'test', 'check'].includes(name))).toEqual([]);
    }),
  );
});

// A pattern that backtracks would take minutes, and the timeout of the test would end it.
test('reads large and hostile files in time', () => {
  const size = 256 * 1024;
  const fill = (part: string) => part.repeat(size / part.length);
  const files: Files = {
    'package.json': JSON.stringify({ scripts: { test: fill('npm run test vitest ') } }),
    Makefile: `${fill('test ').slice(0, size / 2)}:\n${fill('\tx\n').slice(0, size / 2)}`,
    'pyproject.toml': fill('[tool.'),
    'setup.cfg': fill(' '),
    'requirements.txt': fill('"pytest '),
    Gemfile: fill('gem '),
  };
  expect(plan(files).checks.map(({ run }) => run)).toEqual(['npm run test']);
});

describe('the packages of a workspace', () => {
  const npm = '{"workspaces": ["packages/*", "apps/web/"]}';
  const pack = (scriptTexts: Readonly<Record<string, string>>) => JSON.stringify({ scripts: scriptTexts });

  test.each<[string, Files, Readonly<Record<string, string>>]>([
    [
      'npm: a script runs in each package that has it',
      {
        'package.json': npm,
        'packages/a/package.json': pack({ test: 'jest', lint: 'eslint .' }),
        'apps/web/package.json': pack({ test: 'node --test' }),
      },
      {
        lint: 'npm run lint --workspaces --if-present',
        test: 'npm run test --workspaces --if-present',
      },
    ],
    [
      'pnpm: the packages are listed in pnpm-workspace.yaml',
      {
        'package.json': '{"packageManager": "pnpm@9.0.0"}',
        'pnpm-workspace.yaml':
          "# where\npackages:\n  # libraries\n  - 'libs/**'\n  - apps/* # programs\ncatalog:\n  - x\n",
        'libs/deep/a/package.json': pack({ typecheck: 'tsc' }),
        'apps/b/package.json': pack({ test: 'vitest' }),
      },
      { types: 'pnpm -r --if-present run typecheck', test: 'CI=true pnpm -r --if-present run test' },
    ],
    [
      'yarn 4: packages without the script are skipped',
      {
        'package.json': '{"workspaces": ["packages/*"], "packageManager": "yarn@4.9.1+sha224.0"}',
        'packages/a/package.json': pack({ test: 'jest' }),
        'packages/b/package.json': pack({ lint: 'eslint .' }),
      },
      { lint: 'yarn workspaces foreach --all run lint', test: 'yarn workspaces foreach --all run test' },
    ],
    [
      'the first usual name that a package has',
      {
        'package.json': '{"workspaces": {"packages": ["./packages/*"]}}',
        'packages/a/package.json': pack({ types: 'tsc' }),
        'packages/b/package.json': pack({ 'type-check': 'tsc' }),
        'packages/c/package.json': pack({ 'type-check': 'tsc' }),
      },
      { types: 'npm run type-check --workspaces --if-present' },
    ],
    [
      'a script of the root comes first',
      {
        'package.json': '{"workspaces": ["a"], "scripts": {"test": "turbo test"}}',
        'a/package.json': pack({ test: 'x' }),
      },
      { test: 'npm run test' },
    ],
    ['a package that is not in it', { 'package.json': npm, 'examples/a/package.json': pack({ test: 'x' }) }, {}],
    ['no workspace', { 'package.json': '{}', 'packages/a/package.json': pack({ test: 'x' }) }, {}],
    [
      'the placeholder of npm init',
      { 'package.json': npm, 'packages/a/package.json': pack({ test: 'echo "Error" && exit 1' }) },
      {},
    ],
  ])('%s', (_, files, checks) => {
    expect(commands(files)).toEqual(checks);
  });

  test.each<[string, Files]>([
    ['yarn', { 'package.json': npm, 'yarn.lock': '' }],
    ['yarn 3', { 'package.json': '{"workspaces": ["packages/*"], "packageManager": "yarn@3.8.7"}' }],
    ['bun', { 'package.json': npm, 'bun.lock': '' }],
    ['bun, old', { 'package.json': npm, 'bun.lockb': '' }],
  ])('are left to the user for %s, which has no command that fits every version', (_, files) => {
    const two = { 'packages/a/package.json': pack({ test: 'x' }), 'packages/b/package.json': pack({ test: 'x' }) };
    expect(plan({ ...files, ...two })).toEqual({ checks: [], passedOver: [] });
  });

  test('report a script that watches', () => {
    const files = { 'package.json': npm, 'packages/a/package.json': pack({ test: 'jest --watch' }) };
    expect(plan(files)).toEqual({
      checks: [],
      passedOver: [{ run: 'npm run test --workspaces --if-present', why: 'watches' }],
    });
  });
});

describe('finds the packages of a workspace:', () => {
  const at = (...folders: string[]) => folders.map((folder) => [`${folder}/package.json`, '{}'] as const);
  test.each<[string, readonly (readonly [string, string])[], readonly string[]]>([
    ['none', at('a', 'b'), []],
    [
      'npm',
      [
        ['package.json', '{"workspaces": ["./packages/*", "apps/web/"]}'],
        ...at('packages/a', 'packages/b', 'apps/web'),
      ],
      ['packages/*', 'apps/web'],
    ],
    ['pnpm', [['pnpm-workspace.yaml', 'packages: ["libs/*"]'], ...at('libs/a', 'libs/b')], ['libs/*']],
    ['one package only', [['package.json', '{"workspaces": ["packages/*"]}'], ...at('packages/a')], []],
    [
      'globs that match no package, or cannot be the path of a gate',
      [
        ['package.json', '{"workspaces": ["packages/**", "!x", "gone/*", "libs/*"]}'],
        ...at('libs/a', 'libs/b', 'packages/c/d'),
      ],
      ['libs/*'],
    ],
  ])('%s', (_title, texts, paths) => {
    expect(packagePaths({ names: new Set(), texts: new Map(texts) })).toEqual(paths);
  });
});
