import { digest, passStatement, requestFor } from '@onceover/testing/passes.ts';
import { describe, expect, test } from 'vitest';
import { isDrawn } from '../src/decide-audit.ts';

describe('isDrawn', () => {
  const subjects = Array.from({ length: 4000 }, (_, i) => ({
    ...requestFor(passStatement()).subject,
    content: digest(String(i)),
  }));
  const secret = Buffer.from('one secret of a verifier');
  const drawn = (share: number, by = secret) => subjects.filter((subject) => isDrawn(by, subject, share));

  test.each([0.05, 0.5])('draws a share of %s', (share) => {
    const part = drawn(share).length / subjects.length;
    expect(Math.abs(part - share)).toBeLessThan(0.03);
  });
  test('draws the same passes every time, and others with another secret', () => {
    expect(drawn(0.05)).toEqual(drawn(0.05));
    const other = drawn(0.5, Buffer.from('another secret of a verifier'));
    const both = drawn(0.5).filter((subject) => other.includes(subject));
    expect(Math.abs(both.length / subjects.length - 0.25)).toBeLessThan(0.03);
  });
  test('a pass that is drawn for a small share is drawn for a larger one', () => {
    const large = new Set(drawn(0.2));
    expect(drawn(0.1).every((subject) => large.has(subject))).toBe(true);
  });
  test('draws none for 0 and all for 1', () => {
    expect(drawn(0)).toEqual([]);
    expect(drawn(1)).toEqual(subjects);
  });
});
