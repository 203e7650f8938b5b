import { expect, test } from 'vitest';
import { describeCleaned } from '../../src/result/describe/messages.ts';

test.each<[string, Parameters<typeof describeCleaned>[0], string]>([
  ['there are no records', { iterations: 0, open: [] }, 'There are no records to archive.'],
  ['one run', { iterations: 1, open: [] }, 'Archived the records of 1 run.'],
  ['several runs', { iterations: 3, open: [] }, 'Archived the records of 3 runs.'],
  [
    'open findings come first',
    { iterations: 3, open: ['F1', 'F2'] },
    '2 open findings: F1, F2. A finding stays open while its file is unchanged.\nArchived the records of 3 runs.',
  ],
  [
    'one open finding',
    { iterations: 0, open: ['F1'] },
    '1 open finding: F1. A finding stays open while its file is unchanged.\nThere are no records to archive.',
  ],
])('describes what clean did: %s', (_title, cleaned, expected) => {
  expect(describeCleaned(cleaned)).toBe(expected);
});
