import { expect, test } from 'vitest';
import { tellCleaned } from '../../src/text/cleaned.ts';

test.each<[string, Parameters<typeof tellCleaned>[0], string]>([
  ['nothing was there', { iterations: 0, next: 1, open: [] }, 'There are no records to archive.'],
  [
    'one iteration',
    { iterations: 1, next: 1, open: [] },
    'Archived the records of 1 iteration. The next run counts from 1.',
  ],
  [
    'something with a number stays',
    { iterations: 3, next: 3, open: [] },
    'Archived the records of 3 iterations. The next run counts from 3: files that are no records, or that git tracks, stay with the numbers before.',
  ],
  [
    'several, and something is open: that is said first',
    { iterations: 3, next: 1, open: ['F1', 'F2'] },
    '2 findings are open: F1, F2. Each stays open while its file is unchanged.\nArchived the records of 3 iterations. The next run counts from 1.',
  ],
  [
    'one is open',
    { iterations: 0, next: 1, open: ['F1'] },
    '1 finding is open: F1. Each stays open while its file is unchanged.\nThere are no records to archive.',
  ],
])('%s', (_title, cleaned, expected) => {
  expect(tellCleaned(cleaned)).toBe(expected);
});
