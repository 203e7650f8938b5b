import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onceoverJson } from '@onceover/testing/cli.ts';
import { type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { ruleText } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

type Listed = { readonly tasks: readonly object[]; readonly skipped: readonly object[] };
const MARKS = '.deepwork/tmp/review_instructions';

/** A repository in which a run passed the review of a rule, and no mark is left. */
async function passedWithoutMark(more = ''): Promise<GateRepo> {
  const rule = ruleText('style', { include: ['src/**'], strategy: 'matches_together', more });
  const files = { '.deepreview': rule, 'STYLE.md': 'Use tabs.\n' };
  const repo = gateRepo({ agents: ['one'], numReviews: 1, gates: '  []', files });
  expect((await repo.run()).code).toBe(0);
  rmSync(join(repo.root, MARKS), { recursive: true, force: true });
  return repo;
}

const listed = (folder: string) => onceoverJson<Listed>(folder, ['instructions']);

test('instructions skips a review that a run passed, without a mark [REVIEW-REQ-009.0.1]', async () => {
  const repo = await passedWithoutMark();
  expect(await listed(repo.root)).toMatchObject({ tasks: [], skipped: [{ rule: 'style' }] });
});

test('instructions skips a review that another worktree passed [REVIEW-REQ-009.0.1]', async () => {
  const repo = await passedWithoutMark();
  repo.git('stash', '--include-untracked');
  const other = `${repo.root}-other`;
  repo.git('worktree', 'add', '-q', '-b', 'other', other);
  repo.git('-C', other, 'stash', 'apply', '-q');
  expect(await listed(other)).toMatchObject({ tasks: [], skipped: [{ rule: 'style' }] });
  rmSync(other, { recursive: true, force: true });
});

test.each<[string, (repo: GateRepo) => void]>([
  ['a file changed', (repo) => repo.write('src/a.ts', 'export const changed = 2;\n')],
  [
    'the instructions changed',
    (repo) =>
      repo.write(
        '.deepreview',
        `${ruleText('style', { include: ['src/**'], strategy: 'matches_together' }).replace('closely', 'elsewhere')}`,
      ),
  ],
  ['a reference file changed', (repo) => repo.write('STYLE.md', 'Use spaces.\n')],
])('instructions lists a review that a run passed again if %s', async (_title, change) => {
  const repo = await passedWithoutMark('    reference_files: [{ path: STYLE.md, description: the standard }]\n');
  change(repo);
  expect((await listed(repo.root)).tasks).toHaveLength(1);
});
