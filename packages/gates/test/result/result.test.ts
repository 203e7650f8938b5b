import { describeUsage } from '@onceover/agents/ledger/describe';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import {
  CHECK_FAILED,
  claim,
  failedCheck,
  gateOutcome,
  path,
  reported,
  runOutcome,
  STUCK,
  slotOutcome,
  usage,
} from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { describeRunNotice, describeVerdict } from '../../src/result/describe/result.ts';
import type { RequestedScope, RunNotice, RunOutcome } from '../../src/result/types.ts';

const asked = (differs: Partial<RequestedScope>): RequestedScope => ({ gates: [], paths: [], others: [], ...differs });
const FAILED = gateOutcome({ status: 'fail', why: 'open-findings', slots: [slotOutcome({ status: 'fail' })] });

describe('the verdict of a run', () => {
  test.each<[string, Partial<RunOutcome>, string]>([
    ['nothing changed', { status: 'no_changes', gates: [] }, 'Nothing to review: no changes since main (exit code 0)'],
    [
      'nothing changed, and HEAD is the base branch',
      { status: 'no_changes', gates: [], isOnBase: true },
      'You are on the base branch, so there is nothing to compare. Review the last commit with "onceover run --commit HEAD", or choose a base with --base.',
    ],
    [
      'nothing changed, and there is no commit',
      { status: 'no_changes', gates: [], baseName: null },
      'Nothing to review: there are no files yet (exit code 0)',
    ],
    [
      'no gate',
      { status: 'no_applicable_gates', gates: [] },
      'Nothing was reviewed: no gate or rule covers the changed files (exit code 0)',
    ],
    ['passed', {}, 'Passed: 1 gate (exit code 0)'],
    ['nothing had to run', { iteration: null }, 'Passed: 1 gate, unchanged since the last pass (exit code 0)'],
    [
      'a gate passes because of a waiver',
      { iteration: null, gates: [gateOutcome({ status: 'holds', why: 'waived' })] },
      'Passed: 1 gate, with waived findings, unchanged since the last run (exit code 0)',
    ],
    [
      'a narrow run passed',
      { scope: { key: 'uncommitted', kind: 'narrow' } },
      'Passed: 1 gate, uncommitted changes only (exit code 0)',
    ],
    [
      'files passed, and nothing had to run',
      { iteration: null, scope: { key: 'files src/a.ts', kind: 'narrow' } },
      'Passed: 1 gate, the named files only, unchanged since the last pass (exit code 0)',
    ],
    [
      'a commit passed',
      { scope: { key: 'commit 1234', kind: 'narrow' } },
      'Passed: 1 gate, this commit only (exit code 0)',
    ],
    [
      'passed since another base',
      { scope: { key: 'base next', kind: 'narrow' }, baseName: 'next' },
      'Passed: 1 gate, changes since next only (exit code 0)',
    ],
    [
      'some gates passed',
      { asked: asked({ gates: ['lint'], others: ['review:src:code-quality'] }) },
      'Passed: 1 requested gate (exit code 0)',
    ],
    ['all gates passed, by their names', { asked: asked({ gates: ['lint'] }) }, 'Passed: 1 gate (exit code 0)'],
    [
      'paths without a gate',
      { status: 'no_applicable_gates', gates: [], asked: asked({ paths: [path('README.md'), path('b c')] }) },
      'Nothing was reviewed: no gate or rule has a change to review in README.md, "b c" (exit code 0)',
    ],
    [
      'a requested gate without changes',
      { status: 'no_applicable_gates', gates: [], asked: asked({ gates: ['lint'] }) },
      'Nothing was reviewed: lint has nothing to review in this change (exit code 0)',
    ],
    [
      'nothing was run yet',
      { status: 'failed', exitCode: 1, iteration: null, gates: [gateOutcome({ status: 'not_run' })] },
      'Not reviewed yet: 1 gate has not passed on the current code (exit code 1)',
    ],
    [
      'one gate passes, two were not run yet',
      {
        status: 'failed',
        exitCode: 1,
        iteration: null,
        gates: [
          gateOutcome({ status: 'holds' }),
          gateOutcome({ status: 'not_run' }),
          gateOutcome({ status: 'not_run' }),
        ],
      },
      'Not reviewed yet: 2 gates have not passed on the current code (exit code 1)',
    ],
    [
      'one gate was not run yet, and a finding is open',
      {
        status: 'failed',
        exitCode: 1,
        iteration: null,
        gates: [gateOutcome({ status: 'not_run' })],
        findings: [reported()],
      },
      'Failed: 1 open finding in 1 gate, 1 gate not run (exit code 1)',
    ],
    ['warnings', { status: 'passed_with_warnings' }, 'Passed with warnings: 1 gate (exit code 0)'],
    [
      'a gate without a result',
      { status: 'error', exitCode: 3, gates: [STUCK] },
      'Error: 1 gate without a result (exit code 3)',
    ],
    [
      'several of each',
      {
        status: 'failed',
        exitCode: 1,
        gates: [
          FAILED,
          { ...FAILED, id: 'review:src:b' },
          STUCK,
          STUCK,
          gateOutcome({ status: 'not_run' }),
          gateOutcome({ status: 'not_run' }),
        ],
        findings: [reported(), reported({ resolution: claim() }, 'fixed_claimed'), reported({}, 'warning')],
      },
      'Failed: 2 open findings in 1 gate, 1 failed review, 2 gates without a result, 2 gates not run (exit code 1)',
    ],
    [
      'one was not run',
      { status: 'failed', exitCode: 1, gates: [gateOutcome({ status: 'not_run' })] },
      'Failed: 1 gate not run (exit code 1)',
    ],
    [
      'the retry limit',
      { status: 'retry_limit_exceeded', exitCode: 1 },
      'Failed: a gate failed too often without progress, so onceover stopped running it (exit code 1)',
    ],
    [
      'another run',
      { status: 'lock_conflict', exitCode: 3, gates: [] },
      'Another run is in progress in this working tree (exit code 3)',
    ],
  ])('in one line: %s', (_title, differs, expected) => {
    expect(describeVerdict(runOutcome(differs))).toContain(expected);
  });

  test.each<[string, Partial<RunOutcome>, string | null]>([
    ['all of it', {}, null],
    ['all gates by name', { asked: asked({ gates: ['lint'] }) }, null],
    ['some gates', { asked: asked({ others: ['check:.:lint', 'review:src:b c'] }) }, 'check:.:lint, "review:src:b c"'],
    ['uncommitted', { scope: { key: 'uncommitted', kind: 'narrow' } }, 'committed changes'],
    ['a commit', { scope: { key: 'commit 12', kind: 'narrow' } }, 'everything else'],
    [
      'some gates of some files',
      { scope: { key: 'files a', kind: 'narrow' }, asked: asked({ others: ['check:.:lint'] }) },
      'all other files; check:.:lint',
    ],
    ['some gates, and they fail', { status: 'failed', asked: asked({ others: ['check:.:lint'] }) }, null],
  ])('lists what was not part of the run: %s', (_title, differs, expected) => {
    const line = /^Not part of this run: (.*)\.$/m.exec(describeVerdict(runOutcome(differs)).join('\n'))?.[1] ?? null;
    expect(line).toBe(expected);
  });

  test.each<[string, Partial<RunOutcome>, RegExp]>([
    [
      'open findings',
      { status: 'failed', exitCode: 1, gates: [FAILED], findings: [reported({ id: 'F7' })] },
      /^Next: fix the open finding, then .*\nTo waive the finding instead: onceover resolve F7 --skip/m,
    ],
    [
      'open findings in a job of a pull request, where a waiver would be lost',
      {
        status: 'failed',
        exitCode: 1,
        gates: [FAILED],
        findings: [reported({ id: 'F7' })],
        notices: [{ kind: 'base-config', base: 'origin/main' }],
      },
      /^Next: fix the open finding, then [^\n]*$(?![\s\S]*To waive)/m,
    ],
    [
      'a finding that is marked as fixed',
      {
        status: 'failed',
        exitCode: 1,
        gates: [FAILED],
        findings: [reported({ id: 'F7', resolution: claim() }, 'fixed_claimed')],
      },
      /^Next: fix the open finding, then .*\nTo waive the finding instead: onceover resolve F7 --skip/m,
    ],
    [
      'an open finding and a gate without a result',
      {
        status: 'failed',
        exitCode: 1,
        gates: [FAILED, gateOutcome({ status: 'error', why: 'changed-meanwhile' })],
        findings: [reported({ id: 'F7' })],
      },
      /^Next: fix the open finding and the error above, then run "onceover run" again\.$/m,
    ],
    [
      'an open finding and no agent',
      { status: 'failed', exitCode: 1, gates: [FAILED, STUCK], findings: [reported({ id: 'F7' })] },
      /^Next: fix the open finding, run "onceover doctor" to see how to install an agent, then run "onceover run" again\.$/m,
    ],
    [
      'the retry limit',
      { status: 'retry_limit_exceeded', exitCode: 1, gates: [gateOutcome({ status: 'fail', why: 'retry-limit' })] },
      /^Next: look at the open findings; then .*resolve.*run --force.*clean.*\.$/m,
    ],
    [
      'the retry limit without open findings',
      {
        status: 'retry_limit_exceeded',
        exitCode: 1,
        iteration: null,
        gates: [gateOutcome({ status: 'not_run', why: 'retry-limit' })],
      },
      /^Failed: .*\nNext: look at .*\.$/,
    ],
    [
      'a gate without a result',
      { status: 'error', exitCode: 3, gates: [gateOutcome({ status: 'error', why: 'changed-meanwhile' })] },
      /^Next: fix the error above, then run "onceover run" again\.$/m,
    ],
    [
      'no agent',
      { status: 'error', exitCode: 3, gates: [STUCK] },
      /^Next: run "onceover doctor" to see how to install an agent, then run "onceover run" again\.$/m,
    ],
    [
      'an agent that is not logged in',
      {
        status: 'error',
        exitCode: 3,
        gates: [
          gateOutcome({
            ...STUCK,
            slots: [
              slotOutcome({
                trouble: { kind: 'agent', agent: 'claude', failure: { kind: 'not-logged-in', said: 'no' } },
              }),
            ],
          }),
        ],
      },
      /^Next: start claude once and log in, then run "onceover run" again\.$/m,
    ],
    [
      'a check whose command is not installed',
      { status: 'failed', exitCode: 1, gates: [{ ...CHECK_FAILED, check: { ...failedCheck, exitCode: 127 } }] },
      /^Next: install the command that the check calls, or change the check in onceover\.yml, then run "onceover run" again\.$/m,
    ],
    ['no gate', { status: 'no_applicable_gates', gates: [] }, /^Next: add a gate for these files to onceover\.yml\.$/m],
    [
      'no configuration, with --allow-unconfigured',
      { status: 'no_applicable_gates', gates: [], notices: [{ kind: 'unconfigured', base: 'origin/main' }] },
      /^Neutral, nothing was reviewed: no gate and no rule is configured on origin\/main yet \(exit code 0\)\nNext: create a first configuration with "onceover init"\.$/m,
    ],
    [
      'no gate for the requested paths',
      { status: 'no_applicable_gates', gates: [], asked: asked({ paths: [path('README.md')] }) },
      /^Next: run "onceover status" to see the gates of this change\.$/m,
    ],
  ])('gives the next step: %s', (_title, differs, expected) => {
    expect(describeVerdict(runOutcome(differs)).join('\n')).toMatch(expected);
  });

  describe.each<[string, Partial<RunOutcome>]>([
    ['a check failed', { status: 'failed', exitCode: 1, gates: [CHECK_FAILED] }],
    [
      'something was not run yet',
      {
        status: 'failed',
        exitCode: 1,
        iteration: null,
        gates: [gateOutcome({ status: 'not_run', why: 'slots-to-run' })],
      },
    ],
    ['another run', { status: 'lock_conflict', exitCode: 3, gates: [] }],
  ])('%s', (_title, differs) => {
    test('gives a next step', () => {
      expect(describeVerdict(runOutcome(differs)).join('\n')).toMatch(/^Next: /m);
    });
  });

  test('names a changed file whose name is not UTF-8', () => {
    const notices = [{ kind: 'unnameable', name: 'x' }] as const;
    expect(describeVerdict(runOutcome({ status: 'error', exitCode: 3, notices }))[0]).toBe(
      'Error: the name of a changed file is not UTF-8 (exit code 3)',
    );
  });

  test('says that a report is missing if every gate passes', () => {
    expect(describeVerdict(runOutcome({ status: 'error', exitCode: 3 }))[0]).toBe(
      'Error: every gate passes, but a report is missing (exit code 3)',
    );
  });

  test('gives no next step after a pass', () => {
    expect(describeVerdict(runOutcome())).toHaveLength(1);
  });
});

