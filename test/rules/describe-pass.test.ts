import { describe, expect, test } from 'vitest';
import { describePass } from '../../src/rules/describe.ts';

describe('confirms a pass', () => {
  test('with its id and the effect', () => {
    expect(describePass({ id: 'lint--a.py--0123456789ab', vouched: true })).toBe(
      'Marked as passed: lint--a.py--0123456789ab. This review is skipped until one of its files changes.',
    );
  });

  test('with a note if onceover wrote no instruction file with this id', () => {
    const lines = describePass({ id: 'lint--a.py--0123456789ab', vouched: false }).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^Note: onceover has written no instruction file with this id.*Check that the id/);
  });

  test.each([true, false])('keeps an id with a line break on one line (vouched: %s)', (vouched) => {
    const told = describePass({ id: 'a\nMarked as passed: b\x1b[31m', vouched });
    expect(told.split('\n')[0]).toContain('"a\\nMarked as passed: b\\u001b[31m"');
    expect(told.split('\n')).toHaveLength(vouched ? 1 : 2);
  });
});
