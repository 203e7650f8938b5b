import type { RepoPath } from '@onceover/base/kernel/ids';
import { UNSTYLED } from '@onceover/base/ui/style';
import { expect, test } from 'vitest';
import { describeRemoval } from '../../src/setup/describe.ts';
import type { Removal } from '../../src/setup/types.ts';

const path = (name: string) => name as RepoPath;
const ALL: Removal = {
  removed: false,
  taken: [
    { kind: 'file', path: path('onceover.yml'), count: 1, rest: null },
    { kind: 'server', path: path('.mcp.json'), count: 1, rest: null },
    { kind: 'hook', path: path('.claude/settings.json'), count: 1, rest: '{}' },
    { kind: 'records', path: path('.deepwork/logs'), count: 12 },
    { kind: 'generated', path: path('.deepwork/tmp'), count: 1 },
    { kind: 'git-folder', path: '.git/onceover', count: 9 },
    { kind: 'refs', path: null, count: 2 },
  ],
  left: [
    { path: path('.deepreview'), why: 'yours' },
    { path: path('.onceover/reviews/a.md'), why: 'named' },
    { path: path('.codex/hooks.json'), why: 'unreadable' },
  ],
};

test('lists what would be removed and kept, and the command that removes it', () => {
  expect(describeRemoval(ALL)).toBe(`To be removed:
  onceover.yml, unchanged since "onceover init" wrote it
  .mcp.json: the server "onceover", and the file, which has no other entry
  .claude/settings.json: the stop hook
  .deepwork/logs: records of runs (12 files)
  .deepwork/tmp: generated files (1 file)
  .git/onceover: results, findings, costs and approvals (9 files)
  2 git refs to snapshots

To be kept:
  .deepreview: you wrote or edited it; delete it if you no longer need it
  .onceover/reviews/a.md: onceover.yml uses it, and onceover.yml is kept
  .codex/hooks.json: not valid JSON; remove "onceover" from it by hand

Nothing has been removed yet. Next: "onceover init --remove --yes" removes all of this.`);
});

test('lists what was removed, and how to uninstall the program', () => {
  const lines = describeRemoval({ ...ALL, removed: true }).split('\n');
  expect(lines[0]).toBe('Removed:');
  expect(lines.at(-1)).toMatch(
    /^Next: commit the removal if git tracked these files\. "npm uninstall onceover" removes/,
  );
});

test('says that there is nothing to remove', () => {
  expect(describeRemoval({ removed: false, taken: [], left: [] })).toBe('There is nothing to remove here.');
  expect(describeRemoval({ removed: true, taken: [], left: [] })).toMatch(
    /^There is nothing .* here\.\n\nNext: .*"npm uninstall/,
  );
});

test('wraps lines to the width of the terminal', () => {
  const lines = describeRemoval({ ...ALL, removed: true }, { ...UNSTYLED, width: 60 }).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
});

test('shows the command for npx if npx started the program', () => {
  expect(describeRemoval(ALL, { ...UNSTYLED, byNpx: true })).toMatch(
    /"npx onceover init --remove --yes" removes all of this\.$/,
  );
});
