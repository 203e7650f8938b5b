import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { BadReviewId, Failure } from '../../src/domain/failure.ts';
import type { Problem } from '../../src/domain/problem.ts';
import { tellFailure } from '../../src/text/failure.ts';
import type { Told } from '../../src/text/told.ts';
import { workflowFailures } from '../support/workflow-failures.ts';

type Sample<Kind> = readonly [failure: Extract<Failure, { kind: Kind }>, names: string, next: RegExp];

/** One of each kind, with `given` wherever a value comes from outside. */
function samples(given: string): { readonly [Kind in Failure['kind']]: Sample<Kind> } {
  const problem: Problem = { file: given, line: 3, column: 5, what: { kind: 'missing-key', key: 'base' } };
  return {
    'not-a-repository': [{ kind: 'not-a-repository', folder: given }, given, /inside a repository.*git init/],
    'bare-repository': [{ kind: 'bare-repository', folder: given }, given, /in a working tree/],
    'git-missing': [{ kind: 'git-missing' }, 'git', /Install git 2\.31.*PATH/],
    'git-too-old': [{ kind: 'git-too-old' }, 'git', /Install git 2\.31/],
    'git-failed': [{ kind: 'git-failed', command: 'git diff', said: given }, given, /git complains about/],
    'unknown-base': [{ kind: 'unknown-base', base: given }, given, /Fetch it.*--base.*onceover\.yml/],
    'ambiguous-name': [{ kind: 'ambiguous-name', name: given }, given, /Remove or rename.*refs\/heads/],
    'no-base': [{ kind: 'no-base', tried: ['origin/HEAD', 'main'] }, 'origin/HEAD, main', /--base.*onceover\.yml/],
    'no-merge-base': [{ kind: 'no-merge-base', base: given, shallow: false }, given, /Name a base.*--base/],
    'several-merge-bases': [{ kind: 'several-merge-bases', base: given }, given, /Merge .* into this branch/],
    'broken-config': [{ kind: 'broken-config', problems: [problem] }, given, /Mend the configuration/],
    'log-dir-hides': [{ kind: 'log-dir-hides', logDir: given, files: [given] }, given, /leave "log_dir" out/],
    'bad-review-id': [{ kind: 'bad-review-id', id: given, why: 'separator' }, given, /exactly as the instruction file/],
    'odd-root': [{ kind: 'odd-root', folder: given }, given, /Rename the folder/],
    'agent-not-tried': [
      { kind: 'agent-not-tried', agent: given, failure: { kind: 'not-logged-in', said: given } },
      given,
      /Log in/,
    ],
    'cannot-fix': [{ kind: 'cannot-fix', name: given, able: ['claude'] }, 'cannot be a fixer', /claude/],
    'unknown-agent': [{ kind: 'unknown-agent', name: given, known: ['claude'] }, given, /claude/],
    'path-outside': [{ kind: 'path-outside', path: given }, given, /inside the repository/],
    'path-in-the-way': [{ kind: 'path-in-the-way', path: given, found: 'symlink' }, given, /move it away/],
    disk: [{ kind: 'disk', action: 'write', path: given, code: 'ENOSPC' }, given, /Make room/],
    'input-cut-off': [{ kind: 'input-cut-off', code: given }, given, /Look at what writes it/],
    'wrong-usage': [{ kind: 'wrong-usage', said: given, command: 'pass' }, given, /"onceover pass --help"/],
    'lock-held': [
      { kind: 'lock-held', pid: 4711, host: given, since: '2026-03-01T12:00:00.000Z' },
      `process 4711 on ${given}, since 2026-03-01T12:00:00.000Z`,
      /Wait until it has ended/,
    ],
    'waived-inside-a-run': [{ kind: 'waived-inside-a-run' }, 'cannot waive', /the reviewer decides/],
    'agreed-inside-a-run': [{ kind: 'agreed-inside-a-run' }, 'only a person', /onceover trust/],
    'inside-a-run': [{ kind: 'inside-a-run' }, 'ONCEOVER_ACTIVE', /Leave "onceover run" out/],
    'finding-closed': [{ kind: 'finding-closed', id: 'F1' }, 'F1', /onceover explain F1/],
    'unknown-path': [{ kind: 'unknown-path', path: given }, given, /that are there/],
    'config-changed': [{ kind: 'config-changed' }, 'changed while the run', /Run again/],
    'unknown-commit': [{ kind: 'unknown-commit', commit: given }, given, /git log/],
    'unknown-gate': [{ kind: 'unknown-gate', gate: given, known: [given] }, given, /one of these: \S/],
    'unknown-finding': [
      { kind: 'unknown-finding', id: given, known: ['F1', 'F12'] },
      given,
      /F1, F12.*onceover status/,
    ],
    'unknown-subject': [
      { kind: 'unknown-subject', name: given },
      given,
      /"review:src:code-quality@1".*onceover status/,
    ],
    'ambiguous-subject': [
      { kind: 'ambiguous-subject', name: given, gates: ['check:src:q', given] },
      given,
      /one of these: check:src:q, \S/,
    ],
    'not-trusted': [{ kind: 'not-trusted', commands: ['make', given] }, given, /"onceover trust"/],
    'unknown-run': [{ kind: 'unknown-run', id: given }, given, /start_run/],
    'unknown-phase': [
      { kind: 'unknown-phase', name: given },
      given,
      /specify, design, create-plan, create-tasks, implement/,
    ],
    'feature-without-loops': [
      { kind: 'feature-without-loops', feature: given, known: ['specs/login', given] },
      given,
      /These features have some: specs\/login, \S/,
    ],
    'no-feature': [{ kind: 'no-feature', path: given, why: 'missing' }, given, /folder that holds spec\.md/],
    'unusable-artifact': [
      { kind: 'unusable-artifact', path: given as RepoPath, why: 'missing', phase: 'design', needs: 'create-plan' },
      given,
      /Write it first and have it reviewed with "onceover phase design"/,
    ],
    'artifact-too-long': [
      { kind: 'artifact-too-long', path: given as RepoPath, characters: 900, limit: 800, agent: given },
      given,
      /Split the document.*"agents" in onceover\.yml/,
    ],
    'nothing-to-implement': [{ kind: 'nothing-to-implement', base: given }, given, /--base.*--files/],
    'unnameable-code': [{ kind: 'unnameable-code', names: [given] }, given, /Rename it/],
    'no-reviewer': [{ kind: 'no-reviewer', wanted: [given], cooling: [] }, given, /"onceover doctor"/],
    'no-waiting-loop': [
      { kind: 'no-waiting-loop', phase: 'specify', feature: given },
      given,
      /"onceover phase specify \S.* --step"/,
    ],
    'unjudged-round': [
      { kind: 'unjudged-round', phase: 'specify', feature: given },
      given,
      /without a summary \("onceover phase specify \S.* --step"\)/,
    ],
    'unknown-loop': [{ kind: 'unknown-loop', id: given }, given, /start_phase/],
    'round-goes-on': [{ kind: 'round-goes-on', id: given }, given, /without a summary/],
    'unreadable-loop': [
      { kind: 'unreadable-loop', phase: 'design', feature: given },
      given,
      /"onceover phase design \S.* --rerun"/,
    ],
    'unreadable-json': [{ kind: 'unreadable-json', path: given, said: 'at 3' }, given, /Mend the file/],
    ...workflowFailures(given),
  };
}

