import { expect, test } from 'vitest';
import { tellSeenReport, tellWrongReport, type WrongReport } from '../../src/text/reports.ts';

const FORMS = 'markdown=FILE, sarif=FILE, junit=FILE, rdjson=FILE, github';

test.each<[WrongReport, string]>([
  [{ kind: 'unknown-format', format: 'a b' }, `--report knows no format "a b": say ${FORMS}.`],
  [{ kind: 'no-file', format: 'sarif' }, `--report sarif names no file: say ${FORMS}.`],
  [{ kind: 'file-for-github' }, '--report github takes no file'],
  [{ kind: 'folder', file: 'out/' }, '--report needs a file to write, and out/ is a folder'],
  [{ kind: 'twice', what: 'a.md' }, '--report names a.md twice'],
  [{ kind: 'dry-run' }, '--report cannot be used with --dry-run'],
])('%o', (wrong, expected) => {
  expect(tellWrongReport(wrong)).toContain(expected);
});

test('a report that git sees is told to be part of the next change', () => {
  expect(tellSeenReport('a b.md')).toMatch(/^the report "a b\.md" is inside the repository and git does not ignore it/);
});
