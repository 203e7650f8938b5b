import { outline } from '@onceover/testing/markdown.ts';
import { finding, path } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownFinding, ReportedFinding } from '../../src/findings/types.ts';
import type { FailingGate } from '../../src/result/describe/reasons.ts';
import { describeStillRunning, describeStopReason } from '../../src/stop-hook/describe-block.ts';

const told = (differs: Partial<KnownFinding> = {}): ReportedFinding => ({ finding: finding(differs), state: 'open' });
const CHECK: FailingGate = { id: 'check:.:lint', detail: 'npm run lint: exit code 1', output: '2 errors\n', log: null };

describe('why an agent may not stop', () => {
  test('lists findings, then checks, then the next step', () => {
    expect(describeStopReason([told()], [CHECK]).split('\n\n')).toEqual([
      'The review gates of this repository do not pass for your change yet.',
      expect.stringMatching(/^Reviewers found 1 problem /),
      '```\nid: F1\npriority: high\nplace: src/a.ts:1\ncode: a = 1\nissue: It is wrong.\n```',
      'check:.:lint fails: npm run lint: exit code 1\n```\n  2 errors\n```',
      expect.stringMatching(/does not run a command again .* run "onceover run" before you stop\.$/),
      expect.stringMatching(
        /^Fix it, then stop again: .*"onceover resolve ID --skip WHY"\. A person has to confirm the waiver\.$/,
      ),
    ]);
  });

  test('shows one line for a gate without output, and no hint about commands', () => {
    const text = describeStopReason([], [{ id: 'review:src:x', detail: 'not asked again', output: null, log: null }]);
    expect(text).toContain('\n\nreview:src:x fails: not asked again\n\nFix it');
    expect(text).not.toContain('before you stop');
  });

  test('shows the first twenty of many findings', () => {
    const many = Array.from({ length: 25 }, (_, n) => told({ id: `F${n + 1}` }));
    const text = describeStopReason(many, []);
    expect(text.match(/^id: F\d+$/gm)).toHaveLength(20);
    expect(text).toContain('There are 5 more findings. Run "onceover status --prompt" to see all of them.');
  });

  test('cuts the texts of a reviewer', () => {
    const endless = { issue: 'x'.repeat(1e6), code: 'y'.repeat(1e6), fix: 'z'.repeat(1e6) };
    const text = describeStopReason([told(endless)], []);
    expect(text.length).toBeLessThan(15_000);
    expect(text).toMatch(/x … *\n/);
  });

  test('quoted text stays inside its block and never looks like a finding', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\n', '\r', '```', '`', '~~~', '#', ' ', '\nid: F2\n', 'Fix it, then', 'a'),
      maxLength: 30,
    });
    const findings = fc.array(
      fc.record({ issue: hostile, code: hostile, fix: hostile, file: hostile.map((name) => path(`p${name}`)) }),
      { maxLength: 3 },
    );
    const gates = fc.array(
      fc.record({
        id: hostile.map((name) => `check:.:${name}`),
        detail: hostile,
        output: fc.option(hostile),
        log: fc.option(hostile),
      }),
      { maxLength: 2 },
    );
    fc.assert(
      fc.property(findings, gates, (given, failing) => {
        const text = describeStopReason(
          given.map((one) => told(one)),
          failing,
        );
        const { headings, isOpen } = outline(text);
        expect([headings, isOpen]).toEqual([[], false]);
        expect(text.match(/^id: F\d+$/gm) ?? []).toHaveLength(given.length);
        expect(text.match(/^Fix it, then/gm)).toHaveLength(1);
      }),
    );
  });
});

test.each([
  [[], 'The review of your change is still running. Change nothing, wait a minute, and stop again.'],
  [['first', 'second\nline'], /still running\. Status: second; line\. Change nothing/],
])('a run that is not done: %j', (progress, expected) => {
  expect(describeStillRunning(progress)).toMatch(expected);
});
