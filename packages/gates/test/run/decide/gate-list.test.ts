import type { Entry } from '@onceover/base/kernel/repository';
import type { EntrySettings, ReviewSettings } from '@onceover/repo/config/settings';
import { paths, rule } from '@onceover/testing/rules.ts';
import { entry, path } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import {
  configuredGates,
  contentOf,
  fileRubric,
  type GateSources,
  gateIds,
  matchesEntry,
  planGates,
  ruleRubric,
} from '../../../src/run/decide/gate-list.ts';

const PROMPT = path('.onceover/reviews/code-quality.md');
const RUBRIC = fileRubric(PROMPT, 'Look closely.');

const review = (differs: Partial<ReviewSettings> = {}): ReviewSettings => ({
  prompt: PROMPT,
  promptAt: { line: 1, column: 1 },
  numReviews: 1,
  agents: null,
  timeoutSeconds: null,
  ...differs,
});

const entryPoint = (differs: Partial<EntrySettings> = {}): EntrySettings => ({
  path: 'src',
  exclude: [],
  checks: {},
  reviews: { quality: review() },
  ...differs,
});

const changed = (...names: readonly string[]): Entry[] => names.map((name) => entry({ path: name }));

function plan(given: Partial<GateSources>) {
  return planGates({
    settings: [],
    rules: [],
    entries: [],
    rubrics: new Map([[PROMPT, RUBRIC]]),
    unchanged: () => [],
    ...given,
  });
}

/** Returns each gate with its files. */
const told = (given: Partial<GateSources>) =>
  plan(given).gates.map((gate) =>
    gate.kind === 'check' ? gate.id : `${gate.id} <- ${gate.entries.map((one) => one.path).join(' ')}`,
  );

describe('entry points', () => {
  const FILES = changed('README.md', 'packages/a/x.ts', 'packages/b/y/z.ts', 'packages/c.md', 'src/a.ts', 'srcs/b.ts');

  test.each<[string, Partial<EntrySettings>, readonly string[]]>([
    [
      'the whole repository',
      { path: '.' },
      ['review:.:quality <- README.md packages/a/x.ts packages/b/y/z.ts packages/c.md src/a.ts srcs/b.ts'],
    ],
    [
      'the whole repository, in another spelling',
      { path: './', exclude: ['packages', 'srcs'] },
      ['review:.:quality <- README.md src/a.ts'],
    ],
    ['a folder', { path: 'src' }, ['review:src:quality <- src/a.ts']],
    ['a folder, in another spelling', { path: './src/' }, ['review:src:quality <- src/a.ts']],
    ['a file', { path: 'src/a.ts' }, ['review:src/a.ts:quality <- src/a.ts']],
    [
      'each folder in a folder; a file beside them belongs to none',
      { path: 'packages/*' },
      ['review:packages/a:quality <- packages/a/x.ts', 'review:packages/b:quality <- packages/b/y/z.ts'],
    ],
    [
      'a glob is one entry',
      { path: '**/*.ts', exclude: ['srcs'] },
      ['review:**/*.ts:quality <- packages/a/x.ts packages/b/y/z.ts src/a.ts'],
    ],
    ['a star in a folder that is a glob', { path: 'pack*/*' }, ['review:pack*/*:quality <- packages/c.md']],
    ['braces', { path: '{src,srcs}/**' }, ['review:{src,srcs}/**:quality <- src/a.ts srcs/b.ts']],
    ['a folder where nothing changed', { path: 'docs' }, []],
    ['excluded by glob', { path: '.', exclude: ['**/*.ts', 'packages/**'] }, ['review:.:quality <- README.md']],
    ['excluded by folder', { path: '.', exclude: ['packages', './srcs/'] }, ['review:.:quality <- README.md src/a.ts']],
    ['all of it is excluded', { path: 'src', exclude: ['**/*.ts'] }, []],
    [
      'excluding everything by "." excludes nothing',
      { path: 'src', exclude: ['.'] },
      ['review:src:quality <- src/a.ts'],
    ],
    ['a path outside of the repository matches nothing', { path: '../src' }, []],
    [
      'a path outside of the repository excludes nothing',
      { path: 'src', exclude: ['../src', '/src'] },
      ['review:src:quality <- src/a.ts'],
    ],
    ['an invalid glob matches nothing', { path: '{src', exclude: [] }, []],
    ['an invalid glob excludes nothing', { path: 'src', exclude: ['{src'] }, ['review:src:quality <- src/a.ts']],
  ])('%s', (_title, differs, expected) => {
    expect(told({ settings: [entryPoint(differs)], entries: FILES })).toEqual(expected);
  });

  test.each<[string, readonly string[], boolean]>([
    ['.', ['x'], true],
    ['.', [], false],
    ['src', ['src/a.ts'], true],
    ['src', ['srcs/a.ts', 'lib/src/a.ts'], false],
    ['packages/*', ['packages/a/x'], true],
    ['packages/*', ['packages/x', 'packagesx/a/b'], false],
    ['**/*.ts', ['a/b.ts'], true],
    ['**/*.ts', ['a/b.js'], false],
  ])('whether %s matches any of %j', (written, names, expected) => {
    expect(matchesEntry(entryPoint({ path: written }), paths(...names))).toBe(expected);
  });
});

