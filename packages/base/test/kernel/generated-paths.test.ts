import { describe, expect, test } from 'vitest';
import { isGenerated } from '../../src/kernel/paths.ts';

describe('generated paths', () => {
  test.each<[path: string, logDir: string, generated: boolean]>([
    ['.deepwork/tmp/review_instructions/x.md', '.deepwork/logs', true],
    ['.deepwork/tmp', '.deepwork/logs', true],
    ['.deepwork/logs/check_src_lint.1.log', '.deepwork/logs', true],
    ['.deepwork/logs/previous/x.json', '.deepwork/logs', true],
    ['out/reviews/x.log', 'out/reviews', true],
    ['.deepwork/logs/x.log', 'out/reviews', false],
    ['.deepwork/tmpx/a.py', '.deepwork/logs', false],
    ['.deepwork/logs2/a.py', '.deepwork/logs', false],
    ['.deepwork/jobs/x/job.yml', '.deepwork/logs', false],
    ['src/.deepwork/tmp/a.py', '.deepwork/logs', false],
    ['.deepwork', '.deepwork/logs', false],
    ['.deepreview', '.deepwork/logs', false],
    ['onceover.yml', '.deepwork/logs', false],
    ['src/a.py', '.deepwork/logs', false],
  ])('%s with logs in %s: %s', (path, logDir, isOwnFile) => {
    expect(isGenerated(path, logDir)).toBe(isOwnFile);
  });
});
