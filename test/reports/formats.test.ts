import { expect, test } from 'vitest';
import { describeSeenReport, describeWrongReport, type WrongReport } from '../../src/reports/formats.ts';

const FORMS = 'markdown=FILE, sarif=FILE, junit=FILE, rdjson=FILE, github';

test.each<[WrongReport, string]>([
  [{ kind: 'unknown-format', format: 'a b' }, `"a b" is not a format of --report. Use ${FORMS}.`],
  [{ kind: 'no-file', format: 'sarif' }, `--report sarif needs a file. Use ${FORMS}.`],
  [{ kind: 'file-for-github' }, '--report github takes no file'],
  [{ kind: 'folder', file: 'out/' }, '--report needs a file, and out/ is a folder'],
  [{ kind: 'twice', what: 'a.md' }, '--report has a.md twice'],
  [{ kind: 'dry-run' }, '--report cannot be used with --dry-run'],
])('describes a wrong report: %o', (wrong, expected) => {
  expect(describeWrongReport(wrong)).toContain(expected);
});

test('warns about a report that git does not ignore', () => {
  expect(describeSeenReport('a b.md')).toMatch(/^git does not ignore the report "a b\.md"/);
});