test.each<[string, Parameters<typeof usage>[0], string]>([
  ['few', { inputTokens: 979 }, '999 tokens'],
  ['a thousand', { inputTokens: 980 }, '1.0k tokens'],
  ['many', { inputTokens: 99_479 }, '99.5k tokens'],
  ['more', { inputTokens: 99_480 }, '100k tokens'],
  ['very many', { inputTokens: 999_479 }, '999k tokens'],
  ['a million', { inputTokens: 999_480 }, '1.00M tokens'],
  ['all kinds together', { cachedInputTokens: 1500, cacheWriteTokens: 1000 }, '2.6k tokens (1.5k cached)'],
  ['money', { costUsd: 1.005 }, '120 tokens, $1.00'],
  ['little money', { costUsd: 0.0123 }, '120 tokens, $0.0123'],
  ['a tenth', { costUsd: 0.1 }, '120 tokens, $0.10'],
  ['no money', { costUsd: 0 }, '120 tokens, $0.00'],
])('usage: %s', (_title, differs, expected) => {
  expect(describeUsage(usage(differs))).toBe(expected);
});

describe('a notice', () => {
  const evil = 'a\nb\x1b';
  const samples: { readonly [K in RunNotice['kind']]: readonly [Extract<RunNotice, { kind: K }>, RegExp] } = {
    'idle-gate': [{ kind: 'idle-gate', path: evil }, /no file matches the gate path/],
    'ignored-setting': [{ kind: 'ignored-setting', name: evil }, /has no effect any more: delete it/],
    'tracked-log-dir': [{ kind: 'tracked-log-dir', logDir: evil }, /git tracks/],
    unnameable: [{ kind: 'unnameable', name: evil }, /not UTF-8/],
    submodule: [{ kind: 'submodule', path: path(evil) }, /is a submodule; only its commit/],
    'dirty-submodule': [{ kind: 'dirty-submodule', path: path(evil) }, /submodule with uncommitted changes/],
    'base-config': [{ kind: 'base-config', base: evil }, /pull request.* come from/],
    unconfigured: [{ kind: 'unconfigured', base: evil }, /no gate and no rule is configured on .* yet/],
    'checks-left-out': [{ kind: 'checks-left-out' }, /a run about a commit leaves them out/],
    binary: [{ kind: 'binary', paths: [path(evil)] }, /not text.* only that the content differs/],
    'reference-unusable': [
      { kind: 'reference-unusable', rule: 'security', path: path(evil), why: 'missing' },
      /rule security: the reference file .* cannot be shown \(missing\)/,
    ],
    'absent-agents': [{ kind: 'absent-agents', agents: [evil] }, /is not installed, so other agents reviewed instead/],
    'no-price': [{ kind: 'no-price', agents: [evil] }, /budget\.usd does not count .* no price/],
    'not-in-ledger': [
      {
        kind: 'not-in-ledger',
        message: describeFailure({ kind: 'disk', action: 'write', path: evil, code: 'ENOSPC' }).what,
      },
      /the cost of this run was not recorded/,
    ],
    'not-shared': [
      {
        kind: 'not-shared',
        message: describeFailure({ kind: 'disk', action: 'write', path: evil, code: 'ENOSPC' }).what,
      },
      /the passes of this run were not shared/,
    ],
    'no-shared-passes': [
      { kind: 'no-shared-passes', why: { kind: 'base-has-none', base: evil } },
      /does not have it, so no pass of another clone is accepted/,
    ],
    'passes-repeated': [
      { kind: 'passes-repeated', gates: [evil] },
      /passes of other clones count for .*; set "unchanged_gates: rest"/,
    ],
    'hidden-by-fixer': [
      { kind: 'hidden-by-fixer', paths: [null, evil] },
      /the fixer changed what reviewers see: the settings of git, /,
    ],
    'proof-taken-back': [{ kind: 'proof-taken-back', paths: [evil] }, /while the fixer ran.* restored them: /],
    'orphan-slot': [
      { kind: 'orphan-slot', gate: evil, slot: 3, ids: ['F1', 'F2'] },
      /no longer has a reviewer 3, which left F1, F2 open/,
    ],
    'orphan-gate': [{ kind: 'orphan-gate', gate: evil, ids: ['F1'] }, /no longer exists, but F1 is still open/],
  };

  test.each(Object.values(samples))('$kind', (notice, expected) => {
    expect(describeRunNotice(notice)).toMatch(expected);
    expect(describeRunNotice(notice)).not.toMatch(/[\n\x1b]/);
  });

  test('lists several findings of a removed gate', () => {
    expect(describeRunNotice({ kind: 'orphan-gate', gate: 'x', ids: ['F1', 'F2'] })).toContain('F1, F2 are still open');
  });
});
