import { workflowFailures } from '@onceover/testing/workflow-failures.ts';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/kernel/failure.ts';
import { exitCode } from '../../src/kernel/failure.ts';
import type { RepoPath } from '../../src/kernel/ids.ts';

type OneOfEach = { [Kind in Failure['kind']]: readonly [Extract<Failure, { kind: Kind }>, 2 | 3] };

const USAGE = 2;
const COULD_NOT_JUDGE = 3;

const ofWorkflows = workflowFailures('x');

const CODES: OneOfEach = {
  'not-a-repository': [{ kind: 'not-a-repository', folder: 'x' }, COULD_NOT_JUDGE],
  'bare-repository': [{ kind: 'bare-repository', folder: 'x' }, COULD_NOT_JUDGE],
  'git-missing': [{ kind: 'git-missing' }, COULD_NOT_JUDGE],
  'git-too-old': [{ kind: 'git-too-old' }, COULD_NOT_JUDGE],
  'git-failed': [{ kind: 'git-failed', command: 'git status', said: 'no' }, COULD_NOT_JUDGE],
  'path-in-the-way': [{ kind: 'path-in-the-way', path: 'x', found: 'symlink' }, COULD_NOT_JUDGE],
  disk: [{ kind: 'disk', action: 'write', path: 'x', code: 'ENOSPC' }, COULD_NOT_JUDGE],
  'lock-held': [{ kind: 'lock-held', pid: 1, host: 'x', since: '2026-03-01T12:00:00.000Z' }, COULD_NOT_JUDGE],
  'inside-a-run': [{ kind: 'inside-a-run' }, COULD_NOT_JUDGE],
  'agreed-inside-a-run': [{ kind: 'agreed-inside-a-run' }, COULD_NOT_JUDGE],
  'confirmed-by-agent': [{ kind: 'confirmed-by-agent', id: 'F1', isInRun: true }, COULD_NOT_JUDGE],
  'agent-not-installed': [
    { kind: 'agent-not-installed', agent: { name: 'x', program: 'x', isFile: false, install: null } },
    USAGE,
  ],
  'not-configured': [{ kind: 'not-configured', base: null }, USAGE],
  'not-proposed': [{ kind: 'not-proposed', id: 'F1' }, USAGE],
  'ambiguous-subject': [{ kind: 'ambiguous-subject', name: 'x', gates: ['a', 'b'] }, USAGE],
  'no-signing-key': [{ kind: 'no-signing-key', format: null }, USAGE],
  'signing-failed': [{ kind: 'signing-failed', why: 'timeout', key: 'x', said: '' }, COULD_NOT_JUDGE],
  'passes-off': [{ kind: 'passes-off', why: { kind: 'not-set' } }, 2],
  'no-audit-secret': [{ kind: 'no-audit-secret' }, USAGE],
  'short-audit-secret': [{ kind: 'short-audit-secret' }, USAGE],
  'not-trusted': [{ kind: 'not-trusted', commands: ['make'] }, COULD_NOT_JUDGE],
  'ambiguous-name': [{ kind: 'ambiguous-name', name: 'x' }, USAGE],
  'several-merge-bases': [{ kind: 'several-merge-bases', base: 'x' }, USAGE],
  'unknown-base': [{ kind: 'unknown-base', base: 'x' }, USAGE],
  'no-base': [{ kind: 'no-base', tried: ['main'] }, USAGE],
  'unknown-target': [{ kind: 'unknown-target', guess: null }, COULD_NOT_JUDGE],
  'other-head': [{ kind: 'other-head', head: 'x' }, COULD_NOT_JUDGE],
  'no-merge-base': [{ kind: 'no-merge-base', base: 'x', shallow: false }, USAGE],
  'broken-config': [{ kind: 'broken-config', problems: [] }, USAGE],
  'own-files-committed': [{ kind: 'own-files-committed', files: ['.deepwork/tmp/a.js'] }, USAGE],
  'log-dir-hides': [{ kind: 'log-dir-hides', logDir: 'src', files: ['src/a.ts'] }, USAGE],
  'bad-review-id': [{ kind: 'bad-review-id', id: '', why: 'empty' }, USAGE],
  'other-worktree': [{ kind: 'other-worktree', folder: '/x', root: '/y' }, 3],
  'odd-root': [{ kind: 'odd-root', folder: '/x' }, 3],
  'agent-not-tried': [{ kind: 'agent-not-tried', agent: 'x', failure: { kind: 'cancelled' } }, 3],
  'cannot-fix': [{ kind: 'cannot-fix', name: 'x', able: ['claude'] }, USAGE],
  'unknown-agent': [{ kind: 'unknown-agent', name: 'x', known: ['claude'] }, USAGE],
  'finding-closed': [{ kind: 'finding-closed', id: 'F1' }, USAGE],
  'unknown-path': [{ kind: 'unknown-path', path: 'x' }, USAGE],
  'config-changed': [{ kind: 'config-changed' }, COULD_NOT_JUDGE],
  'unknown-commit': [{ kind: 'unknown-commit', commit: 'x' }, USAGE],
  'unknown-gate': [{ kind: 'unknown-gate', gate: 'x', known: ['check:src:lint'] }, USAGE],
  'unknown-finding': [{ kind: 'unknown-finding', id: 'F9', known: ['F1'] }, USAGE],
  'unknown-subject': [{ kind: 'unknown-subject', name: 'x' }, USAGE],
  'unknown-run': [{ kind: 'unknown-run', id: null }, USAGE],
  'input-cut-off': [{ kind: 'input-cut-off', code: 'EIO' }, COULD_NOT_JUDGE],
  'path-outside': [{ kind: 'path-outside', path: '../x' }, USAGE],
  'wrong-usage': [{ kind: 'wrong-usage', said: 'x', command: null }, USAGE],
  'unknown-phase': [{ kind: 'unknown-phase', name: 'x' }, USAGE],
  'feature-without-loops': [{ kind: 'feature-without-loops', feature: 'x', known: [] }, USAGE],
  'no-feature': [{ kind: 'no-feature', path: 'x', why: 'missing' }, USAGE],
  'unusable-artifact': [
    {
      kind: 'unusable-artifact',
      path: 'x/spec.md' as RepoPath,
      why: 'missing',
      phase: 'specify',
      needs: 'design',
    },
    USAGE,
  ],
  'artifact-too-long': [
    { kind: 'artifact-too-long', path: 'x/spec.md' as RepoPath, characters: 2, limit: 1, agent: 'x' },
    USAGE,
  ],
  'nothing-to-implement': [{ kind: 'nothing-to-implement', base: null }, USAGE],
  'unnameable-code': [{ kind: 'unnameable-code', names: ['x'] }, COULD_NOT_JUDGE],
  'no-reviewer': [{ kind: 'no-reviewer', wanted: [], cooling: [] }, COULD_NOT_JUDGE],
  'no-waiting-loop': [{ kind: 'no-waiting-loop', phase: 'specify', feature: 'x' }, USAGE],
  'unjudged-round': [{ kind: 'unjudged-round', phase: 'specify', feature: 'x' }, USAGE],
  'nothing-to-accept': [{ kind: 'nothing-to-accept', phase: 'specify', feature: 'x' }, USAGE],
  'unknown-loop': [{ kind: 'unknown-loop', id: 'x' }, USAGE],
  'round-goes-on': [{ kind: 'round-goes-on', id: 'x' }, USAGE],
  'unreadable-loop': [{ kind: 'unreadable-loop', phase: 'specify', feature: 'x' }, USAGE],
  'unreadable-json': [{ kind: 'unreadable-json', path: '.mcp.json', said: 'x' }, USAGE],
  'store-failed': [{ kind: 'store-failed', where: 'postgres://db/x', why: 'unreachable', said: '' }, COULD_NOT_JUDGE],
  'passes-carrier': [{ kind: 'passes-carrier', where: 'origin', why: 'timeout', said: '' }, COULD_NOT_JUDGE],
  'no-forge': [{ kind: 'no-forge', missing: 'x', expected: 'x' }, USAGE],
  'forge-refused': [{ kind: 'forge-refused', forge: 'x', status: 403, said: 'x' }, COULD_NOT_JUDGE],
  'forge-failed': [{ kind: 'forge-failed', forge: 'x', said: 'x' }, COULD_NOT_JUDGE],
  'unusable-run': [{ kind: 'unusable-run', path: 'x', said: 'x' }, USAGE],
  'unknown-job': [ofWorkflows['unknown-job'][0], USAGE],
  'unknown-workflow': [ofWorkflows['unknown-workflow'][0], USAGE],
  'unknown-session': [ofWorkflows['unknown-session'][0], USAGE],
  'no-active-session': [ofWorkflows['no-active-session'][0], USAGE],
  'which-session': [ofWorkflows['which-session'][0], USAGE],
  'session-ended': [ofWorkflows['session-ended'][0], USAGE],
  'session-outdated': [ofWorkflows['session-outdated'][0], USAGE],
  'no-such-step': [ofWorkflows['no-such-step'][0], USAGE],
  'step-finished': [ofWorkflows['step-finished'][0], USAGE],
  'step-not-begun': [ofWorkflows['step-not-begun'][0], USAGE],
  'which-step': [ofWorkflows['which-step'][0], USAGE],
  'unknown-output': [ofWorkflows['unknown-output'][0], USAGE],
  'missing-outputs': [ofWorkflows['missing-outputs'][0], USAGE],
  'wrong-output-type': [ofWorkflows['wrong-output-type'][0], USAGE],
  'unusable-output': [ofWorkflows['unusable-output'][0], USAGE],
  'override-refused': [ofWorkflows['override-refused'][0], USAGE],
  'no-verdict': [ofWorkflows['no-verdict'][0], COULD_NOT_JUDGE],
  'outputs-changed': [ofWorkflows['outputs-changed'][0], COULD_NOT_JUDGE],
  'reviewer-not-here': [ofWorkflows['reviewer-not-here'][0], COULD_NOT_JUDGE],
  'unreadable-session': [ofWorkflows['unreadable-session'][0], COULD_NOT_JUDGE],
  'session-busy': [ofWorkflows['session-busy'][0], COULD_NOT_JUDGE],
};

describe('exit code of a failure', () => {
  test.each(Object.values(CODES).map(([failure, code]) => [failure.kind, code, failure] as const))(
    '%s: %i',
    (_, code, failure) => {
      expect(exitCode(failure)).toBe(code);
    },
  );

  test('is 3 for a missing merge-base in a shallow clone, because the base is not wrong', () => {
    expect(exitCode({ kind: 'no-merge-base', base: 'main', shallow: true })).toBe(COULD_NOT_JUDGE);
  });
});
