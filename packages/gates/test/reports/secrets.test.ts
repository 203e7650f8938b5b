import { gateOutcome, reported, runOutcome } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { endedRun } from '../../src/reports/finished-run.ts';
import { FORMATS } from '../../src/reports/formats.ts';

const ADDRESS = 'postgres://onceover:correct-horse@db.example.com/onceover';

test.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])(
  'the report %s shows no password that an agent quoted',
  (name) => {
    const anchor = { text: 'open(address)', occurrence: 1 };
    const finding = { issue: `Uses ${ADDRESS}.`, fix: `Not ${ADDRESS}`, code: ADDRESS, anchor };
    const check = { command: 'npm test', exitCode: 1, why: 'exit code 1', durationMs: 1, tail: `connect ${ADDRESS}` };
    const gates = [
      gateOutcome(),
      gateOutcome({ kind: 'check', status: 'fail', why: 'check-failed', slots: [], check }),
    ];
    const outcome = runOutcome({ status: 'failed', exitCode: 1, gates, findings: [reported(finding)] });
    const text = FORMATS[name](endedRun(outcome));
    expect(text).not.toContain('correct-horse');
    expect(text).toContain('[masked]');
  },
);
