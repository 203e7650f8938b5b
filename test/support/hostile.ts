import { type EndedRun, failedRun } from '@onceover/gates/reports/finished-run';
import type { RunOutcome } from '@onceover/gates/result/types';
import fc from 'fast-check';
import { judged, STALE } from './ended-runs.ts';
import { finding, gateOutcome, path, slotOutcome, waiver } from './run-samples.ts';

/** Texts by an attacker who wants a report to say or do something else. */
const TRICKS = [
  '\n::set-output name=x::y',
  '\r\n  ::stop-commands::x',
  '::add-mask::a',
  '##[set-env name=x]y',
  '%0A::error::x',
  ', line=1::',
  '```\n# Passed',
  '````',
  '~~~',
  '\n\n# Passed: all 2 gates (exit code 0)\n',
  '\n---\n',
  '\n===',
  '| a | b |',
  '<img src=x onerror=alert(1)>',
  '<!--',
  '-->',
  '![](https://example.invalid/x.png)',
  '[click](javascript:alert(1))',
  '[x]: https://example.invalid',
  '@everyone',
  '#1',
  ']]>',
  '</failure></testcase>',
  '<![CDATA[',
  '&amp;&lt;&#0;',
  '\u0000\u0001\u001b[2J\u0007',
  '\ufffe\uffff',
  '\ud800',
  '\udc00x',
  '\u202e',
  '\u2028',
  '\u0085::error::x',
  '"\'\\',
  '{0} {{',
  '    four',
  '\t\ttabs',
  '$a$',
  '1. one\n2) two\n- three\n+ four\n> five',
];

/** Hostile or unusual texts. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...TRICKS), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 6 })
  .map((parts) => parts.join(''));

const hostileName = hostileText.map((text) => path(text.replaceAll('\0', '') || 'a'));

/** A failed run in which every text from outside is hostile. */
export const hostileRun: fc.Arbitrary<EndedRun> = fc
  .record({
    issue: hostileText,
    fix: fc.option(hostileText),
    code: fc.option(hostileText),
    file: fc.option(hostileName),
    line: fc.option(fc.oneof(fc.integer({ min: -3, max: 9 }), fc.maxSafeInteger())),
    name: hostileName,
    agent: hostileText,
    tail: hostileText,
    why: hostileText,
    state: fc.constantFrom('open', 'warning', 'waived', 'fixed_claimed'),
    priority: fc.constantFrom('critical', 'high', 'medium', 'low'),
    mark: fc.constantFrom(null, 'off-diff', 'no-such-line', 'code-not-found'),
  })
  .map(({ name, tail, why, state, ...said }): EndedRun => {
    const gate = `review:${name}:x`;
    const anchor = said.code === null ? null : { text: said.code, occurrence: 1 };
    const one = finding({ ...said, gate, anchor, resolution: waiver(why) });
    const check = { command: tail || 'x', exitCode: 1, why: 'exit code 1', durationMs: 1, tail };
    return judged({
      status: 'failed',
      exitCode: 1,
      gates: [
        gateOutcome({ id: `check:${name}:x`, kind: 'check', status: 'fail', why: 'check-failed', slots: [], check }),
        gateOutcome({ id: gate, status: 'fail', slots: [slotOutcome({ status: 'fail', agent: said.agent })] }),
        STALE,
      ],
      findings: [{ finding: one, state }],
      uncovered: [name],
      withheld: [{ path: name, why: 'secret' }],
      notices: [{ kind: 'idle-gate', path: name }],
    } satisfies Partial<RunOutcome>);
  });

/** A run that could not start, with a hostile reason. */
export const hostileFailure: fc.Arbitrary<EndedRun> = hostileText.map((what) =>
  failedRun({ status: 'error', exitCode: 2 }, { what, next: 'Fix it.' }),
);
