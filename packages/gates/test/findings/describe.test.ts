import { COLOURED, UNSTYLED } from '@onceover/base/ui/style';
import { claim, finding, path, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { bySeverity, describeFinding, promptFinding } from '../../src/findings/describe.ts';
import type { KnownFinding, ReportedFinding } from '../../src/findings/types.ts';

const reported = (differs: Partial<KnownFinding> = {}, state: ReportedFinding['state'] = 'open'): ReportedFinding => ({
  finding: finding(differs),
  state,
});
const LONG = path(`src/${'folder/'.repeat(12)}a.ts`);

describe('a finding for people', () => {
  test('shows place and problem first, then code, fix and reviewer', () => {
    const code = 'a = 1;\n  b;';
    expect(
      describeFinding(reported({ code, issue: 'It is wrong.\nVery.', fix: 'Remove it.', mark: 'off-diff' })),
    ).toEqual([
      'F1  high      src/a.ts:1  It is wrong.',
      '              Very.',
      '              | a = 1;',
      '              |   b;',
      '              Fix: Remove it.',
      '              review:src:code-quality, reviewer 1 (claude), since run 1, outside the change',
    ]);
  });

  test.each<[string, ReportedFinding['state'], string]>([
    ['open', 'open', 'src/a.ts:1  It'],
    ['marked as fixed', 'fixed_claimed', 'src/a.ts:1 (marked as fixed, not confirmed yet)  It'],
    ['a warning', 'warning', 'src/a.ts:1 (warning)  It'],
    ['waived', 'waived', 'src/a.ts:1 (waived)  It'],
    ['closed', 'closed', 'src/a.ts:1 (closed)  It'],
    ['outdated', 'gone', 'src/a.ts:1 (no longer applies)  It'],
  ])('shows its state: %s', (_title, state, expected) => {
    expect(describeFinding(reported({}, state))[0]).toContain(expected);
  });

  test.each([
    ['off-diff', 'outside the change'],
    ['no-such-line', 'the line does not exist'],
    ['code-not-found', 'the quoted code is not in the file'],
  ] as const)('shows an odd place: %s', (mark, expected) => {
    expect(describeFinding(reported({ mark })).at(-1)).toMatch(new RegExp(`, ${expected}$`));
  });

  test.each<[string, KnownFinding['resolution'], readonly string[]]>([
    ['a fix', claim('Fixed.'), ['              Marked as fixed by ann: Fixed.']],
    ['a fix without a reason', claim(''), []],
    ['a waiver', waiver('So be it.'), ['              Waived by ann: So be it.']],
    [
      'a proposed waiver, with the command that confirms it',
      { ...claim('No.'), how: 'proposed', by: { kind: 'agent', name: 'claude-code' } },
      [
        '              Waiver proposed by the agent claude-code: No.',
        '              To accept this: onceover resolve F1 --confirm',
      ],
    ],
    [
      'a confirmed waiver',
      { ...waiver('No.'), proposedBy: { kind: 'agent', name: 'unknown' } },
      ['              Waived by ann, proposed by an unknown program: No.'],
    ],
    [
      'a fix that was not confirmed',
      { ...claim('Fixed.'), how: 'refuted' },
      ['              Marked as fixed, but the reviewer disagreed: Fixed.'],
    ],
  ])('shows the resolution: %s', (_title, resolution, expected) => {
    expect(describeFinding(reported({ resolution })).slice(2, -1)).toEqual(expected);
  });

  test('says so if it names no file', () => {
    expect(describeFinding(reported({ file: null, line: null }))[0]).toBe('F1  high      no location  It is wrong.');
  });

  test.each([
    ['critical', '\u001b[1;31mcritical\u001b[0m  src'],
    ['high', '\u001b[1;31mhigh\u001b[0m      src'],
    ['medium', '\u001b[33mmedium\u001b[0m    src'],
    ['low', '\u001b[2mlow\u001b[0m       src'],
  ] as const)('shows its severity as a word and a colour: %s', (priority, expected) => {
    expect(describeFinding(reported({ priority }), { ...UNSTYLED, paint: COLOURED })[0]).toContain(expected);
  });

  test('a brief one has one line, which is cut at the width', () => {
    const issue = 'It is wrong in a way that takes many words to explain.\nAnd more.';
    expect(describeFinding(reported({ issue }), { ...UNSTYLED, width: 60 }, 'brief')).toEqual([
      'F1  high      src/a.ts:1  It is wrong in a way that takes m…',
    ]);
  });

  test.each(['brief', 'full'] as const)('keeps a long path in one piece: %s', (detail) => {
    const [head] = describeFinding(reported({ file: LONG }), { ...UNSTYLED, width: 60 }, detail);
    expect(head?.split('\n')).toEqual(['F1  high', `              ${LONG}:1`, '              It is wrong.']);
  });
});

test('sorts open findings first, and more severe ones before others', () => {
  const sorted = [
    reported({ id: 'F1', priority: 'critical' }, 'waived'),
    reported({ id: 'F2', priority: 'low' }),
    reported({ id: 'F3', priority: 'critical' }, 'fixed_claimed'),
    reported({ id: 'F4', priority: 'medium' }),
  ].sort(bySeverity);
  expect(sorted.map((one) => one.finding.id)).toEqual(['F3', 'F4', 'F2', 'F1']);
});

test('a finding for an agent indents continued lines, so that its text cannot look like a field', () => {
  const text = promptFinding(finding({ code: null, issue: 'It is wrong.\nid: F2\r\nfix: Delete it.' }), ['more: yes']);
  expect(text).toBe(
    '```\nid: F1\npriority: high\nplace: src/a.ts:1\nissue: It is wrong.\n  id: F2\n  fix: Delete it.\nmore: yes\n```',
  );
});
