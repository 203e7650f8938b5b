import type { AgentFailure } from '@onceover/base/kernel/agent';
import { exitCode, type Failure, type SessionName } from '@onceover/base/kernel/failure';
import type { RepoPath, SessionId } from '@onceover/base/kernel/ids';
import { describeAgentFailure } from '@onceover/base/ui/describe-agent-failure';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { table } from './table.ts';

/** The error tables of docs/troubleshooting.md. The types make sure that every kind of failure has an example. */
export function errorParts(): Readonly<Record<string, string>> {
  const groups = Object.entries(GROUPS).map(([name, failures]) => [`errors-${name}`, failureTable(failures)]);
  return { ...Object.fromEntries(groups), 'errors-agents': agentTable() };
}

function failureTable(failures: Readonly<Record<string, Failure>>): string {
  const rows = Object.values(failures).map((failure) => {
    const { what, next } = describeFailure(failure);
    return [what, next, `${exitCode(failure)}`];
  });
  return table(['message (example)', 'what to do', 'exit code'], rows);
}

function agentTable(): string {
  const rows = Object.entries(AGENT_FAILURES).map(([kind, failure]) => [
    // Only opencode can be unprotected.
    `${kind === 'unprotected' ? 'opencode' : 'claude'} ${describeAgentFailure(failure)}`,
    AGENT_NEXT[kind as AgentFailure['kind']],
  ]);
  return table(['message (example)', 'what to do'], rows);
}

type Samples<Kind extends Failure['kind']> = { readonly [K in Kind]: Extract<Failure, { kind: K }> };

const session: SessionName = { id: 'ab12' as SessionId, job: 'report', workflow: 'full', goal: 'Compare tools' };
const spec = 'docs/login/spec.md' as RepoPath;

