import { describe, expect, test } from 'vitest';
import { keepRefusal } from '../../src/prompt/kept-refusal.ts';

const APPROVED = { approved: true, issues: [], summary: 'Fine.' };

describe('an approval in the answer to a repair question', () => {
  test.each<[string, string, unknown]>([
    ['a refusal that was cut off', '{"approved": false, "issues": [{"severity": "blo', undefined],
    ['a refusal without quotes', 'approved: no', undefined],
    ['a blocker, approved or not', '{"approved": true, "issues": [{"severity": "blocker", "descr', undefined],
    ['a refusal in the field for it', '', { approved: false, issues: 'many' }],
  ])('does not count after %s', (_, text, structured) => {
    const kept = keepRefusal({ text, structured }, APPROVED);
    expect(kept).toMatchObject({ approved: false, issues: [{ severity: 'blocker' }] });
    expect(kept.issues[0]?.description).toContain(text === '' ? '"many"' : text);
  });

  test.each<[string, string]>([
    ['an approval that was cut off', '{"approved": true, "issues": ['],
    ['prose', 'It looks good to me.'],
    ['the form that was asked for', '{"approved": true/false, "issues": [{"severity": "blocker|warning|suggestion"}]}'],
    ['nothing', ''],
  ])('counts after %s', (_, text) => {
    expect(keepRefusal({ text, structured: undefined }, APPROVED)).toBe(APPROVED);
  });

  test('a repeated refusal is left as it is', () => {
    const refused = { approved: false, issues: [{ severity: 'warning' as const, description: 'a' }], summary: '' };
    expect(keepRefusal({ text: 'approved: false', structured: undefined }, refused)).toBe(refused);
  });

  test('what was said is told at a length that can be read', () => {
    const kept = keepRefusal({ text: `approved: false ${'x'.repeat(5000)}`, structured: undefined }, APPROVED);
    expect(kept.issues[0]?.description.length).toBeLessThan(2200);
  });
});
