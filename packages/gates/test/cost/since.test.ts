import { describe, expect, test } from 'vitest';
import { parseSince } from '../../src/cost/rows.ts';

describe('parseSince', () => {
  const now = new Date('2026-03-10T12:00:00Z');
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);
  test.each<[string, Date | null]>([
    ['7', ago(7)],
    ['7d', ago(7)],
    ['1 day', ago(1)],
    ['30 days', ago(30)],
    ['0', now],
    [' 7 ', ago(7)],
    ['2026-03-01', new Date(2026, 2, 1)],
    ['2024-02-29', new Date(2024, 1, 29)],
    ['2026-02-30', null],
    ['2026-13-01', null],
    ['yesterday', null],
    ['-3', null],
    ['1.5', null],
    ['99999', null],
    ['7w', null],
    ['', null],
  ])('parses %j', (text, expected) => {
    expect(parseSince(text, now)).toEqual(expected);
  });
});
