import { expect, test } from 'vitest';
import type { RepoPath } from '../../src/kernel/ids.ts';
import { hiddenByLogDir } from '../../src/kernel/paths.ts';

test.each<[path: string, isHidden: boolean]>([
  ['logs/a.ts', true],
  ['logs/deep/check_src_lint.1.log', true],
  ['logs/review_notes.md', true],
  ['logs/.gitignore', false],
  ['logs/check_src_lint.1.log', false],
  ['logs/review_src_q_codex@1.12.json', false],
  ['logs/rule_._style.3.log', false],
  ['logs/previous/2026/check_src_lint.1.log', false],
  ['logs2/a.ts', false],
  ['src/logs/a.ts', false],
])('%s: %s', (path, isHidden) => {
  expect(hiddenByLogDir([path as RepoPath], 'logs' as RepoPath)).toEqual(isHidden ? [path] : []);
});
