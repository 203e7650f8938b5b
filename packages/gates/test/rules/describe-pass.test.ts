import { fencedBlocks, showInvisible } from '@onceover/base/kernel/escape';
import { describe, expect, test } from 'vitest';
import { describePass } from '../../src/rules/describe.ts';

describe('confirms a pass', () => {
  test('with its id and the effect', () => {
    expect(describePass({ id: 'lint--a.py--0123456789ab', vouched: true })).toBe(
      'Marked as passed: lint--a.py--0123456789ab. This review is skipped until one of its files changes.',
    );
  });

  test('says first that no known review has this id', () => {
    const told = describePass({ id: 'lint--a.py--0123456789ab', vouched: false });
    expect(told).toMatch(/^No known review has the id lint--a\.py--0123456789ab:.*\nIt is marked as passed anyway\./);
  });

  const odd = ['a"b', 'a\\b', 'a\tb', 'a\nMarked as passed: b\x1b[31m', 'a\u202eb', 'a`b``` c'];
  test.each(odd)('prints no control character of the id %j', (id) => {
    const told = describePass({ id, vouched: true });
    expect(told.split('\n')).toHaveLength(1);
    expect(showInvisible(told)).toBe(told);
  });

  test.each(odd)('repeats the id %j exactly for a client that is not a terminal [REVIEW-REQ-009.2.7]', (id) => {
    for (const vouched of [true, false]) {
      const told = describePass({ id, vouched }, { isExact: true });
      expect(fencedBlocks(told).map(({ text }) => text)).toEqual([`${id}\n`]);
    }
  });

  test('does not repeat a plain id', () => {
    const marked = { id: 'lint--a.py--0123456789ab', vouched: true };
    expect(describePass(marked, { isExact: true })).toBe(describePass(marked));
  });
});
