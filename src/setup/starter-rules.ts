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

/** For each language, the mistakes that a reviewer should look for. */
const HINTS: Readonly<Record<string, string>> = {
  'TypeScript and JavaScript': 'a promise not awaited, a cast or "!" that silences a real case, == with mixed types.',
  Python: 'a mutable default argument, a bare except, a generator used twice, naive datetimes.',
  Go: 'an error shadowed or dropped, a goroutine that cannot end, a nil map written, a loop variable captured.',
  Rust: 'unwrap or expect on what can fail, an unsafe block without its reason, integer overflow in release.',
  'Java and Kotlin': 'a stream or connection not closed, equals without hashCode, null from outside.',
  'C and C++': 'lifetimes and ownership, sizes taken from input, signed overflow, unchecked returns.',
  'C#': 'async void, a task not awaited, IDisposable not disposed, LINQ evaluated twice.',
  Ruby: 'nil where a value is expected, strings built into SQL or shell, rescue of everything.',
  PHP: 'loose comparison, output not escaped, queries built from input.',
  Swift: 'forced unwraps, reference cycles in closures, UI touched off the main actor.',
  Shell: 'unquoted variables, a pipeline whose failure is lost, rm or cd that may run on an empty variable.',
  SQL: 'a migration that locks a large table or cannot be undone, a missing WHERE, an index that a query needs.',
};

const BUILD_FILES =
  /(^|\/)(Dockerfile[^/]*|docker-compose[^/]*|Makefile|Jenkinsfile|\.gitlab-ci\.yml)$|^\.github\/workflows\/|\.tf$/;

/** Returns the text of a first `.deepreview` that fits the files of the repository. */
export function starterRules(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
    counts.set(extension, (counts.get(extension) ?? 0) + 1);
  }
  const filesOf = (extensions: string) => extensions.split(',').reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
  // Sort languages by their number of files, the most first.
  const languages = LANGUAGES.filter(({ extensions }) => filesOf(extensions) > 0).sort(
    (a, b) => filesOf(b.extensions) - filesOf(a.extensions),
  );
  const tests = [...new Set(languages.flatMap((language) => language.tests))];
  return [
    HEADER,
    codeRule(languages, tests),
    ...(tests.length > 0 ? [testsRule(tests)] : []),
    ...(filesOf('md,mdx,rst') > 0 ? [DOCS] : []),
    ...(paths.some((path) => BUILD_FILES.test(path)) ? [BUILD] : []),
  ].join('\n');
}

const HEADER = `# Review rules: which changed files get which review.
#
# "onceover instructions" writes one instruction file per review of the current change. A review that passed is skipped
# until one of its files changes. Globs are relative to this folder; a .deepreview in a subfolder adds rules for that
# folder. Edit this file as you like.
`;

function codeRule(languages: readonly Language[], tests: readonly string[]): string {
  const extensions = languages.map((language) => language.extensions).join(',');
  const include = extensions === '' ? '**' : `**/*.${extensions.includes(',') ? `{${extensions}}` : extensions}`;
  const exclude = [...tests, '**/{vendor,node_modules,dist,build,generated}/**', '**/*.min.*'];
  const hints = languages.map(({ name }) => `      - ${name}: ${HINTS[name]}\n`);
  return `code:
  description: Finds mistakes in changed code that would reach users.
  match:
    include: [${quoted(include)}]
    exclude: [${exclude.map(quoted).join(', ')}]
  review:
    # individual: one review per file. matches_together: one for all of them. all_changed_files: one for the whole change.
    strategy: matches_together
    # The number of reviewers in "onceover run", and the persona of your agent:
    # num_reviews: 2
    # agent: { claude: code-reviewer }
    additional_context: { all_changed_filenames: true }
    instructions: |
      Look for mistakes that would affect users. Read the callers and callees of the changed code before you judge it.

      - Wrong results: inverted conditions, off-by-one limits, a case that no branch handles, mixed units or time zones.
      - Hidden failures: an error swallowed, a result not checked, a default that hides a missing value.
      - State: two writers at once, a resource not released on every path, a retry that does the work twice.
      - Input from outside used in a query, a path, a command, a page or a log before it is checked.
      - A broken contract: callers, stored data or public names that no longer fit the change.
${hints.join('')}
      Report a finding only if you can name the input or sequence of events and the wrong outcome. Leave out style,
      naming and formatting. Finding nothing wrong is a good result.
`;
}

function testsRule(tests: readonly string[]): string {
  return `
tests:
  description: Checks that changed tests would fail if the code were wrong.
  match:
    include: [${tests.map(quoted).join(', ')}]
  review:
    strategy: matches_together
    additional_context: { all_changed_filenames: true }
    instructions: |
      For each changed test ask: which mistake in the code would make it fail?

      - It asserts something, and on the result that matters, not only that nothing was thrown.
      - The expected value is worked out by hand, not by the code under test.
      - It does not depend on time, order, network or the state that another test left behind.
      - A test that was loosened, skipped or deleted has a reason in the change.

      Report a test that cannot fail, or that would fail by chance, with the case it misses.
`;
}

const DOCS = `
docs:
  description: Checks changed documents against what the project really does.
  match:
    include: ["**/*.{md,mdx,rst}"]
    exclude: ["**/CHANGELOG*"]
  review:
    strategy: individual
    instructions: |
      Check the document against the code of this repository.

      - Commands, options, file names, keys and defaults match the code. Look up each of them.
      - The steps work in the given order, for a reader who starts with nothing.
      - It contradicts neither itself nor the other documents.

      Report anything that would mislead a reader, with the code that shows it. Leave out matters of taste.
`;

const BUILD = `
build-and-ci:
  description: Reviews changes of build, container, CI and infrastructure files together with the whole change.
  match:
    include: [".github/workflows/**", "**/Dockerfile*", "**/docker-compose*", "**/Makefile", "**/*.tf", ".gitlab-ci.yml", "Jenkinsfile"]
  review:
    # A tripwire: if one of these files changed, one review sees every changed file.
    strategy: all_changed_files
    instructions: |
      A build, deployment or CI file changed. Review the change as a whole.

      - Secrets: printed, given to code from a pull request, or baked into an image.
      - Permissions wider than the step needs; actions and images that are not pinned.
      - A step that can no longer fail (errors ignored, tests filtered out), or that passes without having run.
      - Something that the change needs at run time and that the build does not provide.
`;

function quoted(glob: string): string {
  return JSON.stringify(glob);
}