describe('the gates of an entry point', () => {
  const settings = [
    entryPoint({
      checks: { lint: { run: 'npm run lint', timeoutSeconds: 120 }, test: { run: 'npm test', timeoutSeconds: null } },
      reviews: { quality: review({ numReviews: 3, agents: ['codex'], timeoutSeconds: 60 }), security: review() },
    }),
  ];
  const entries = changed('src/b.ts', 'src/a.ts');
  const { gates } = plan({ settings, entries });

  test('are its checks, followed by its reviews', () => {
    expect(gates.map(({ id }) => id)).toEqual([
      'check:src:lint',
      'check:src:test',
      'review:src:quality',
      'review:src:security',
    ]);
  });

  test('a check', () => {
    const own = { entry: 'src', name: 'lint', command: 'npm run lint', timeoutSeconds: 120, entries };
    expect(gates[0]).toEqual({ kind: 'check', id: 'check:src:lint', ...own });
  });

  test('a review', () => {
    expect(gates[2]).toEqual({
      kind: 'review',
      id: 'review:src:quality',
      entry: 'src',
      name: 'quality',
      numReviews: 3,
      agents: ['codex'],
      timeoutSeconds: 60,
      rubric: RUBRIC,
      entries,
      content: contentOf(entries),
      task: null,
    });
  });

  test('a review whose prompt was not read is an error, not left out', () => {
    expect(() => plan({ settings, entries, rubrics: new Map() })).toThrow(PROMPT);
  });

  test('excluded files are not part of the content', () => {
    const content = (given: readonly Entry[], exclude: readonly string[]) =>
      plan({ settings: [entryPoint({ exclude })], entries: given }).gates.flatMap((gate) =>
        gate.kind === 'check' ? [] : [gate.content],
      );
    expect(content(changed('src/a.ts', 'src/a.snap'), ['**/*.snap'])).toEqual(content(changed('src/a.ts'), []));
  });
});

describe('the gates of rules', () => {
  const entries = [entry({ path: 'sub/a.py' }), entry({ path: 'b.py', headBlob: null }), entry({ path: 'c.md' })];

  test.each([
    ['one gate per file', rule(), ['rule:.:style:b.py <- b.py', 'rule:.:style:sub/a.py <- sub/a.py']],
    ['of a folder', rule({ folder: 'sub' }), ['rule:sub:style:sub/a.py <- sub/a.py']],
    ['all together', rule({ strategy: 'matches_together' }), ['rule:.:style <- b.py sub/a.py']],
    ['the whole change', rule({ strategy: 'all_changed_files' }), ['rule:.:style <- b.py c.md sub/a.py']],
    ['nothing matches', rule({ include: ['*.go'] }), []],
  ])('%s', (_title, given, expected) => {
    expect(told({ rules: [given], entries })).toEqual(expected);
  });

  test('come after those of the entry points, with their task', () => {
    const given = rule({ strategy: 'matches_together', numReviews: 2, agents: ['claude'], instructions: 'Be kind.' });
    const { gates } = plan({ settings: [entryPoint({ path: '.' })], rules: [given], entries });
    const own = [entries[1], entries[0]] as Entry[];
    expect(gates[1]).toEqual({
      kind: 'rule',
      id: 'rule:.:style',
      entry: '.',
      name: 'style',
      numReviews: 2,
      agents: ['claude'],
      timeoutSeconds: null,
      rubric: ruleRubric(given),
      entries: own,
      content: contentOf(own),
      task: { rule: given, files: ['b.py', 'sub/a.py'], unchangedMatching: [] },
    });
  });

  test('the id of a gate does not change with its content', () => {
    const ids = (headBlob: string) => told({ rules: [rule()], entries: [entry({ path: 'a.py', headBlob })] });
    expect(ids('h1')).toEqual(ids('h2'));
  });

  test('unchanged files are listed only if a rule needs them', () => {
    const given = rule({
      strategy: 'matches_together',
      context: { allChangedFilenames: false, unchangedMatchingFiles: true },
    });
    const [gate] = plan({ rules: [given], entries, unchanged: () => paths('old.py', 'old.md') }).gates;
    expect(gate?.kind === 'rule' && gate.task?.unchangedMatching).toEqual(['old.py']);
  });
});

