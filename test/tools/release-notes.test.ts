import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../tools/docs/published.ts';
// @ts-expect-error: the script has no types.
import { releaseNotes } from '../../tools/release-notes.mjs';

const CHANGELOG =
  '# Changes\n\n## Unreleased\n\n- new\n\n## 0.2.0\n\nTeams:\n\n- two\n\n### Details\n\n- three\n\n## 0.1.0\n';

test.each([
  ['v0.2.0', '0.2.0', { notes: 'Teams:\n\n- two\n\n### Details\n\n- three' }],
  ['v0.2.1', '0.2.0', { problem: expect.stringContaining('is not v0.2.0') }],
  ['0.2.0', '0.2.0', { problem: expect.stringContaining('is not v0.2.0') }],
  ['v0.1.0', '0.1.0', { problem: expect.stringContaining('no section "## 0.1.0"') }],
  ['v0.3.0', '0.3.0', { problem: expect.stringContaining('no section "## 0.3.0"') }],
])('the notes for the tag %s of version %s', (tag, version, notes) => {
  expect(releaseNotes(tag, version, CHANGELOG)).toEqual(notes);
});

test('the script fails for a tag that is not the version of the package', () => {
  const end = spawnSync(process.execPath, [join(ROOT, 'tools/release-notes.mjs'), 'v0.0.0'], { encoding: 'utf8' });
  expect([end.status, end.stdout]).toEqual([1, '']);
  expect(end.stderr).toContain('The tag v0.0.0 is not v');
});
