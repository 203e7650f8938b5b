import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../src/domain/finding.ts';
import type { ToldFinding } from '../../src/domain/run.ts';
import type { FailingGate } from '../../src/text/failing-gate.ts';
import { tellStillRunning, tellStopReason } from '../../src/text/stop-reason.ts';
import { outline } from '../support/markdown.ts';
import { finding, path } from '../support/run-samples.ts';

const told = (differs: Partial<KnownFinding> = {}): ToldFinding => ({ finding: finding(differs), state: 'open' });
const CHECK: FailingGate = { id: 'check:.:lint', detail: 'npm run lint: exit code 1', output: '2 errors\n', log: null };

describe('why an agent may not stop', () => {
  test('findings, then checks, then what to do', () => {
    expect(tellStopReason([told()], [CHECK]).split('\n\n')).toEqual([
      'The review gates of this repository do not hold for your change yet.',
      expect.stringMatching(/^Reviewers found 1 problem /),
      'F1 (high) at src/a.ts:1\n```\n  Code: a = 1\n  Problem: It is wrong.\n```',
      'check:.:lint fails: npm run lint: exit code 1\n```\n  2 errors\n```',
      expect.stringMatching(/not run again .* run "onceover run" before you stop\.$/),
      expect.stringMatching(/^Mend it, then stop again: .*"onceover resolve ID --skip WHY"\.$/),
    ]);
  });

  test('a gate without output says why in a line, and nothing of commands', () => {
    const text = tellStopReason([], [{ id: 'review:src:x', detail: 'not asked again', output: null, log: null }]);
    expect(text).toContain('\n\nreview:src:x fails: not asked again\n\nMend it');
    expect(text).not.toContain('before you stop');
  });

  test('of many findings the first twenty are told', () => {
    const many = Array.from({ length: 25 }, (_, n) => told({ id: `F${n + 1}` }));
    const text = tellStopReason(many, []);
    expect(text.match(/^F\d+ \(/gm)).toHaveLength(20);
    expect(text).toContain('There are 5 more; "onceover status --prompt" shows all of them.');
  });

  test('a reviewer that writes without end is cut short', () => {
    const endless = { issue: 'x'.repeat(1e6), code: 'y'.repeat(1e6), fix: 'z'.repeat(1e6) };
    const text = tellStopReason([told(endless)], []);
    expect(text.length).toBeLessThan(15_000);
    expect(text).toMatch(/x … *\n/);
  });

  test('nothing that is quoted stands outside of its block, or passes for a finding', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\n', '\r', '```', '`', '~~~', '#', ' ', 'F2 (critical) at x', 'Mend it, then', 'a'),
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
        const text = tellStopReason(
          given.map((one) => told(one)),
          failing,
        );
        const { headings, isOpen } = outline(text);
        expect([headings, isOpen]).toEqual([[], false]);
        expect(text.match(/^F\d+ \(/gm) ?? []).toHaveLength(given.length);
        expect(text.match(/^Mend it, then/gm)).toHaveLength(1);
      }),
    );
  });
});

test.each([
  [[], 'The review of your change is still going on. Change nothing, wait a minute, and stop again.'],
  [['first', 'second\nline'], /still going on\. So far: second; line\. Change nothing/],
])('a run that goes on: %j', (progress, expected) => {
  expect(tellStillRunning(progress)).toMatch(expected);
});
