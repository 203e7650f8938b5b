import { describe, expect, test } from 'vitest';
import type { Answers } from '../../src/prompt/answers.ts';
import { keepFail } from '../../src/prompt/kept-fail.ts';

const PASS: Answers['gate'] = { status: 'pass', violations: [] };
const said = (text: string, structured: unknown = null) => ({ text, structured });

describe('a pass that repairs an answer', () => {
  test.each<[string, ReturnType<typeof said>, 'pass' | 'fail']>([
    ['a fail of the wrong form', said('{"status":"fail","violations":[{"file":"a.ts"}]}'), 'fail'],
    ['a fail that is cut off', said('Here: { "status" : "FAIL", "violations": [{"file"'), 'fail'],
    ['a fail that is not quite JSON', said("{status: 'fail', violations: [}"), 'fail'],
    ['a fail in the field for it', said('All is well.', { status: ' Fail', violations: 7 }), 'fail'],
    ['a pass of the wrong form', said('{"status":"pass","violations":7}'), 'pass'],
    ['a pass in the field for it, whatever the text', said('"status":"fail"', { status: 'pass' }), 'pass'],
    ['no verdict', said('I could not open the file; it failed.'), 'pass'],
    ['nothing', said(''), 'pass'],
  ])('%s', (_title, first, expected) => {
    expect(keepFail(first, PASS).status).toBe(expected);
  });

  test('what was said first is the finding, and it blocks', () => {
    const kept = keepFail(said('{"status":"fail","violations":[{"file":"a.ts"}]}'), PASS);
    expect(kept.violations).toMatchObject([{ file: '', line: null, priority: 'critical' }]);
    expect(kept.violations[0]?.issue).toContain('"file":"a.ts"');
  });

  test('however long that was', () => {
    const kept = keepFail(said(`{"status":"fail","x":"${'x'.repeat(10_000)}`), PASS);
    expect(kept.violations[0]?.issue.length).toBeLessThan(2500);
  });
});

test('a repaired fail is what it says', () => {
  const fail: Answers['gate'] = { status: 'fail', violations: [], message: 'no' };
  expect(keepFail(said('{"status":"fail"'), fail)).toBe(fail);
});
