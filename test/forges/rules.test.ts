import { describe, expect, test } from 'vitest';
import { newSideOf, placeFinder } from '../../src/forges/decide-anchor.ts';
import { decidePublish } from '../../src/forges/decide-publish.ts';
import { decideTarget, type TargetFacts } from '../../src/forges/decide-target.ts';
import { markerOf, withMarker } from '../../src/forges/describe-marker.ts';
import { suggestionFor } from '../../src/forges/describe-thread.ts';
import { parseRun } from '../../src/forges/read-run.ts';
import type { ForgeComment, PullRequestState } from '../../src/forges/types.ts';
import { documentWith, findingOn, GATE, publishOptions } from '../support/forges/documents.ts';
import { commitOf } from '../support/forges/world.ts';

const PATCH =
  '@@ -1,2 +1,3 @@\n const a = 1;\n+const b = 2;\n-gone\n const c = 3;\n@@ -9,1 +10,2 @@\n const a = 1;\n+  const b = 2;';
const FILES = [{ path: 'src/a.ts', oldPath: 'src/old.ts', patch: PATCH }];

describe('the place of a thread', () => {
  test('knows both sides of a diff', () => {
    expect(newSideOf(PATCH).map(({ line, oldLine }) => [line, oldLine])).toEqual([
      [1, 1],
      [2, null],
      [3, 3],
      [10, 9],
      [11, null],
    ]);
  });

  test.each([
    ['the nearest of equal lines', 'const b = 2;', 12, 11],
    ['the other of them', 'const b = 2;', 3, 2],
    ['several lines', 'const a = 1;\nconst b = 2;', 1, 2],
    ['a wrong number of the reviewer', 'const c = 3;', 999, 3],
    ['code that the diff does not show', 'const z = 9;', 2, null],
    ['lines across two hunks', 'const c = 3;\nconst a = 1;', 3, null],
  ])('%s', (_title, text, line, expected) => {
    const place = placeFinder(FILES)({ file: 'src/a.ts', line, anchor: { text } });
    expect(place?.kind === 'lines' ? place.last : null).toBe(expected);
    expect(place?.path).toBe('src/a.ts');
  });

  test('a file that is not part of the diff has none', () => {
    expect(placeFinder(FILES)({ file: 'src/b.ts', line: 1, anchor: { text: 'x' } })).toBeNull();
  });
});

describe('a suggestion', () => {
  const place = {
    kind: 'lines',
    path: 'a',
    oldPath: 'a',
    first: 1,
    last: 1,
    oldLine: null,
    text: ['  old();'],
  } as const;

  test.each([
    ['a code block gets the indentation of the line', '```ts\nfresh();\n```', '```suggestion\n  fresh();\n```'],
    ['an indented one keeps its own', '```\n    fresh();\n```', '```suggestion\n    fresh();\n```'],
    ['prose is not a suggestion', 'Use `fresh()`.', null],
    ['prose with a block is not a suggestion', 'Use this:\n```\nfresh();\n```', null],
    ['an invisible character', '```\nfr\u202eesh();\n```', null],
  ])('%s', (_title, fix, expected) => {
    expect(suggestionFor(fix, place)).toBe(expected);
  });

  test('needs lines', () => {
    expect(suggestionFor('```\nx\n```', { kind: 'file', path: 'a', oldPath: 'a' })).toBeNull();
  });
});

describe('where to publish', () => {
  const target = (env: TargetFacts['env'], event: unknown, more: Partial<TargetFacts> = {}) =>
    decideTarget({
      env: { GITHUB_REPOSITORY: 'house/shop', ...env },
      event,
      pull: null,
      commit: null,
      runCommit: null,
      ...more,
    });
  const fork = { full_name: 'stranger/shop', owner: { login: 'stranger' } };
  const own = { full_name: 'house/shop', owner: { login: 'house' } };
  const workflow = (head_repository: object) => ({
    workflow_run: { head_sha: commitOf(3), head_branch: 'work', head_repository },
  });

  test.each([
    [
      'a pull request: its head, not the merge commit of the job',
      { GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: commitOf(9) },
      { pull_request: { number: 7, head: { sha: commitOf(2) } } },
      { pull: { kind: 'number', number: 7 }, commit: commitOf(2), isUntrusted: false },
    ],
    [
      'a merge queue',
      { GITHUB_EVENT_NAME: 'merge_group' },
      { merge_group: { head_sha: commitOf(4) } },
      { pull: { kind: 'number', number: null }, commit: commitOf(4) },
    ],
    [
      'the workflow of a fork is not trusted',
      { GITHUB_EVENT_NAME: 'workflow_run' },
      workflow(fork),
      { pull: { kind: 'branch', head: 'stranger:work' }, commit: commitOf(3), isUntrusted: true },
    ],
    [
      'the workflow of a branch is',
      { GITHUB_EVENT_NAME: 'workflow_run' },
      workflow(own),
      { pull: { kind: 'branch', head: 'house:work' }, isUntrusted: false },
    ],
  ])('%s', (_title, env, event, expected) => {
    expect(target(env, event)).toMatchObject({ ok: true, value: expected });
  });

  test.each([
    ['no repository', { GITHUB_REPOSITORY: '../x' }, 'GITHUB_REPOSITORY'],
    ['an address that is not encrypted', { GITHUB_API_URL: 'http://evil.invalid' }, 'GITHUB_API_URL'],
    ['no commit', {}, '--commit'],
  ])('fails: %s', (_title, env, missing) => {
    expect(target(env, null)).toMatchObject({ ok: false, failure: { kind: 'no-forge', missing } });
  });
});

