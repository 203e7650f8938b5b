import { fencedBlock } from '@onceover/base/kernel/escape';
import rules from './starter-rules.md';

/** A language, with the extensions of its source files and the globs of its test files. */
type Language = { readonly name: string; readonly extensions: string; readonly tests: readonly string[] };

const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript and JavaScript',
    extensions: 'ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte',
    tests: ['**/*.{test,spec}.*', '**/__tests__/**'],
  },
  { name: 'Python', extensions: 'py,pyi', tests: ['**/test_*.py', '**/*_test.py', '**/conftest.py'] },
  { name: 'Go', extensions: 'go', tests: ['**/*_test.go'] },
  { name: 'Rust', extensions: 'rs', tests: ['**/tests/**/*.rs'] },
  { name: 'Java and Kotlin', extensions: 'java,kt,kts', tests: ['**/src/test/**'] },
  { name: 'C and C++', extensions: 'c,h,cc,cpp,cxx,hpp', tests: ['**/*_test.{c,cc,cpp}'] },
  { name: 'C#', extensions: 'cs', tests: ['**/*Tests.cs'] },
  { name: 'Ruby', extensions: 'rb', tests: ['**/*_spec.rb', '**/*_test.rb'] },
  { name: 'PHP', extensions: 'php', tests: ['**/*Test.php'] },
  { name: 'Swift', extensions: 'swift', tests: ['**/*Tests.swift'] },
  { name: 'Shell', extensions: 'sh,bash', tests: ['**/*.bats'] },
  { name: 'SQL', extensions: 'sql', tests: [] },
];

const BUILD_FILES =
  /(^|\/)(Dockerfile[^/]*|docker-compose[^/]*|Makefile|Jenkinsfile|\.gitlab-ci\.yml)$|^\.github\/workflows\/|\.tf$/;

/**
 * Returns the text of a first `.deepreview` (a file with review rules), with rules for the kinds of files in the
 * repository.
 */
export function starterRules(paths: readonly string[]): string {
  const fileExtensions = new Set(paths.map((path) => path.slice(path.lastIndexOf('.') + 1).toLowerCase()));
  const hasFiles = (extensions: string) => extensions.split(',').some((extension) => fileExtensions.has(extension));
  const languages = LANGUAGES.filter(({ extensions }) => hasFiles(extensions));
  const absentLanguages = LANGUAGES.filter((language) => !languages.includes(language));
  const tests = [...new Set(languages.flatMap((language) => language.tests))];
  const extensions = languages.map((language) => language.extensions).join(',');
  const code = extensions === '' ? '**' : `**/*.${extensions.includes(',') ? `{${extensions}}` : extensions}`;
  const isHintFor = (line: string, { name }: Language) => line.startsWith(`      - ${name}: `);
  const codeRule = fencedBlock(rules, 'yaml code')
    .replace('{include}', () => globList([code]))
    .replace('{exclude}', () => globList([...tests, '**/{vendor,node_modules,dist,build,generated}/**', '**/*.min.*']))
    .split('\n')
    .filter((line) => !absentLanguages.some((language) => isHintFor(line, language)))
    .join('\n');
  return [
    fencedBlock(rules, 'yaml header'),
    codeRule,
    ...(tests.length > 0 ? [fencedBlock(rules, 'yaml tests').replace('{include}', () => globList(tests))] : []),
    ...(hasFiles('md,mdx,rst') ? [fencedBlock(rules, 'yaml docs')] : []),
    ...(paths.some((path) => BUILD_FILES.test(path)) ? [fencedBlock(rules, 'yaml build-and-ci')] : []),
  ].join('\n');
}

function globList(globs: readonly string[]): string {
  return globs.map((glob) => JSON.stringify(glob)).join(', ');
}