const each = (given: string) =>
  Object.values(samples(given)).map(([failure, names, next]) => [failure.kind, failure, names, next] as const);

describe('a failure is told: what, why, what to do', () => {
  test.each(each('some/thing'))('%s', (_, failure, names, next) => {
    const told = tellFailure(failure);
    expect(told.what).toContain(names);
    expect(told.next).toMatch(next);
    expect(told.next).toMatch(/^[A-Z].*\.$/);
  });

  test('a shallow clone is told how to get the history', () => {
    const told = tellFailure({ kind: 'no-merge-base', base: 'origin/main', shallow: true });
    expect(told.what).toMatch(/shallow clone.*origin\/main/);
    expect(told.next).toMatch(/git fetch --unshallow.*fetch-depth/);
  });

  test('what git said is shown line by line below its command', () => {
    const { what } = tellFailure({ kind: 'git-failed', command: 'git diff x', said: 'fatal: one\nhint: two' });
    expect(what.split('\n').slice(1)).toEqual(['  git diff x', '  fatal: one', '  hint: two']);
  });

  test('every problem of a configuration has its line', () => {
    const problem = (line: number): Problem => ({
      file: 'onceover.yml',
      line,
      column: 1,
      what: { kind: 'missing-key', key: 'base' },
    });
    const { what } = tellFailure({ kind: 'broken-config', problems: [problem(1), problem(2)] });
    expect(what.split('\n').map((line) => line.slice(0, 17))).toEqual(['onceover.yml:1:1:', 'onceover.yml:2:1:']);
  });

  test.each<[BadReviewId, string]>([
    ['empty', 'it is empty'],
    ['dots', 'it contains ".."'],
    ['absolute', 'it starts with "/"'],
    ['separator', 'it contains "/"'],
    ['nul', 'it contains a NUL character'],
    ['too-long', 'it is longer than a file name can be'],
  ])('a bad id says why: %s', (why, said) => {
    expect(tellFailure({ kind: 'bad-review-id', id: 'x', why }).what).toContain(said);
  });

  test('a very long id does not fill the screen', () => {
    const { what } = tellFailure({ kind: 'bad-review-id', id: 'x'.repeat(5000), why: 'too-long' });
    expect(what.length).toBeLessThan(250);
  });

  test.each([
    ['read', 'could not be read: permission was denied (EACCES)'],
    ['write', 'could not be written: permission was denied (EACCES)'],
  ] as const)('disk: %s', (action, said) => {
    expect(tellFailure({ kind: 'disk', action, path: 'a', code: 'EACCES' }).what).toContain(said);
  });

  test.each([
    ['ENOSPC', 'no space is left on the disk (ENOSPC)', 'Make room'],
    ['EROFS', 'the disk can only be read (EROFS)', 'where the disk may be written'],
    ['EPERM', 'permission was denied (EPERM)', 'permissions'],
    ['EWEIRD', 'could not be written: EWEIRD.', 'permissions and the space'],
    ['not a finding', 'could not be written: not a finding.', 'Look at what it is'],
  ])('the disk refuses: %s', (code, what, next) => {
    const told = tellFailure({ kind: 'disk', action: 'write', path: 'a', code });
    expect([told.what, told.next]).toEqual([expect.stringContaining(what), expect.stringContaining(next)]);
  });

  test.each([
    ['symlink', 'is a symlink'],
    ['folder', 'is a folder'],
    ['file', 'is a file'],
    ['repository', 'is a repository of its own'],
    ['other', 'is not a plain file or folder'],
  ] as const)('in the way: %s', (found, said) => {
    expect(tellFailure({ kind: 'path-in-the-way', path: 'a', found }).what).toContain(said);
  });

  test.each<[Failure, keyof Told, string]>([
    [{ kind: 'unknown-gate', gate: 'x', known: [] }, 'next', 'No gate is configured: "onceover init" writes'],
    [
      { kind: 'unknown-finding', id: 'F9', known: [] },
      'next',
      'Nothing is open: "onceover status" shows how the gates stand.',
    ],
    [
      { kind: 'feature-without-loops', feature: 'x', known: [] },
      'next',
      'No feature has gone through "onceover phase"',
    ],
    [{ kind: 'feature-without-loops', feature: '', known: ['a'] }, 'what', 'No review loop of the root is'],
    [{ kind: 'unknown-run', id: null }, 'what', 'No run was started here.'],
  ])('where there is none at all, that is said: %o', (failure, part, said) => {
    expect(tellFailure(failure)[part]).toContain(said);
  });

  test.each([
    ['missing', 'f/design.md (how it will work) is not there, and "onceover phase create-plan" rests on it.'],
    ['empty', 'f/design.md (how it will work) is empty, and "onceover phase create-plan" rests on it.'],
    ['not-text', 'f/design.md (how it will work) is no UTF-8 text, and "onceover phase create-plan" rests on it.'],
    ['ignored', 'is ignored by git, so onceover cannot tell what changes in it'],
    ['withheld', 'is withheld from reviewers: it is untracked and over 5 MB, or looks like a secret'],
    ['generated', "is in .deepwork/tmp, which is onceover's own and never reviewed"],
    ['symlink', 'is a symlink, which is not followed'],
  ] as const)('a document that cannot be used: %s', (why, said) => {
    const path = 'f/design.md' as RepoPath;
    const told = tellFailure({ kind: 'unusable-artifact', path, why, phase: 'design', needs: 'create-plan' });
    expect(told.what).toContain(said);
  });

  test('the document that the phase itself is about has to be written, nothing else', () => {
    const path = 'f/design.md' as RepoPath;
    expect(tellFailure({ kind: 'unusable-artifact', path, why: 'missing', phase: 'design', needs: 'design' })).toEqual({
      what: 'f/design.md (how it will work) is not there, and "onceover phase design" reviews it.',
      next: 'Write it first.',
    });
  });

  test('nobody who could review: installed, or only not now', () => {
    const until = new Date('2026-03-01T12:00:00.000Z');
    const cooling = [{ agent: 'claude', until, said: 'limit' }];
    expect(tellFailure({ kind: 'no-reviewer', wanted: [], cooling: [] }).what).toBe(
      'Nobody can review: no agent is installed; see "onceover doctor".',
    );
    expect(tellFailure({ kind: 'no-reviewer', wanted: [], cooling })).toEqual({
      what: 'Nobody can review: every agent that could be asked has reached a limit (claude until 2026-03-01T12:00:00.000Z).',
      next: 'Wait until then, or name another agent under "agents" in onceover.yml.',
    });
  });

  test('the folder of the records that nobody chose is not said to be chosen', () => {
    expect(tellFailure({ kind: 'log-dir-hides', logDir: '.deepwork/logs', files: ['.deepwork/logs/a.md'] })).toEqual({
      what: 'In .deepwork/logs, where the records are kept unless told, git tracks files that are no records (.deepwork/logs/a.md); nobody would review changes to them.',
      next: 'Move them elsewhere, or name another folder as "log_dir" in onceover.yml.',
    });
  });

  test('wrong usage of no command points at the help of all', () => {
    expect(tellFailure({ kind: 'wrong-usage', said: 'x', command: null }).next).toBe('See "onceover --help".');
  });
});

describe('a hostile value cannot break the line', () => {
  test.each(each('a\rb\x1b[31mc\u2028d\u202ee\x9bf'))('unseen characters: %s', (_, failure) => {
    const { what, next } = tellFailure(failure);
    expect(`${what}${next}`).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u);
  });

  // Lists and git's own words take several lines; they are indented.
  test.each(each('a\nonceover: all passed'))('line breaks: %s', (_, failure) => {
    const { what, next } = tellFailure(failure);
    expect(`${what}${next}`).not.toMatch(/\n(?! {2})/);
  });

  test('line breaks: git-failed', () => {
    const { what } = tellFailure({ kind: 'git-failed', command: 'git x\ny', said: 'a\nonceover: all passed' });
    expect(what.split('\n').slice(1)).toEqual(['  git x\\ny', '  a', '  onceover: all passed']);
  });
});
