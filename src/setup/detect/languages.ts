/** A language with the extensions of its sources and the globs of its tests. */
export type Language = {
  readonly name: string;
  readonly extensions: readonly string[];
  readonly tests: readonly string[];
};

const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript and JavaScript',
    extensions: ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte'],
    tests: ['**/*.{test,spec}.*', '**/__tests__/**'],
  },
  { name: 'Python', extensions: ['py', 'pyi'], tests: ['**/test_*.py', '**/*_test.py', '**/conftest.py'] },
  { name: 'Go', extensions: ['go'], tests: ['**/*_test.go'] },
  { name: 'Rust', extensions: ['rs'], tests: ['**/tests/**/*.rs'] },
  { name: 'Java and Kotlin', extensions: ['java', 'kt', 'kts'], tests: ['**/src/test/**'] },
  { name: 'C and C++', extensions: ['c', 'h', 'cc', 'cpp', 'cxx', 'hpp'], tests: ['**/*_test.{c,cc,cpp}'] },
  { name: 'C#', extensions: ['cs'], tests: ['**/*Tests.cs'] },
  { name: 'Ruby', extensions: ['rb'], tests: ['**/*_spec.rb', '**/*_test.rb'] },
  { name: 'PHP', extensions: ['php'], tests: ['**/*Test.php'] },
  { name: 'Swift', extensions: ['swift'], tests: ['**/*Tests.swift'] },
  { name: 'Shell', extensions: ['sh', 'bash'], tests: ['**/*.bats'] },
  { name: 'SQL', extensions: ['sql'], tests: [] },
];

/** The facts about a repository that the starter rules depend on. */
export type ProjectShape = {
  /** The language with the most files comes first. */
  readonly languages: readonly Language[];
  readonly hasDocs: boolean;
  readonly hasBuild: boolean;
};

const BUILD =
  /(^|\/)(Dockerfile[^/]*|docker-compose[^/]*|Makefile|Jenkinsfile|\.gitlab-ci\.yml)$|^\.github\/workflows\/|\.tf$/;

/** Returns the shape of a project by its file names. */
export function projectShape(paths: readonly string[]): ProjectShape {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
    counts.set(extension, (counts.get(extension) ?? 0) + 1);
  }
  const filesOf = (language: Language) => language.extensions.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
  return {
    languages: LANGUAGES.filter((language) => filesOf(language) > 0).sort((a, b) => filesOf(b) - filesOf(a)),
    hasDocs: (counts.get('md') ?? 0) + (counts.get('mdx') ?? 0) + (counts.get('rst') ?? 0) > 0,
    hasBuild: paths.some((path) => BUILD.test(path)),
  };
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
