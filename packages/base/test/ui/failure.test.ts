import { workflowFailures } from '@onceover/testing/workflow-failures.ts';
import { describe, expect, test } from 'vitest';
import type { BadReviewId, Failure, Problem } from '../../src/kernel/failure.ts';
import type { RepoPath } from '../../src/kernel/ids.ts';
import { describeFailure } from '../../src/ui/describe-failure.ts';
import type { Message } from '../../src/ui/wording.ts';

type Sample<Kind> = readonly [failure: Extract<Failure, { kind: Kind }>, names: string, next: RegExp];

/** One of each kind, with `input` wherever a value comes from outside. */
function samples(input: string): { readonly [Kind in Failure['kind']]: Sample<Kind> } {
  const problem: Problem = { file: input, line: 3, column: 5, what: { kind: 'missing-key', key: 'base' } };
  return {
    'not-a-repository': [{ kind: 'not-a-repository', folder: input }, input, /in a git repository.*git init/],
    'bare-repository': [{ kind: 'bare-repository', folder: input }, input, /in a working tree/],
    'git-missing': [{ kind: 'git-missing' }, 'git', /Install git 2\.31.*PATH/],
    'git-too-old': [{ kind: 'git-too-old' }, 'git', /Install git 2\.31/],
    'git-failed': [{ kind: 'git-failed', command: 'git diff', said: input }, input, /error that git reports/],
    'unknown-base': [{ kind: 'unknown-base', base: input }, input, /Fetch the base.*--base.*onceover\.yml/],
    'ambiguous-name': [
      { kind: 'ambiguous-name', name: input },
      input,
      /Rename one of the branches or tags.*refs\/heads/,
    ],
    'no-base': [{ kind: 'no-base', tried: ['origin/HEAD', 'main'] }, 'origin/HEAD, main', /--base.*onceover\.yml/],
    'unknown-target': [{ kind: 'unknown-target', guess: input }, input, /--base.*ONCEOVER_BASE/],
    'other-head': [{ kind: 'other-head', head: input }, input, /Check out the pull request/],
    'no-merge-base': [{ kind: 'no-merge-base', base: input, shallow: false }, input, /Choose a base.*--base/],
    'several-merge-bases': [{ kind: 'several-merge-bases', base: input }, input, /Merge .* into this branch/],
    'broken-config': [{ kind: 'broken-config', problems: [problem] }, input, /Fix the configuration/],
    'own-files-committed': [{ kind: 'own-files-committed', files: [input] }, input, /git rm -r --cached/],
    'log-dir-hides': [{ kind: 'log-dir-hides', logDir: input, files: [input] }, input, /remove "log_dir"/],
    'bad-review-id': [{ kind: 'bad-review-id', id: input, why: 'separator' }, input, /exactly as the instruction file/],
    'other-worktree': [
      { kind: 'other-worktree', folder: input, root: '/y' },
      input,
      /git config --unset core.worktree/,
    ],
    'odd-root': [{ kind: 'odd-root', folder: input }, input, /Rename the folder/],
    'agent-not-tried': [
      { kind: 'agent-not-tried', agent: input, failure: { kind: 'not-logged-in', said: input } },
      input,
      /Log in/,
    ],
    'cannot-fix': [{ kind: 'cannot-fix', name: input, able: ['claude'] }, 'cannot be a fixer', /claude/],
    'unknown-agent': [{ kind: 'unknown-agent', name: input, known: ['claude'] }, input, /claude/],
    'path-outside': [{ kind: 'path-outside', path: input }, input, /inside the repository/],
    'path-in-the-way': [
      { kind: 'path-in-the-way', path: input, found: 'symlink' },
      input,
      /Move the file or folder away/,
    ],
    'no-signing-key': [{ kind: 'no-signing-key', format: input }, input, /git config gpg.format ssh/],
    'signing-failed': [{ kind: 'signing-failed', why: 'other', key: input, said: input }, input, /run again/],
    'passes-off': [
      { kind: 'passes-off', why: { kind: 'base-has-none', base: input } },
      input,
      /onceover init --passes/,
    ],
    'no-audit-secret': [{ kind: 'no-audit-secret' }, 'ONCEOVER_AUDIT_SECRET', /run --no-accept/],
    'short-audit-secret': [{ kind: 'short-audit-secret' }, 'ONCEOVER_AUDIT_SECRET', /openssl rand -hex 32/],
    disk: [{ kind: 'disk', action: 'write', path: input, code: 'ENOSPC' }, input, /Free some space/],
    'input-cut-off': [{ kind: 'input-cut-off', code: input }, input, /Check the command that writes to the pipe/],
    'wrong-usage': [{ kind: 'wrong-usage', said: input, command: 'pass' }, input, /"onceover pass --help"/],
    'lock-held': [
      { kind: 'lock-held', pid: 4711, host: input, since: '2026-03-01T12:00:00.000Z' },
      `process 4711 on ${input}, since 2026-03-01T12:00:00.000Z`,
      /Wait until the other run ends/,
    ],
    'confirmed-by-agent': [
      { kind: 'confirmed-by-agent', id: 'F1', isInRun: false },
      'Only a person can confirm a waiver',
      /"onceover resolve F1 --confirm" yourself in a terminal/,
    ],
    'agent-not-installed': [
      { kind: 'agent-not-installed', agent: { name: 'claude', program: input, isFile: true, install: null } },
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
    'unknown-path': [{ kind: 'unknown-path', path: input }, input, /existing files or folders/],
    'config-changed': [{ kind: 'config-changed' }, 'changed during the run', /Run again/],
    'unknown-commit': [{ kind: 'unknown-commit', commit: input }, input, /git log/],
    'unknown-gate': [{ kind: 'unknown-gate', gate: input, known: [input] }, input, /one of these gates: \S/],
    'unknown-finding': [
      { kind: 'unknown-finding', id: input, known: ['F1', 'F12'] },
      input,
      /F1, F12.*onceover status/,
    ],
    'unknown-subject': [
      { kind: 'unknown-subject', name: input },
      input,
      /"review:src:code-quality@1".*onceover status/,
    ],
    'ambiguous-subject': [
      { kind: 'ambiguous-subject', name: input, gates: ['check:src:q', input] },
      input,
      /one of these gates: check:src:q, \S/,
    ],
    'not-trusted': [{ kind: 'not-trusted', commands: ['make', input] }, input, /"onceover trust"/],
    'unknown-run': [{ kind: 'unknown-run', id: input }, input, /start_run/],
    'unknown-phase': [
      { kind: 'unknown-phase', name: input },
      input,
      /specify, design, create-plan, create-tasks, implement/,
    ],
    'feature-without-loops': [
      { kind: 'feature-without-loops', feature: input, known: ['specs/login', input] },
      input,
      /one of these features: specs\/login, \S/,
    ],
    'no-feature': [{ kind: 'no-feature', path: input, why: 'missing' }, input, /folder that contains spec\.md/],
    'unusable-artifact': [
      { kind: 'unusable-artifact', path: input as RepoPath, why: 'missing', phase: 'design', needs: 'create-plan' },
      input,
      /Write the document first and have it reviewed with "onceover phase design"/,
    ],
    'artifact-too-long': [
      { kind: 'artifact-too-long', path: input as RepoPath, characters: 900, limit: 800, agent: input },
      input,
      /Split the document.*"agents" in onceover\.yml/,
    ],
    'nothing-to-implement': [{ kind: 'nothing-to-implement', base: input }, input, /--base.*--files/],
    'unnameable-code': [{ kind: 'unnameable-code', names: [input] }, input, /Rename the file/],
    'no-reviewer': [{ kind: 'no-reviewer', wanted: [input], cooling: [] }, input, /"onceover doctor"/],
    'no-waiting-loop': [
      { kind: 'no-waiting-loop', phase: 'specify', feature: input },
      input,
      /"onceover phase specify \S.* --step"/,
    ],
    'unjudged-round': [
      { kind: 'unjudged-round', phase: 'specify', feature: input },
      input,
      /without a summary \("onceover phase specify \S.* --step"\)/,
    ],
    'nothing-to-accept': [
      { kind: 'nothing-to-accept', phase: 'specify', feature: input },
      input,
      /without accept_with_notes/,
    ],
    'unknown-loop': [{ kind: 'unknown-loop', id: input }, input, /start_phase/],
    'round-goes-on': [{ kind: 'round-goes-on', id: input }, input, /without a summary/],
    'unreadable-loop': [
      { kind: 'unreadable-loop', phase: 'design', feature: input },
      input,
      /"onceover phase design \S.* --rerun"/,
    ],
    'unreadable-json': [{ kind: 'unreadable-json', path: input, said: 'at 3' }, input, /Fix the file/],
    'passes-carrier': [
      { kind: 'passes-carrier', where: input, why: 'unreachable', said: 'no route' },
      input,
      /onceover passes fetch/,
    ],
    'store-failed': [
      { kind: 'store-failed', where: input, why: 'unreachable', said: 'gone' },
      input,
      /ONCEOVER_STORE=/,
    ],
    'no-forge': [{ kind: 'no-forge', missing: input, expected: 'a token' }, input, /onceover publish/],
    'forge-refused': [{ kind: 'forge-refused', forge: 'GitHub', status: 403, said: input }, input, /permissions/],
    'forge-failed': [{ kind: 'forge-failed', forge: 'GitHub', said: input }, input, /again/],
    'unusable-run': [{ kind: 'unusable-run', path: input, said: 'it is not JSON' }, input, /onceover run --json/],
    ...workflowFailures(input),
  };
}

const casesOf = (input: string) =>
  Object.values(samples(input)).map(([failure, names, next]) => [failure.kind, failure, names, next] as const);

describe('describeFailure', () => {
  test.each(casesOf('some/thing'))('names the cause and the next step: %s', (_, failure, names, next) => {
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
  ])('says why a review id is invalid: %s', (why, reason) => {
    expect(describeFailure({ kind: 'bad-review-id', id: 'x', why }).what).toContain(reason);
  });

  test('cuts a very long review id', () => {
    const { what } = describeFailure({ kind: 'bad-review-id', id: 'x'.repeat(5000), why: 'too-long' });
    expect(what.length).toBeLessThan(250);
  });

  test.each([
    ['read', 'could not be read: permission was denied (EACCES)'],
    ['write', 'could not be written: permission was denied (EACCES)'],
  ] as const)('says whether the disk refused to read or write: %s', (action, reason) => {
    expect(describeFailure({ kind: 'disk', action, path: 'a', code: 'EACCES' }).what).toContain(reason);
  });

  test.each([
    ['ENOSPC', 'the disk is full (ENOSPC)', 'Free some space'],
    ['EROFS', 'the disk is read-only (EROFS)', 'a disk that it can write to'],
    ['EPERM', 'permission was denied (EPERM)', 'permissions'],
    ['EWEIRD', 'could not be written: EWEIRD.', 'permissions and the free disk space'],
    ['not a finding', 'could not be written: not a finding.', 'Fix the file'],
  ])('explains the error code %s', (code, reason, next) => {
    const message = describeFailure({ kind: 'disk', action: 'write', path: 'a', code });
    expect([message.what, message.next]).toEqual([expect.stringContaining(reason), expect.stringContaining(next)]);
  });

  test.each([
    ['symlink', 'is a symlink'],
    ['folder', 'is a folder'],
    ['file', 'is a file'],
    ['repository', 'is a nested repository'],
    ['other', 'is a special file'],
  ] as const)('says what is in the way: %s', (obstacle, reason) => {
    expect(describeFailure({ kind: 'path-in-the-way', path: 'a', found: obstacle }).what).toContain(reason);
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
  ])('says that there is none at all: %o', (failure, part, sentence) => {
    expect(describeFailure(failure)[part]).toContain(sentence);
  });

  test.each([
    ['missing', '"onceover phase create-plan" needs f/design.md (the design), which does not exist.'],
    ['empty', '"onceover phase create-plan" needs f/design.md (the design), which is empty.'],
    ['not-text', '"onceover phase create-plan" needs f/design.md (the design), which is not UTF-8 text.'],
    ['ignored', 'is ignored by git, so onceover cannot see its changes'],
    ['withheld', 'is withheld from reviewers, because it is untracked and either over 5 MiB or looks like a secret'],
    ['generated', 'is in .deepwork/tmp, which belongs to onceover and is never reviewed'],
    ['symlink', 'is a symlink, which onceover does not follow'],
  ] as const)('says why a document is unusable: %s', (why, reason) => {
    const path = 'f/design.md' as RepoPath;
    const message = describeFailure({ kind: 'unusable-artifact', path, why, phase: 'design', needs: 'create-plan' });
    expect(message.what).toContain(reason);
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
  test.each(casesOf('a\rb\x1b[31mc\u2028d\u202ee\x9bf'))('escapes invisible characters: %s', (_, failure) => {
    const { what, next } = describeFailure(failure);
    expect(`${what}${next}`).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u);
  });

  // Lists and the output of git take several lines, which are indented.
  test.each(casesOf('a\nonceover: all passed'))('indents or escapes line breaks: %s', (_, failure) => {
    const { what, next } = describeFailure(failure);
    expect(`${what}${next}`).not.toMatch(/\n(?! {2})/);
  });

  test('indents line breaks of git', () => {
    const { what } = describeFailure({ kind: 'git-failed', command: 'git x\ny', said: 'a\nonceover: all passed' });
    expect(what.split('\n').slice(1)).toEqual(['  git x\\ny', '  a', '  onceover: all passed']);
  });
});
