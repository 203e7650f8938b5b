import { ENDS, judged, MIXED } from '@onceover/testing/ended-runs.ts';
import { hostileFailure, hostileRun } from '@onceover/testing/hostile.ts';
import { rdjsonSchema } from '@onceover/testing/report-schemas.ts';
import { finding } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EndedRun } from '../../src/reports/finished-run.ts';
import { rdjsonReport } from '../../src/reports/rdjson.ts';

const read = (run: EndedRun) => rdjsonSchema.parse(JSON.parse(rdjsonReport(run)));
const messageOf = (issue: string) =>
  read(judged({ findings: [{ finding: finding({ issue }), state: 'open' }] })).diagnostics[0]?.message;

test('the rdjson report matches its golden file', async () => {
  await expect(rdjsonReport(MIXED)).toMatchFileSnapshot('golden/mixed.rdjson');
});

test.each(ENDS)('reviewdog can read a report, which has an error only if the exit code is not 0: %s', (_title, run) => {
  const { diagnostics } = read(run);
  if (run.exitCode !== 0) expect(diagnostics).not.toEqual([]);
  else expect(diagnostics.filter(({ severity }) => severity === 'ERROR')).toEqual([]);
});

test('reviewdog can read a report with any text of a reviewer', () => {
  fc.assert(
    fc.property(fc.oneof(hostileRun, hostileFailure), (run) => {
      expect(rdjsonSchema.safeParse(JSON.parse(rdjsonReport(run))).error).toBeUndefined();
    }),
  );
});

test('waived findings are left out', () => {
  expect(read(judged({ findings: [{ finding: finding(), state: 'waived' }] })).diagnostics).toEqual([]);
});

test.each([
  ['mentions', 'thanks @octocat', /@\w/],
  ['images', 'see ![x](https://example.invalid/x.png)', /\]\(/],
  ['HTML', 'see <img src=x>', /<\w/],
])('a comment that is made of it has no %s of the reviewer', (_title, issue, pattern) => {
  expect(issue).toMatch(pattern);
  expect(messageOf(issue)).not.toMatch(pattern);
});