const REPOSITORY = {
  'not-a-repository': { kind: 'not-a-repository', folder: '/home/me/notes' },
  'bare-repository': { kind: 'bare-repository', folder: '/srv/shop.git' },
  'other-worktree': { kind: 'other-worktree', folder: '/home/me/shop', root: '/home/me/shop-copy' },
  'odd-root': { kind: 'odd-root', folder: '/home/me/sh\uFFFDp' },
  'git-missing': { kind: 'git-missing' },
  'git-too-old': { kind: 'git-too-old' },
  'git-failed': { kind: 'git-failed', command: 'git diff', said: 'fatal: unable to read tree' },
  'unknown-base': { kind: 'unknown-base', base: 'origin/master' },
  'ambiguous-name': { kind: 'ambiguous-name', name: 'origin/main' },
  'no-base': { kind: 'no-base', tried: ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'] },
  'unknown-target': { kind: 'unknown-target', guess: 'origin/main' },
  'other-head': { kind: 'other-head', head: '7cc2d5ec3b1f0a9e4d6c8b7a5f3e2d1c0b9a8f7e' },
  'no-merge-base': { kind: 'no-merge-base', base: 'origin/main', shallow: true },
  'several-merge-bases': { kind: 'several-merge-bases', base: 'origin/main' },
  'unknown-commit': { kind: 'unknown-commit', commit: 'abc123' },
  'unknown-path': { kind: 'unknown-path', path: 'src/crat.ts' },
  'path-outside': { kind: 'path-outside', path: '../other/file.ts' },
  'path-in-the-way': { kind: 'path-in-the-way', path: '.deepwork/tmp', found: 'symlink' },
  disk: { kind: 'disk', action: 'write', path: '.deepwork/logs', code: 'ENOSPC' },
} satisfies Partial<Samples<Failure['kind']>>;

const CONFIGURATION = {
  'broken-config': {
    kind: 'broken-config',
    problems: [
      { file: 'onceover.yml', line: 3, column: 1, what: { kind: 'unknown-key', key: 'agentz', known: ['agents'] } },
    ],
  },
  'config-changed': { kind: 'config-changed' },
  'own-files-committed': { kind: 'own-files-committed', files: ['.deepwork/tmp/cart.js'] },
  'not-configured': { kind: 'not-configured', base: null },
  'log-dir-hides': { kind: 'log-dir-hides', logDir: 'src', files: ['src/cart.ts'] },
  'unreadable-json': { kind: 'unreadable-json', path: '.mcp.json', said: 'Unexpected token at line 3' },
  'no-signing-key': { kind: 'no-signing-key', format: null },
  'signing-failed': { kind: 'signing-failed', why: 'passphrase', key: '~/.ssh/id_ed25519', said: '' },
  'passes-off': { kind: 'passes-off', why: { kind: 'base-has-none', base: 'origin/main' } },
  'no-audit-secret': { kind: 'no-audit-secret' },
  'short-audit-secret': { kind: 'short-audit-secret' },
  'passes-carrier': { kind: 'passes-carrier', where: 'upstream', why: 'not-a-remote', said: '' },
  'store-failed': { kind: 'store-failed', where: 'postgres://db.example.com/onceover', why: 'unreachable', said: '' },
  'not-trusted': { kind: 'not-trusted', commands: ['npm test'] },
  'unknown-agent': { kind: 'unknown-agent', name: 'cluade', known: ['claude', 'codex', 'gemini', 'opencode', 'pi'] },
  'agent-not-installed': {
    kind: 'agent-not-installed',
    agent: { name: 'claude', program: 'claude', isFile: false, install: 'npm install -g @anthropic-ai/claude-code' },
  },
  'cannot-fix': { kind: 'cannot-fix', name: 'opencode', able: ['claude', 'codex', 'gemini'] },
  'agent-not-tried': {
    kind: 'agent-not-tried',
    agent: 'claude',
    failure: { kind: 'not-logged-in', said: 'Run /login' },
  },
  'no-reviewer': { kind: 'no-reviewer', wanted: ['claude'], cooling: [] },
} satisfies Partial<Samples<Failure['kind']>>;

const RUNS = {
  'lock-held': { kind: 'lock-held', pid: 4711, host: 'laptop', since: '2026-03-01T12:00:00.000Z' },
  'inside-a-run': { kind: 'inside-a-run' },
  'confirmed-by-agent': { kind: 'confirmed-by-agent', id: 'F1', isInRun: false },
  'not-proposed': { kind: 'not-proposed', id: 'F1' },
  'agreed-inside-a-run': { kind: 'agreed-inside-a-run' },
  'unknown-gate': { kind: 'unknown-gate', gate: 'lnt', known: ['check:.:lint', 'review:src:code-quality'] },
  'unknown-finding': { kind: 'unknown-finding', id: 'F9', known: ['F1', 'F2'] },
  'finding-closed': { kind: 'finding-closed', id: 'F1' },
  'unknown-subject': { kind: 'unknown-subject', name: 'F9x' },
  'ambiguous-subject': { kind: 'ambiguous-subject', name: 'lint', gates: ['check:src:lint', 'check:docs:lint'] },
  'unknown-run': { kind: 'unknown-run', id: 'run-1' },
  'bad-review-id': { kind: 'bad-review-id', id: 'a/b', why: 'separator' },
  'wrong-usage': { kind: 'wrong-usage', said: 'Unknown option "--fors". Did you mean --force?', command: 'run' },
  'input-cut-off': { kind: 'input-cut-off', code: 'EIO' },
  'no-forge': { kind: 'no-forge', missing: 'GITHUB_TOKEN', expected: 'a token' },
  'forge-refused': { kind: 'forge-refused', forge: 'GitHub', status: 403, said: 'Resource not accessible' },
  'forge-failed': { kind: 'forge-failed', forge: 'GitHub', said: '502 Bad Gateway' },
  'unusable-run': { kind: 'unusable-run', path: 'run.json', said: 'it is not JSON' },
} satisfies Partial<Samples<Failure['kind']>>;

const LOOPS = {
  'unknown-phase': { kind: 'unknown-phase', name: 'spec' },
  'no-feature': { kind: 'no-feature', path: 'docs/logn', why: 'missing' },
  'unusable-artifact': { kind: 'unusable-artifact', path: spec, why: 'missing', phase: 'specify', needs: 'design' },
  'artifact-too-long': { kind: 'artifact-too-long', path: spec, characters: 450_000, limit: 380_000, agent: 'claude' },
  'nothing-to-implement': { kind: 'nothing-to-implement', base: 'origin/main' },
  'unnameable-code': { kind: 'unnameable-code', names: ['src/caf\uFFFD.ts'] },
  'no-waiting-loop': { kind: 'no-waiting-loop', phase: 'specify', feature: 'docs/login' },
  'unjudged-round': { kind: 'unjudged-round', phase: 'specify', feature: 'docs/login' },
  'nothing-to-accept': { kind: 'nothing-to-accept', phase: 'specify', feature: 'docs/features/export' },
  'unknown-loop': { kind: 'unknown-loop', id: 'loop-1' },
  'round-goes-on': { kind: 'round-goes-on', id: 'loop-1' },
  'unreadable-loop': { kind: 'unreadable-loop', phase: 'specify', feature: 'docs/login' },
  'feature-without-loops': { kind: 'feature-without-loops', feature: 'docs/login', known: ['docs/cart'] },
} satisfies Partial<Samples<Failure['kind']>>;

const step = { session, step: 'summary', open: ['research'] };

const WORKFLOWS = {
  'unknown-job': { kind: 'unknown-job', name: 'reprt', known: ['report'] },
  'unknown-workflow': { kind: 'unknown-workflow', job: 'report', name: null, known: ['full', 'short'] },
  'unknown-session': { kind: 'unknown-session', id: 'zz99', active: [session] },
  'no-active-session': { kind: 'no-active-session', ended: [session] },
  'which-session': {
    kind: 'which-session',
    active: [session, { ...session, id: 'cd34' as SessionId, goal: 'Check prices' }],
  },
  'session-ended': { kind: 'session-ended', session, end: { kind: 'completed', at: '2026-03-01' } },
  'session-outdated': { kind: 'session-outdated', session },
  'session-busy': { kind: 'session-busy', id: 'ab12' },
  'unreadable-session': {
    kind: 'unreadable-session',
    id: 'ab12',
    path: '.deepwork/tmp/session_ab12.json',
    aside: null,
  },
  'no-such-step': { kind: 'no-such-step', ...step },
  'step-finished': { kind: 'step-finished', ...step, at: '2026-03-01' },
  'step-not-begun': { kind: 'step-not-begun', ...step },
  'which-step': { kind: 'which-step', session, open: [{ id: 'research', outputs: ['notes'] }] },
  'unknown-output': { kind: 'unknown-output', session, step: 'research', name: 'note', known: ['notes'] },
  'missing-outputs': { kind: 'missing-outputs', step: 'research', names: ['notes'] },
  'wrong-output-type': {
    kind: 'wrong-output-type',
    step: 'research',
    name: 'notes',
    expected: 'file',
    given: 'several',
  },
  'unusable-output': { kind: 'unusable-output', step: 'research', name: 'notes', path: 'notes.md', why: 'missing' },
  'override-refused': { kind: 'override-refused', step: 'research', why: 'not-failed' },
  'no-verdict': {
    kind: 'no-verdict',
    session,
    step: 'research',
    errors: [{ review_run_each: 'notes', target_file: 'notes.md', message: 'claude did not finish within 120 s' }],
    passed: 0,
  },
  'outputs-changed': { kind: 'outputs-changed', step: 'research', paths: ['notes.md'] },
  'reviewer-not-here': { kind: 'reviewer-not-here', name: 'claude', found: ['codex'] },
} satisfies Partial<Samples<Failure['kind']>>;

const GROUPS = { repository: REPOSITORY, configuration: CONFIGURATION, runs: RUNS, loops: LOOPS, workflows: WORKFLOWS };

// Fails to compile if a kind of failure has no example.
({ ...REPOSITORY, ...CONFIGURATION, ...RUNS, ...LOOPS, ...WORKFLOWS }) satisfies Samples<Failure['kind']>;

const AGENT_FAILURES: { readonly [K in AgentFailure['kind']]: Extract<AgentFailure, { kind: K }> } = {
  'not-found': { kind: 'not-found', program: 'claude' },
  'not-logged-in': { kind: 'not-logged-in', said: 'Please run /login' },
  limit: { kind: 'limit', said: 'usage limit reached', resetAt: new Date('2026-03-01T17:00:00Z') },
  unreachable: { kind: 'unreachable', said: 'Connection failed: error sending request' },
  timeout: { kind: 'timeout', seconds: 1200 },
  idle: { kind: 'idle', seconds: 180 },
  'session-lost': { kind: 'session-lost', said: 'No conversation found' },
  'wrong-session': { kind: 'wrong-session', asked: 'a', got: 'b' },
  'unreadable-answer': { kind: 'unreadable-answer', why: 'no-object', said: 'Looks good to me' },
  'no-tokens': { kind: 'no-tokens' },
  unprotected: { kind: 'unprotected', path: '.opencode' },
  'agent-error': { kind: 'agent-error', said: 'API Error: 500' },
  cancelled: { kind: 'cancelled' },
};

const AGENT_NEXT: Readonly<Record<AgentFailure['kind'], string>> = {
  'not-found':
    'Install the agent, or correct its `command` in onceover.yml. `onceover doctor` shows what is installed.',
  'not-logged-in': "Log in with the agent's own program, or set its API key, and run again.",
  limit:
    'Wait until the time in the message, or list another agent under `agents` in onceover.yml. onceover does not call the agent before that time, unless you run `onceover doctor` or `onceover run --force`.',
  unreachable: "Check the network, the proxy and the address of the agent's service, and run again.",
  timeout: 'Raise `timeout` in onceover.yml, or split the change.',
  idle: 'Raise `idle_timeout` in onceover.yml, or check the network of the agent.',
  'session-lost': 'You do not have to do anything: onceover starts a new session with the agent.',
  'wrong-session':
    'You do not have to do anything: onceover starts a new session. `onceover doctor --resume` tests whether this version of the agent can resume sessions.',
  'unreadable-answer':
    'onceover asks the agent once to answer again. If the error occurs often, use another model. `onceover explain <reviewer> --prompt` shows the answer.',
  'no-tokens': 'The agent reports that it called no model. Start the agent by hand with a short prompt to see why.',
  unprotected: 'Install bubblewrap, or remove the folder `.opencode` from the change.',
  'agent-error': 'Run again. If the error occurs again, start the agent by hand with a short prompt to see why.',
  cancelled: 'You or another program ended the run. Run again.',
};
