import { openReports } from '@onceover/onceover/src/cli/reports.ts';
import { expect, test } from 'vitest';

const REQUEST = {
  gates: [],
  startedBy: 'person',
  reporter: { tell: () => {} },
  stop: null,
  paths: [],
  files: null,
} as const;

const FORMS = 'markdown=FILE, sarif=FILE, junit=FILE, rdjson=FILE, html=FILE, json=FILE, github';

test.each<[string[], string]>([
  [['a b=x'], `"a b" is not a format of --report. Use ${FORMS}.`],
  [['sarif'], `--report sarif needs a file. Use ${FORMS}.`],
  [['github=x'], '--report github takes no file'],
  [['junit=out/'], '--report needs a file, and out/ is a folder'],
  [['markdown=a.md', 'sarif=./a.md'], '--report has ./a.md twice'],
  [['github', 'github'], '--report has github twice'],
])('describes wrong reports: %j', (flags, expected) => {
  expect(openReports(flags, { json: false, run: REQUEST })).toMatchObject({
    ok: false,
    failure: { kind: 'wrong-usage', said: expect.stringContaining(expected) },
  });
});
