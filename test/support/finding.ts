import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import type { Finding } from '@onceover/gates/findings/types';
import type { GateContent } from '@onceover/gates/gate-types';

/** Returns a finding without an id, with every field set; `differs` overrides fields. */
export function findingWith(what: Partial<Omit<Finding, 'id'>> = {}): Omit<Finding, 'id'> {
  return {
    gate: 'review:src:code-quality',
    scope: 'full',
    slot: 1,
    agent: 'claude',
    file: 'src/a b/ä.ts' as RepoPath,
    line: 12,
    code: 'const a = 1;',
    anchor: { text: 'const a = 1;', occurrence: 2 },
    issue: 'It is never read.\nNot once.',
    fix: 'Remove it.',
    priority: 'medium',
    kept: 'open',
    mark: 'off-diff',
    since: 3,
    at: '2026-03-01T12:00:00.000Z',
    content: '0123abcd' as GateContent,
    entry: { path: 'src/a b/ä.ts' as RepoPath, mode: '100644', baseBlob: null, headBlob: 'ab12' },
    seen: '100644 ab12',
    branch: 'work',
    mergeBase: 'cd34' as CommitId,
    cycleEnded: false,
    closed: null,
    ...what,
  };
}
