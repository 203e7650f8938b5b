import { terminal } from '@onceover/testing/terminal.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { liveLines } from '../../src/progress/live.ts';

describe('the live lines of a terminal', () => {
  test('are redrawn below lines that stay', () => {
    const shown = terminal(40);
    const draw = liveLines(shown);
    draw(['one', 'two']);
    draw(['one', 'three']);
    draw(['four'], ['stays']);
    expect(shown.shown()).toEqual(['stays', 'four']);
    draw([]);
    expect(shown.shown()).toEqual(['stays']);
  });

  test('are written only if they changed', () => {
    const shown = terminal(40);
    const draw = liveLines(shown);
    draw(['same', 'old', 'same too']);
    shown.written.length = 0;
    draw(['same', 'new', 'same too']);
    expect(shown.written).toHaveLength(1);
    expect(shown.written[0]).toContain('new');
    expect(shown.written[0]).not.toContain('same');
    draw(['same', 'new', 'same too']);
    expect(shown.written).toHaveLength(1);
  });

  test('are drawn in one write between synchronization marks', () => {
    const shown = terminal(40);
    liveLines(shown)(['a', 'b'], ['c']);
    expect(shown.written).toHaveLength(1);
    expect(shown.written[0]).toMatch(/^\u001b\[\?2026h[\s\S]*\u001b\[\?2026l$/u);
  });

  test('are drawn without a number that is not finite on a terminal of unknown width', () => {
    const written: string[] = [];
    const draw = liveLines({ columns: 0, write: (text) => written.push(text) });
    draw(['a'], []);
    draw(['b', 'c'], []);
    expect(written.join('')).toContain('b');
    expect(written.join('')).not.toContain('Infinity');
  });

  test('are right after any order of drawings and resizes', () => {
    const line = (columns: number) =>
      fc
        .stringMatching(/^[a-z 日本]{1,60}$/u)
        .map((text) => [...text].slice(0, Math.floor((columns - 1) / 2)).join(''));
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          live: fc.array(line(40), { maxLength: 6 }),
          above: fc.array(line(40), { maxLength: 2 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ columns: fc.integer({ min: 20, max: 120 }) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const shown = terminal(80);
        const draw = liveLines(shown);
        const stays: string[] = [];
        let last: readonly string[] = [];
        for (const one of steps) {
          if ('columns' in one) {
            shown.resize(one.columns);
            continue;
          }
          stays.push(...one.above);
          draw(one.live, one.above);
          last = one.live;
        }
        const whole = [...stays, ...last];
        const end = whole.findLastIndex((text) => text !== '');
        expect(shown.shown()).toEqual(whole.slice(0, end + 1));
      }),
    );
  });
});