describe('files that no review covers', () => {
  const entries = changed('docs/x.md', 'src/a.ts', 'src/b.py', 'src/c.snap');
  test.each<[string, Partial<GateSources>, readonly string[]]>([
    ['no gate', {}, ['docs/x.md', 'src/a.ts', 'src/b.py', 'src/c.snap']],
    ['a folder', { settings: [entryPoint()] }, ['docs/x.md']],
    ['an excluded file', { settings: [entryPoint({ exclude: ['**/*.snap'] })] }, ['docs/x.md', 'src/c.snap']],
    [
      'a rule covers its files',
      { settings: [entryPoint({ path: 'docs' })], rules: [rule()] },
      ['src/a.ts', 'src/c.snap'],
    ],
    [
      'a check covers no file',
      { settings: [entryPoint({ path: '.', reviews: {}, checks: { lint: { run: 'x', timeoutSeconds: null } } })] },
      ['docs/x.md', 'src/a.ts', 'src/b.py', 'src/c.snap'],
    ],
  ])('%s', (_title, given, expected) => {
    expect(plan({ entries, ...given }).uncovered).toEqual(expected);
  });
});

test.each<[string, readonly EntrySettings[], readonly string[]]>([
  ['two names', [entryPoint(), entryPoint({ reviews: { other: review() } })], []],
  ['one name on two paths', [entryPoint(), entryPoint({ path: '.' })], []],
  ['one name twice', [entryPoint(), entryPoint({ path: './src' }), entryPoint()], ['review:src:quality']],
])('ids that are defined more than once: %s', (_title, settings, expected) => {
  expect(plan({ settings, entries: changed('src/a.ts') }).duplicates).toEqual(expected);
});

describe('configured gates', () => {
  const checks = { lint: { run: 'x', timeoutSeconds: null } };
  test.each([
    ['of a folder', [entryPoint({ checks })], [], ['check:src:lint', 'review:src:quality']],
    ['of the whole repository', [entryPoint({ path: './' })], [], ['review:.:quality']],
    ['of a glob', [entryPoint({ path: '**/*.ts' })], [], ['review:**/*.ts:quality']],
    ['of each folder: only folders with changes have gates', [entryPoint({ path: 'packages/*' })], [], []],
    ['of a rule with one task', [], [rule({ strategy: 'matches_together', folder: 'sub' })], ['rule:sub:style']],
    ['at the root', [], [rule({ strategy: 'all_changed_files' })], ['rule:.:style']],
    ['of a rule with one task per file: only files with changes have gates', [], [rule()], []],
  ])('%s', (_title, settings, rules, expected) => {
    expect(configuredGates(settings, rules).map(({ id }) => id)).toEqual(expected);
  });

  test('have the same ids as with changes', () => {
    const settings = [entryPoint({ checks }), entryPoint({ path: '.' }), entryPoint({ path: '**/*.ts' })];
    const rules = [
      rule({ strategy: 'matches_together', include: ['**'] }),
      rule({ name: 'x', strategy: 'all_changed_files', include: ['**'] }),
    ];
    const known = configuredGates(settings, rules);
    const { gates } = plan({ settings, rules, entries: changed('src/a.ts') });
    expect(known).toEqual(gates.map(({ id, kind }) => ({ id, kind })));
  });

  test.each([
    ['check:packages/api:lint', true],
    ['review:packages/api:quality', true],
    ['review:packages/api:lint', false],
    ['check:packages/api:other', false],
    ['check:other/api:lint', false],
    ['check:packages:lint', false],
    ['review:src:quality', true],
    ['review:src/a:quality', false],
    ['rule:.:style:a.ts', true],
    ['rule:.:style', false],
    ['rule:sub:style:a.ts', false],
    ['rule:.:styles:a.ts', false],
  ])('%s can be the id of a gate: %s', (id, expected) => {
    const settings = [entryPoint(), entryPoint({ path: './packages/*', checks })];
    expect(gateIds(settings, [rule()])(id)).toBe(expected);
  });
});
