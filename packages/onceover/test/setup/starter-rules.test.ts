import { compileGlob, globMatches } from '@onceover/base/kernel/glob';
import type { ParsedRule } from '@onceover/gates/rules/types';
import { parseRules } from '@onceover/gates/src/rules/parse.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { starterRules } from '../../src/setup/starter-rules.ts';

const LANGUAGES: readonly [language: string, sources: readonly string[], tests: readonly string[]][] = [
  [
    'TypeScript and JavaScript',
    ['src/a.ts', 'a.tsx', 'a.mts', 'a.cts', 'a.js', 'a.jsx', 'a.mjs', 'a.cjs', 'a.vue', 'a.svelte'],
    ['src/a.test.ts', 'a.spec.tsx', 'src/__tests__/a.ts'],
  ],
  ['Python', ['a.py', 'src/a.pyi', 'src/contest.py'], ['test_a.py', 'x/test_a.py', 'a_test.py', 'x/conftest.py']],
  ['Go', ['main.go', 'pkg/a.go'], ['pkg/a_test.go']],
  ['Rust', ['src/main.rs', 'x/src/lib.rs'], ['tests/a.rs', 'x/tests/common/mod.rs']],
  [
    'Java and Kotlin',
    ['src/main/java/A.java', 'A.kt', 'build.gradle.kts'],
    ['src/test/java/ATest.java', 'x/src/test/A.kt'],
  ],
  ['C and C++', ['a.c', 'a.h', 'a.cc', 'src/a.cpp', 'a.cxx', 'a.hpp'], ['a_test.c', 'x/a_test.cc', 'a_test.cpp']],
  ['C#', ['A.cs', 'src/B.cs'], ['ATests.cs', 'x/BTests.cs']],
  ['Ruby', ['a.rb', 'lib/b.rb'], ['spec/a_spec.rb', 'test/b_test.rb']],
  ['PHP', ['a.php', 'src/B.php'], ['tests/ATest.php']],
  ['Swift', ['Sources/A.swift'], ['Tests/ATests.swift']],
  ['Shell', ['a.sh', 'bin/b.bash'], ['test/a.bats']],
  ['SQL', ['a.sql', 'migrations/1.sql'], []],
];

function rulesFor(paths: readonly string[]): ReadonlyMap<string, ParsedRule> {
  const { rules, problems } = parseRules(starterRules(paths));
  expect(problems).toEqual([]);
  return new Map(rules.map((rule) => [rule.name, rule]));
}

/** Returns the languages that the rules have a hint for. */
function hintsIn(text: string): string[] {
  const names = LANGUAGES.map(([name]) => name).filter((name) => text.includes(`      - ${name}: `));
  return names.sort((a, b) => text.indexOf(`- ${a}: `) - text.indexOf(`- ${b}: `));
}

function matchingPaths(rule: ParsedRule | undefined, paths: readonly string[]): string[] {
  const hits = (globs: readonly string[], path: string) =>
    globs.some((source) => {
      const result = compileGlob(source, '');
      return result.ok && globMatches(result.glob, path);
    });
  return paths.filter((path) => hits(rule?.include ?? [], path) && !hits(rule?.exclude ?? [], path));
}

describe('starter rules', () => {
  test.each(LANGUAGES)('separates sources and tests of %s', (name, sources, tests) => {
    expect(hintsIn(starterRules(sources))).toEqual([name]);
    const rules = rulesFor(sources);
    expect(matchingPaths(rules.get('code'), [...sources, ...tests])).toEqual(sources);
    expect(matchingPaths(rules.get('tests'), [...sources, ...tests])).toEqual(tests);
  });

  test('have a hint for each language, whatever the case of its extension', () => {
    expect(hintsIn(starterRules(['a.go', 'src/d.PY']))).toEqual(['Python', 'Go']);
  });

  test('are valid for every mixture of languages, documents and build files', () => {
    const otherPaths = fc.subarray(['README.md', 'docs/a.rst', 'Dockerfile', '.github/workflows/ci.yml', 'main.tf']);
    fc.assert(
      fc.property(fc.subarray([...LANGUAGES]), otherPaths, (languages, otherSources) => {
        const sources = languages.flatMap(([, paths]) => paths);
        const tests = languages.flatMap(([, , paths]) => paths);
        const rules = rulesFor([...sources, ...otherSources]);
        if (languages.length > 0) expect(matchingPaths(rules.get('code'), [...sources, ...tests])).toEqual(sources);
        expect(matchingPaths(rules.get('tests'), [...sources, ...tests])).toEqual(tests);
        expect([...rules.keys()].slice(0, 1)).toEqual(['code']);
        for (const rule of rules.values()) expect(rule.description.length).toBeLessThanOrEqual(256);
      }),
    );
  });

  test('treat all files as code if no language is known', () => {
    const rules = rulesFor(['a.zig']);
    expect([...rules.keys()]).toEqual(['code']);
    expect(matchingPaths(rules.get('code'), ['a.zig', 'src/b.nim', '.x/y'])).toEqual(['a.zig', 'src/b.nim', '.x/y']);
  });

  test('exclude vendored and generated files', () => {
    const foreign = ['vendor/a.ts', 'x/node_modules/y/a.js', 'dist/a.js', 'x/build/a.js', 'generated/a.ts', 'a.min.js'];
    expect(matchingPaths(rulesFor(['a.ts']).get('code'), [...foreign, 'distance/a.ts'])).toEqual(['distance/a.ts']);
  });

  test.each([
    [['README.md'], ['code', 'docs']],
    [['.github/workflows/ci.yml'], ['code', 'build-and-ci']],
    [['docker/Dockerfile.prod'], ['code', 'build-and-ci']],
    [['infra/main.tf'], ['code', 'build-and-ci']],
    [['notes.txt', 'Dockerfiles/readme'], ['code']],
    [[], ['code']],
  ])('for %j are %j', (paths, names) => {
    expect([...rulesFor(paths).keys()]).toEqual(names);
  });

  test('include rules for documents and build files if there are any', () => {
    const rules = rulesFor(['a.py', 'README.md', 'Makefile']);
    expect([...rules.keys()]).toEqual(['code', 'tests', 'docs', 'build-and-ci']);
    expect(matchingPaths(rules.get('docs'), ['README.md', 'docs/a.mdx', 'CHANGELOG.md', 'a.py'])).toEqual([
      'README.md',
      'docs/a.mdx',
    ]);
    const build = ['.github/workflows/ci.yml', 'x/Dockerfile.dev', 'docker-compose.yml', 'x/Makefile', 'a/main.tf'];
    expect(matchingPaths(rules.get('build-and-ci'), [...build, '.gitlab-ci.yml', 'Jenkinsfile', 'a.py'])).toEqual([
      ...build,
      '.gitlab-ci.yml',
      'Jenkinsfile',
    ]);
    expect(rules.get('build-and-ci')?.strategy).toBe('all_changed_files');
  });
});
