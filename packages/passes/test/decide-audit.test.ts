import { digest, passStatement, requestFor } from '@onceover/testing/passes.ts';
import { describe, expect, test } from 'vitest';
import { isDrawn } from '../src/decide-audit.ts';

describe('isDrawn', () => {
  const subjects = Array.from({ length: 4000 }, (_, i) => ({
    ...requestFor(passStatement()).subject,
    content: digest(String(i)),
  }));
  const secret = Buffer.from('one secret of a verifier');
  const drawSubjects = (share: number, by = secret) => subjects.filter((subject) => isDrawn(by, subject, share));

  test.each([0.05, 0.5])('draws a share of %s', (share) => {
    const part = drawSubjects(share).length / subjects.length;
    expect(Math.abs(part - share)).toBeLessThan(0.03);
  });
  test('draws the same passes every time, and others with another secret', () => {
    expect(drawSubjects(0.05)).toEqual(drawSubjects(0.05));
    const otherDraw = drawSubjects(0.5, Buffer.from('another secret of a verifier'));
    const commonSubjects = drawSubjects(0.5).filter((subject) => otherDraw.includes(subject));
    expect(Math.abs(commonSubjects.length / subjects.length - 0.25)).toBeLessThan(0.03);
  });
  test('a pass that is drawn for a small share is drawn for a larger one', () => {
    const large = new Set(drawSubjects(0.2));
    expect(drawSubjects(0.1).every((subject) => large.has(subject))).toBe(true);
  });
  test('draws none for 0 and all for 1', () => {
    expect(drawSubjects(0)).toEqual([]);
    expect(drawSubjects(1)).toEqual(subjects);
  });
});
