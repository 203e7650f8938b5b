/** A language that reviews can be fitted to, with the globs of its sources and of its tests. */
type Language = {
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

/** What a starter set of rules is fitted to. */
export type ProjectShape = {
  /** The languages found, the most files first. */
  readonly languages: readonly Language[];
  readonly hasDocs: boolean;
  readonly hasBuild: boolean;
};

const BUILD =
  /(^|\/)(Dockerfile[^/]*|docker-compose[^/]*|Makefile|Jenkinsfile|\.gitlab-ci\.yml)$|^\.github\/workflows\/|\.tf$/;

/** Looks at file names only. */
export function projectShape(paths: readonly string[]): ProjectShape {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
    counts.set(extension, (counts.get(extension) ?? 0) + 1);
  }
  const weigh = (language: Language) => language.extensions.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
  return {
    languages: LANGUAGES.filter((language) => weigh(language) > 0).sort((a, b) => weigh(b) - weigh(a)),
    hasDocs: (counts.get('md') ?? 0) + (counts.get('mdx') ?? 0) + (counts.get('rst') ?? 0) > 0,
    hasBuild: paths.some((path) => BUILD.test(path)),
  };
}
