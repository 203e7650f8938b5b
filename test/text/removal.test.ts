import { expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { Removal } from '../../src/domain/removal.ts';
import { tellRemoval } from '../../src/text/removal.ts';
import { AS_IT_IS } from '../../src/text/shown.ts';

const path = (name: string) => name as RepoPath;
const ALL: Removal = {
  isDone: false,
  taken: [
    { kind: 'file', path: path('onceover.yml'), tracked: true },
    { kind: 'server', path: path('.mcp.json'), text: null, tracked: false },
    { kind: 'hook', agent: 'claude', path: path('.claude/settings.json'), text: '{}', tracked: false },
    { kind: 'records', path: path('.deepwork/logs'), files: 12 },
    { kind: 'generated', path: path('.deepwork/tmp'), files: 1 },
    { kind: 'git-folder', path: '.git/onceover', files: 9 },
    { kind: 'refs', count: 2 },
  ],
  left: [
    { path: path('.deepreview'), why: 'yours' },
    { path: path('.onceover/reviews/a.md'), why: 'named' },
    { path: path('.codex/hooks.json'), why: 'unreadable' },
  ],
};

test('without --yes it says what would go, what stays, and how it is done', () => {
  expect(tellRemoval(ALL)).toBe(`This would go:
  onceover.yml, as "onceover init" wrote it
  .mcp.json: the server "onceover", and with it the file
  .claude/settings.json: the stop hook
  .deepwork/logs: the records (12 files)
  .deepwork/tmp: what was generated (1 file)
  .git/onceover: what has passed, findings, costs, trust (9 files)
  2 refs that keep snapshots

This stays:
  .deepreview: yours; delete it if you no longer want it
  .onceover/reviews/a.md: onceover.yml names it, and that stays
  .codex/hooks.json: it is not valid JSON; take "onceover" out of it by hand

Nothing was removed yet. Next: "onceover init --remove --yes" takes it away.`);
});

test('afterwards it says what went, and how to be rid of the program', () => {
  const told = tellRemoval({ ...ALL, isDone: true }).split('\n');
  expect(told[0]).toBe('Took away:');
  expect(told.slice(-2)).toEqual(['Next: commit that.', expect.stringMatching(/^Then: "npm uninstall onceover"/)]);
});

test('with nothing there', () => {
  expect(tellRemoval({ isDone: false, taken: [], left: [] })).toBe('Nothing that onceover wrote is here.');
  expect(tellRemoval({ isDone: true, taken: [], left: [] })).toMatch(/^Nothing .* here\.\n\nNext: "npm uninstall/);
});

test('it fits the terminal', () => {
  const lines = tellRemoval({ ...ALL, isDone: true }, { ...AS_IT_IS, width: 60 }).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
});

test('by npx', () => {
  expect(tellRemoval(ALL, { ...AS_IT_IS, byNpx: true })).toMatch(/"npx onceover init --remove --yes" takes it away\.$/);
});