describe('the document of another job', () => {
  const good = documentWith([findingOn('src/a.ts', 'a')]);

  test('is read', () => {
    expect(parseRun(JSON.stringify(good), 'run.json')).toMatchObject({ ok: true, value: { kind: 'run' } });
    const error = { error: { kind: 'x', message: 'No git.', next: 'Install git.' } };
    expect(parseRun(JSON.stringify(error), 'run.json')).toMatchObject({ ok: true, value: { kind: 'error' } });
  });

  const first = good.findings[0];
  test.each([
    ['no JSON', 'x'],
    ['a key that is there twice', '{"status":"failed","status":"passed"}'],
    ['a missing field', JSON.stringify({ ...good, gates: undefined })],
    ['exit code 0 although a gate fails', JSON.stringify({ ...good, exit_code: 0, status: 'passed', findings: [] })],
    ['exit code 0 although a finding is open', JSON.stringify({ ...good, exit_code: 0, status: 'passed', gates: [] })],
    ['exit code 0 of a failed run', JSON.stringify({ ...good, exit_code: 0, gates: [], findings: [] })],
    ['a path outside', JSON.stringify({ ...good, findings: [{ ...first, file: '../x' }] })],
    ['a wrong fingerprint', JSON.stringify({ ...good, findings: [{ ...first, fingerprint: 'x --> y' }] })],
    ['a wrong id', JSON.stringify({ ...good, findings: [{ ...first, id: '@ann' }] })],
  ])('is refused: %s', (_title, text) => {
    expect(parseRun(text, 'run.json')).toMatchObject({ ok: false, failure: { kind: 'unusable-run' } });
  });
});

describe('the plan', () => {
  const commit = commitOf(1);
  const state = (differs: Partial<PullRequestState> = {}): PullRequestState => {
    return { head: commit, comments: [], threads: [], checks: [], files: FILES, ...differs };
  };
  const kinds = (facts: Parameters<typeof decidePublish>[0]) => decidePublish(facts).actions.map(({ kind }) => kind);
  const open = documentWith([findingOn('src/a.ts', 'const b = 2;')]);
  const [{ fingerprint = '' } = {}] = open.findings;

  test('with "quiet", a first result that passes gets checks only', () => {
    const passed = publishOptions(documentWith([]), commit, { summary: 'quiet' });
    expect(new Set(kinds({ ...passed, state: state() }))).toEqual(new Set(['create-check']));
  });

  test('a result of an older commit gets checks only', () => {
    const facts = { ...publishOptions(open, commit), state: state({ head: commitOf(2) }) };
    expect(decidePublish(facts).isOutdated).toBe(true);
    expect(new Set(kinds(facts))).toEqual(new Set(['create-check']));
  });

  test('a result that the author controls never creates a check that counts as passed', () => {
    const facts = { ...publishOptions(documentWith([]), commit, { isUntrusted: true }), state: state() };
    const conclusions = decidePublish(facts).actions.flatMap((one) =>
      one.kind === 'create-check' ? [one.check.conclusion] : [],
    );
    expect(conclusions).toEqual(['action_required', 'action_required']);
  });

  const thread = (first: Partial<ForgeComment>, gate = GATE) => {
    const body = withMarker(
      { kind: 'thread', fingerprints: [fingerprint], isClosed: false },
      `**F1 high** · \`${gate}\`, reviewer 1 (\`claude\`)\n`,
    );
    const comment = { id: '1', body, isTrusted: true, isOwn: true, isHidden: false, ...first };
    return { id: 't', isResolved: false, resolvedByUs: false, canResolve: true, comments: [comment] };
  };

  test('a marker that a stranger copied does not suppress a finding', () => {
    const plan = (isTrusted: boolean) =>
      kinds({ ...publishOptions(open, commit), state: state({ threads: [thread({ isTrusted, isOwn: false })] }) });
    expect(plan(false)).toContain('create-thread');
    expect(plan(true)).not.toContain('create-thread');
  });

  test.each([
    ['its gate passes', documentWith([]), true],
    ['its gate did not run', documentWith([], { gateIds: ['review:docs:other'] }), false],
  ])(
    'a thread whose finding the run does not know is closed only if its gate passes: %s',
    (_title, document, closes) => {
      const facts = { ...publishOptions(document, commit), state: state({ threads: [thread({})] }) };
      expect(kinds(facts).includes('resolve')).toBe(closes);
    },
  );

  test('an error leaves all threads as they are', () => {
    const run = { kind: 'error', message: 'No git.', next: 'Install git.' } as const;
    const facts = { ...publishOptions(open, commit), run, state: state({ threads: [thread({})] }) };
    expect(kinds(facts)).toEqual(['create-check', 'create-comment']);
  });

  test('reviewers that report the same line share one thread and one row', () => {
    const both = [
      findingOn('src/a.ts', 'const b = 2;'),
      findingOn('src/a.ts', 'const b = 2;', 'open', { id: 'F2', gate: 'rule:.:style' }),
      findingOn('src/a.ts', 'const c = 3;', 'open', { id: 'F3', line: 3 }),
    ];
    const { actions } = decidePublish({ ...publishOptions(documentWith(both), commit), state: state() });
    const threads = actions.flatMap((one) => (one.kind === 'create-thread' ? [one.thread.fingerprints.length] : []));
    expect(threads).toEqual([2, 1]);
    const summary = actions.find((one) => one.kind === 'create-comment');
    expect(summary?.kind === 'create-comment' ? summary.body : '').toContain('2 problems to fix');
  });

  test('a marker is read only in the first line', () => {
    expect(markerOf(`x\n${withMarker({ kind: 'closed' }, '')}`)).toBeNull();
  });
});
