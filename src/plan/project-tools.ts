import type { RootFiles } from '../domain/set-up.ts';
import type { CheckCandidate } from './project-scripts.ts';

type Tool = Pick<CheckCandidate, 'name' | 'run'>;

/** What the tools of a language offer as checks: only those that the project's files name. */
export function projectTools(root: RootFiles): readonly CheckCandidate[] {
  return [go, rust, python, ruby, elixir, gradle, maven]
    .flatMap((language) => language(root))
    .map((tool) => ({ ...tool, unfit: null }));
}

function go({ names, texts }: RootFiles): readonly Tool[] {
  if (!/^module[ \t]/m.test(texts.get('go.mod') ?? '')) return [];
  const linted = ['yml', 'yaml', 'toml', 'json'].some((type) => names.has(`.golangci.${type}`));
  return [
    { name: 'lint', run: linted ? 'golangci-lint run' : 'go vet ./...' },
    { name: 'test', run: 'go test ./...' },
  ];
}

function rust({ names, texts }: RootFiles): readonly Tool[] {
  const manifest = texts.get('Cargo.toml') ?? '';
  const whole = hasSection(manifest, 'workspace') ? ' --workspace' : '';
  if (whole === '' && !hasSection(manifest, 'package')) return [];
  const linted = /^\[(?:workspace\.)?lints\.clippy\]/m.test(manifest) || hasAny(names, 'clippy.toml', '.clippy.toml');
  return [
    ...(linted ? [{ name: 'lint', run: `cargo clippy${whole} --all-targets` } as const] : []),
    { name: 'test', run: `cargo test${whole}` },
  ];
}

function python({ names, texts }: RootFiles): readonly Tool[] {
  const pyproject = texts.get('pyproject.toml') ?? '';
  const ini = ['setup.cfg', 'tox.ini'].map((file) => texts.get(file) ?? '');
  const listed = [pyproject, ...ini, ...REQUIREMENTS.map((file) => texts.get(file) ?? '')];
  const uses = (tool: string, ...files: readonly string[]) =>
    hasAny(names, ...files) ||
    hasSection(pyproject, `tool.${tool}`) ||
    ini.some((text) => hasSection(text, tool) || hasSection(text, `tool:${tool}`)) ||
    listed.some((text) => requires(text, tool));
  const mypyKnowsWhere = /^(?:files|packages|modules)[ \t]*=/m.test(
    [sectionOf(pyproject, 'tool.mypy'), ...ini.map((text) => sectionOf(text, 'mypy')), texts.get('mypy.ini')].join(
      '\n',
    ),
  );
  const inside = PYTHON_RUNNERS.find(([lock]) => names.has(lock))?.[1] ?? '';
  const tools: Tool[] = [];
  if (uses('ruff', 'ruff.toml', '.ruff.toml')) tools.push({ name: 'lint', run: 'ruff check .' });
  else if (uses('flake8', '.flake8')) tools.push({ name: 'lint', run: 'flake8' });
  if (uses('mypy', 'mypy.ini')) tools.push({ name: 'types', run: mypyKnowsWhere ? 'mypy' : 'mypy .' });
  else if (uses('pyright', 'pyrightconfig.json')) tools.push({ name: 'types', run: 'pyright' });
  if (uses('pytest', 'pytest.ini', 'conftest.py')) tools.push({ name: 'test', run: 'pytest -q' });
  return tools.map((tool) => ({ ...tool, run: `${inside}${tool.run}` }));
}

const REQUIREMENTS = ['requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt', 'requirements-test.txt'];

const PYTHON_RUNNERS = [
  ['uv.lock', 'uv run '],
  ['poetry.lock', 'poetry run '],
  ['pdm.lock', 'pdm run '],
  ['Pipfile.lock', 'pipenv run '],
] as const;

function ruby({ texts }: RootFiles): readonly Tool[] {
  const gems = texts.get('Gemfile') ?? '';
  const tools: Tool[] = [];
  if (/^[ \t]*gem[ \t(]+["']rubocop["'-]/m.test(gems)) tools.push({ name: 'lint', run: 'bundle exec rubocop' });
  else if (/^[ \t]*gem[ \t(]+["']standard["']/m.test(gems)) tools.push({ name: 'lint', run: 'bundle exec standardrb' });
  if (/^[ \t]*gem[ \t(]+["']rspec["'-]/m.test(gems)) tools.push({ name: 'test', run: 'bundle exec rspec' });
  return tools;
}

function elixir({ texts }: RootFiles): readonly Tool[] {
  const project = texts.get('mix.exs');
  if (project === undefined) return [];
  return [
    ...(/\{:credo\b/.test(project) ? [{ name: 'lint', run: 'mix credo' } as const] : []),
    { name: 'test', run: 'mix test' },
  ];
}

function gradle({ names }: RootFiles): readonly Tool[] {
  if (!hasAny(names, 'build.gradle', 'build.gradle.kts')) return [];
  return [{ name: 'test', run: `${names.has('gradlew') ? './gradlew' : 'gradle'} test` }];
}

function maven({ names }: RootFiles): readonly Tool[] {
  if (!names.has('pom.xml')) return [];
  return [{ name: 'test', run: `${names.has('mvnw') ? './mvnw' : 'mvn'} -q test` }];
}

function hasAny(names: ReadonlySet<string>, ...some: readonly string[]): boolean {
  return some.some((name) => names.has(name));
}

/** Whether a TOML or INI text has the section or one below it. */
function hasSection(text: string, section: string): boolean {
  return headings(text).some(({ name }) => name === section || name.startsWith(`${section}.`));
}

function sectionOf(text: string, section: string): string {
  const all = headings(text);
  const i = all.findIndex(({ name }) => name === section);
  return i === -1 ? '' : text.slice(all[i]?.at, all[i + 1]?.at);
}

function headings(text: string): readonly { readonly name: string; readonly at: number }[] {
  return [...text.matchAll(/^\[\[?([^[\]\n]+)\]/gm)].map((found) => ({
    name: found[1]?.trim() ?? '',
    at: found.index,
  }));
}

/** Whether a list of requirements has the tool itself, not one whose name only begins so. */
function requires(text: string, tool: string): boolean {
  const named = new RegExp(`(?:^[ \\t]*|["'])${tool}[ \\t]*(?:["'=<>~!;[@,]|$)`, 'm');
  return named.test(text.replace(/#.*$/gm, ''));
}
