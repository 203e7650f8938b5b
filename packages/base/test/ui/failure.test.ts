import { workflowFailures } from '@onceover/testing/workflow-failures.ts';
import { describe, expect, test } from 'vitest';
import type { BadReviewId, Failure, Problem } from '../../src/kernel/failure.ts';
import type { RepoPath } from '../../src/kernel/ids.ts';
import { describeFailure } from '../../src/ui/describe-failure.ts';
import type { Message } from '../../src/ui/wording.ts';

type Sample<Kind> = readonly [failure: Extract<Failure, { kind: Kind }>, names: string, next: RegExp];

/** One of each kind, with `given` wherever a value comes from outside. */
function samples(given: string): { readonly [Kind in Failure['kind']]: Sample<Kind> } {
  const problem: Problem = { file: given, line: 3, column: 5, what: { kind: 'missing-key', key: 'base' } };
  return {
    'not-a-repository': [{ kind: 'not-a-repository', folder: given }, given, /in a git repository.*git init/],
    'bare-repository': [{ kind: 'bare-repository', folder: given }, given, /in a working tree/],
    'git-missing': [{ kind: 'git-missing' }, 'git', /Install git 2\.31.*PATH/],
    'git-too-old': [{ kind: 'git-too-old' }, 'git', /Install git 2\.31/],
    'git-failed': [{ kind: 'git-failed', command: 'git diff', said: given }, given, /error that git reports/],
    'unknown-base': [{ kind: 'unknown-base', base: given }, given, /Fetch the base.*--base.*onceover\.yml/],
    'ambiguous-name': [
      { kind: 'ambiguous-name', name: given },
      given,
      /Rename one of the branches or tags.*refs\/heads/,
    ],
    'no-base': [{ kind: 'no-base', tried: ['origin/HEAD', 'main'] }, 'origin/HEAD, main', /--base.*onceover\.yml/],
    'no-merge-base': [{ kind: 'no-merge-base', base: given, shallow: false }, given, /Choose a base.*--base/],
    'several-merge-bases': [{ kind: 'several-merge-bases', base: given }, given, /Merge .* into this branch/],
    'broken-config': [{ kind: 'broken-config', problems: [problem] }, given, /Fix the configuration/],
    'own-files-committed': [{ kind: 'own-files-committed', files: [given] }, given, /git rm -r --cached/],
    'log-dir-hides': [{ kind: 'log-dir-hides', logDir: given, files: [given] }, given, /remove "log_dir"/],
    'bad-review-id': [{ kind: 'bad-review-id', id: given, why: 'separator' }, given, /exactly as the instruction file/],
    'other-worktree': [
      { kind: 'other-worktree', folder: given, root: '/y' },
      given,
      /git config --unset core.worktree/,
    ],
    'odd-root': [{ kind: 'odd-root', folder: given }, given, /Rename the folder/],
    'agent-not-tried': [
      { kind: 'agent-not-tried', agent: given, failure: { kind: 'not-logged-in', said: given } },
      given,
      /Log in/,
    ],
    'cannot-fix': [{ kind: 'cannot-fix', name: given, able: ['claude'] }, 'cannot be a fixer', /claude/],
    'unknown-agent': [{ kind: 'unknown-agent', name: given, known: ['claude'] }, given, /claude/],
    'path-outside': [{ kind: 'path-outside', path: given }, given, /inside the repository/],
    'path-in-the-way': [
      { kind: 'path-in-the-way', path: given, found: 'symlink' },
      given,
      /Move the file or folder away/,
    ],
    'no-signing-key': [{ kind: 'no-signing-key', format: given }, given, /git config gpg.format ssh/],
    'signing-failed': [{ kind: 'signing-failed', why: 'other', key: given, said: given }, given, /run again/],
    'passes-off': [
      { kind: 'passes-off', why: { kind: 'base-has-none', base: given } },
      given,
      /onceover init --passes/,
    ],
    'short-audit-secret': [{ kind: 'short-audit-secret' }, 'ONCEOVER_AUDIT_SECRET', /openssl rand -hex 32/],
    disk: [{ kind: 'disk', action: 'write', path: given, code: 'ENOSPC' }, given, /Free some space/],
    'input-cut-off': [{ kind: 'input-cut-off', code: given }, given, /Check the command that writes to the pipe/],
    'wrong-usage': [{ kind: 'wrong-usage', said: given, command: 'pass' }, given, /"onceover pass --help"/],
    'lock-held': [
      { kind: 'lock-held', pid: 4711, host: given, since: '2026-03-01T12:00:00.000Z' },
      `process 4711 on ${given}, since 2026-03-01T12:00:00.000Z`,
      /Wait until the other run ends/,
    ],
    'confirmed-by-agent': [
      { kind: 'confirmed-by-agent', id: 'F1', isInRun: false },
      'Only a person can confirm a waiver',
      /"onceover resolve F1 --confirm" yourself in a terminal/,
    ],
    'agent-not-installed': [
      { kind: 'agent-not-installed', agent: { name: 'claude', program: given, isFile: true, install: null } },
      'claude cannot start:',
      /^Run "chmod \+x /,
    ],
    'not-configured': [
      { kind: 'not-configured', base: null },
      'This repository has no configuration',
      /"onceover init"/,
    ],
    'not-proposed': [{ kind: 'not-proposed', id: 'F1' }, 'No one has proposed', /resolve F1 --skip/],
    'agreed-inside-a-run': [{ kind: 'agreed-inside-a-run' }, 'only a person', /onceover trust/],
    'inside-a-run': [{ kind: 'inside-a-run' }, 'ONCEOVER_ACTIVE', /Remove "onceover run" from the commands/],
    'finding-closed': [{ kind: 'finding-closed', id: 'F1' }, 'F1', /onceover explain F1/],
    'unknown-path': [{ kind: 'unknown-path', path: given }, given, /existing files or folders/],
    'config-changed': [{ kind: 'config-changed' }, 'changed during the run', /Run again/],
    'unknown-commit': [{ kind: 'unknown-commit', commit: given }, given, /git log/],
    'unknown-gate': [{ kind: 'unknown-gate', gate: given, known: [given] }, given, /one of these gates: \S/],
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
      /one of these gates: check:src:q, \S/,
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
      /one of these features: specs\/login, \S/,
    ],
    'no-feature': [{ kind: 'no-feature', path: given, why: 'missing' }, given, /folder that contains spec\.md/],
    'unusable-artifact': [
      { kind: 'unusable-artifact', path: given as RepoPath, why: 'missing', phase: 'design', needs: 'create-plan' },
      given,
      /Write the document first and have it reviewed with "onceover phase design"/,
    ],
    'artifact-too-long': [
      { kind: 'artifact-too-long', path: given as RepoPath, characters: 900, limit: 800, agent: given },
      given,
      /Split the document.*"agents" in onceover\.yml/,
    ],
    'nothing-to-implement': [{ kind: 'nothing-to-implement', base: given }, given, /--base.*--files/],
    'unnameable-code': [{ kind: 'unnameable-code', names: [given] }, given, /Rename the file/],
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
    'nothing-to-accept': [
      { kind: 'nothing-to-accept', phase: 'specify', feature: given },
      given,
      /without accept_with_notes/,
    ],
    'unknown-loop': [{ kind: 'unknown-loop', id: given }, given, /start_phase/],
    'round-goes-on': [{ kind: 'round-goes-on', id: given }, given, /without a summary/],
    'unreadable-loop': [
      { kind: 'unreadable-loop', phase: 'design', feature: given },
      given,
      /"onceover phase design \S.* --rerun"/,
    ],
    'unreadable-json': [{ kind: 'unreadable-json', path: given, said: 'at 3' }, given, /Fix the file/],
    'passes-carrier': [
      { kind: 'passes-carrier', where: given, why: 'unreachable', said: 'no route' },
      given,
      /onceover passes fetch/,
    ],
    'store-failed': [
      { kind: 'store-failed', where: given, why: 'unreachable', said: 'gone' },
      given,
      /ONCEOVER_STORE=/,
    ],
    'no-forge': [{ kind: 'no-forge', missing: given, expected: 'a token' }, given, /onceover publish/],
    'forge-refused': [{ kind: 'forge-refused', forge: 'GitHub', status: 403, said: given }, given, /permissions/],
    'forge-failed': [{ kind: 'forge-failed', forge: 'GitHub', said: given }, given, /again/],
    'unusable-run': [{ kind: 'unusable-run', path: given, said: 'it is not JSON' }, given, /onceover run --json/],
    ...workflowFailures(given),
  };
}

const each = (given: string) =>
  Object.values(samples(given)).map(([failure, names, next]) => [failure.kind, failure, names, next] as const);

describe('describeFailure', () => {
  test.each(each('some/thing'))('names the cause and the next step: %s', (_, failure, names, next) => {
    const message = describeFailure(failure);
    expect(message.what).toContain(names);
    expect(message.next).toMatch(next);
    expect(message.next).toMatch(/^[A-Z].*\.$/);
  });

  test('names the command that completes a shallow clone', () => {
    const message = describeFailure({ kind: 'no-merge-base', base: 'origin/main', shallow: true });
    expect(message.what).toMatch(/shallow clone.*origin\/main/);
    expect(message.next).toMatch(/git fetch --unshallow.*fetch-depth/);
  });

  test('shows the output of git line by line under its command', () => {
    const { what } = describeFailure({ kind: 'git-failed', command: 'git diff x', said: 'fatal: one\nhint: two' });
    expect(what.split('\n').slice(1)).toEqual(['  git diff x', '  fatal: one', '  hint: two']);
  });

  test('shows one line per problem of the configuration', () => {
    const problem = (line: number): Problem => ({
      file: 'onceover.yml',
      line,
      column: 1,
      what: { kind: 'missing-key', key: 'base' },
    });
    const { what } = describeFailure({ kind: 'broken-config', problems: [problem(1), problem(2)] });
    expect(what.split('\n').map((line) => line.slice(0, 17))).toEqual(['onceover.yml:1:1:', 'onceover.yml:2:1:']);
  });

  test.each<[BadReviewId, string]>([
    ['empty', 'it is empty'],
    ['dots', 'it contains ".."'],
    ['absolute', 'it starts with "/"'],
    ['separator', 'it contains "/"'],
    ['nul', 'it contains a NUL character'],
    ['too-long', 'it is longer than a file name can be'],
  ])('says why a review id is invalid: %s', (why, said) => {
    expect(describeFailure({ kind: 'bad-review-id', id: 'x', why }).what).toContain(said);
  });

  test('cuts a very long review id', () => {
    const { what } = describeFailure({ kind: 'bad-review-id', id: 'x'.repeat(5000), why: 'too-long' });
    expect(what.length).toBeLessThan(250);
  });

  test.each([
    ['read', 'could not be read: permission was denied (EACCES)'],
    ['write', 'could not be written: permission was denied (EACCES)'],
  ] as const)('says whether the disk refused to read or write: %s', (action, said) => {
    expect(describeFailure({ kind: 'disk', action, path: 'a', code: 'EACCES' }).what).toContain(said);
  });

  test.each([
    ['ENOSPC', 'the disk is full (ENOSPC)', 'Free some space'],
    ['EROFS', 'the disk is read-only (EROFS)', 'a disk that it can write to'],
    ['EPERM', 'permission was denied (EPERM)', 'permissions'],
    ['EWEIRD', 'could not be written: EWEIRD.', 'permissions and the free disk space'],
    ['not a finding', 'could not be written: not a finding.', 'Fix the file'],
  ])('explains the error code %s', (code, what, next) => {
    const message = describeFailure({ kind: 'disk', action: 'write', path: 'a', code });
    expect([message.what, message.next]).toEqual([expect.stringContaining(what), expect.stringContaining(next)]);
  });

  test.each([
    ['symlink', 'is a symlink'],
    ['folder', 'is a folder'],
    ['file', 'is a file'],
    ['repository', 'is a nested repository'],
    ['other', 'is a special file'],
  ] as const)('says what is in the way: %s', (found, said) => {
    expect(describeFailure({ kind: 'path-in-the-way', path: 'a', found }).what).toContain(said);
  });

  test.each<[Failure, keyof Message, string]>([
    [{ kind: 'unknown-gate', gate: 'x', known: [] }, 'next', 'Create a first onceover.yml with "onceover init".'],
    [
      { kind: 'unknown-finding', id: 'F9', known: [] },
      'next',
      'No finding is open. Run "onceover status" to see the gates.',
    ],
    [{ kind: 'feature-without-loops', feature: 'x', known: [] }, 'next', 'Run one with "onceover phase".'],
    [
      { kind: 'feature-without-loops', feature: '', known: ['a'] },
      'what',
      'No phase was run on the root folder in this clone',
    ],
    [{ kind: 'unknown-run', id: null }, 'what', 'No run was started here.'],
  ])('says that there is none at all: %o', (failure, part, said) => {
    expect(describeFailure(failure)[part]).toContain(said);
  });

  test.each([
    ['missing', '"onceover phase create-plan" needs f/design.md (the design), which does not exist.'],
    ['empty', '"onceover phase create-plan" needs f/design.md (the design), which is empty.'],
    ['not-text', '"onceover phase create-plan" needs f/design.md (the design), which is not UTF-8 text.'],
    ['ignored', 'is ignored by git, so onceover cannot see its changes'],
    ['withheld', 'is withheld from reviewers, because it is untracked and either over 5 MiB or looks like a secret'],
    ['generated', 'is in .deepwork/tmp, which belongs to onceover and is never reviewed'],
    ['symlink', 'is a symlink, which onceover does not follow'],
  ] as const)('says why a document is unusable: %s', (why, said) => {
    const path = 'f/design.md' as RepoPath;
    const message = describeFailure({ kind: 'unusable-artifact', path, why, phase: 'design', needs: 'create-plan' });
    expect(message.what).toContain(said);
  });

  test('asks only to write the document that the phase itself reviews', () => {
    const path = 'f/design.md' as RepoPath;
    expect(
      describeFailure({ kind: 'unusable-artifact', path, why: 'missing', phase: 'design', needs: 'design' }),
    ).toEqual({
      what: '"onceover phase design" reviews f/design.md (the design), which does not exist.',
      next: 'Write the document first.',
    });
  });

  test('distinguishes agents that are not installed from agents at their limit', () => {
    const until = new Date('2026-03-01T12:00:00.000Z');
    const cooling = [{ agent: 'claude', until, said: 'limit' }];
    expect(describeFailure({ kind: 'no-reviewer', wanted: [], cooling: [] }).what).toBe(
      'No reviewer is available: no agent is installed; see "onceover doctor".',
    );
    expect(describeFailure({ kind: 'no-reviewer', wanted: [], cooling })).toEqual({
      what: 'No reviewer is available: every available agent has reached a limit (claude until 2026-03-01T12:00:00.000Z); "onceover doctor" lets the next run call them before that.',
      next: 'Wait until then, or add another agent under "agents" in onceover.yml.',
    });
  });

  test('calls the default folder of the records a default', () => {
    expect(
      describeFailure({ kind: 'log-dir-hides', logDir: '.deepwork/logs', files: ['.deepwork/logs/a.md'] }),
    ).toEqual({
      what: '.deepwork/logs, the default folder for records, contains tracked files that are not records (.deepwork/logs/a.md), and changes to them would not be reviewed.',
      next: 'Move these files, or set "log_dir" in onceover.yml to another folder.',
    });
  });

  test('points at the general help if no command was given', () => {
    expect(describeFailure({ kind: 'wrong-usage', said: 'x', command: null }).next).toBe(
      'Run "onceover --help" for details.',
    );
  });
});

describe('describeFailure with a hostile value', () => {
  test.each(each('a\rb\x1b[31mc\u2028d\u202ee\x9bf'))('escapes invisible characters: %s', (_, failure) => {
    const { what, next } = describeFailure(failure);
    expect(`${what}${next}`).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u);
  });

  // Lists and the output of git take several lines, which are indented.
  test.each(each('a\nonceover: all passed'))('indents or escapes line breaks: %s', (_, failure) => {
    const { what, next } = describeFailure(failure);
    expect(`${what}${next}`).not.toMatch(/\n(?! {2})/);
  });

  test('indents line breaks of git', () => {
    const { what } = describeFailure({ kind: 'git-failed', command: 'git x\ny', said: 'a\nonceover: all passed' });
    expect(what.split('\n').slice(1)).toEqual(['  git x\\ny', '  a', '  onceover: all passed']);
  });
});
