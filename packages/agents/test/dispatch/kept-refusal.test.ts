import { describe, expect, test } from 'vitest';
import type { Answers } from '../../src/dispatch/answer-schemas.ts';
import { keepRefusal } from '../../src/dispatch/read-answer.ts';

const PASS: Answers['gate'] = { status: 'pass', violations: [] };
const APPROVED: Answers['loop'] = { approved: true, issues: [], summary: 'Fine.' };
const PASSED: Answers['quality'] = { passed: true, feedback: 'Fine.' };

const reply = (text: string, structuredAnswer: unknown = null) => ({ text, structured: structuredAnswer });

describe('a pass in the answer to a repair question', () => {
  test.each<[string, ReturnType<typeof reply>]>([
    ['a fail of the wrong form', reply('{"status":"fail","violations":[{"file":"a.ts"}]}')],
    ['a fail that is cut off', reply('Here: { "status" : "FAIL", "violations": [{"file"')],
    ['a fail that is not quite JSON', reply("{status: 'fail', violations: [}")],
    ['a fail in another form of the word', reply('{"status":"failed"}')],
    ['a fail in another word', reply('{"status":"needs_work"}')],
    ['a fail in the field for it', reply('All is well.', { status: ' Fail', violations: 7 })],
    ['a fail in a list in that field', reply('All is well.', [{ status: 'fail' }])],
    ['a fail in a text in that field', reply('All is well.', '{"status":"fail"')],
    ['a pass with violations that cannot be read', reply('{"status":"pass","violations":[{"file":"a.ts"}]}')],
    ['a number of violations', reply('{"status":"pass","violations":7}')],
    ['violations as text', reply('{"status":"pass","violations":"src/a.ts loses data"}')],
    ['problems under another key', reply('{"status":"pass","violations":[],"issues":["a.ts loses data"]}')],
    [
      'a finding beside the pass',
      reply('{"file":"a.ts","line":3,"issue":"loses data"} {"status":"pass","violations":[]}'),
    ],
    ['a verdict under another key', reply('{"status":"pass","violations":[],"approved":false}')],
    ['the same key twice', reply('{"status":"fail","status":"pass","violations":[]}')],
    ['a list of answers', reply('[{"status":"pass","violations":[]},{"verdict":"x","status":"fail"}]')],
    [
      'a refusal in the text beside a pass in the field for it',
      reply('{"status":"fail"}', { status: 'pass', violations: [] }),
    ],
    ['violations without a status', reply('{"violations": [ {"file":"a.ts"}')],
    ['a refusal that was cut off', reply('{"approved": false, "issues": [{"severity": "blo')],
    ['a refusal without quotes', reply('approved: no')],
    ['a blocker, approved or not', reply('{"approved": true, "issues": [{"severity": "blocker", "descr')],
    ['a warning', reply('{"approved": true, "issues": [{"severity": "warning", "descr')],
    ['a refusal in the field for it', reply('', { approved: false, issues: 'many' })],
    ['a criterion that failed', reply('{"passed": "yes", "criteria_results": [{"criterion": "a", "passed": false')],
    ['outputs that failed', reply('', { passed: 'failed' })],
  ])('does not count after %s', (_title, first) => {
    expect(keepRefusal('gate', first, PASS)).toMatchObject({ status: 'fail', violations: [{ priority: 'critical' }] });
    expect(keepRefusal('loop', first, APPROVED)).toMatchObject({ approved: false, issues: [{ severity: 'blocker' }] });
    expect(keepRefusal('quality', first, PASSED)).toMatchObject({ passed: false });
  });

  test.each<[string, ReturnType<typeof reply>]>([
    ['a pass of the wrong form', reply('{"status":"pass","violations":"none"}')],
    ['a pass with files that were read', reply('{"status":"pass","violations":[],"files_read":["a.ts"]}')],
    ['a pass beside quoted code', reply('It returns {"error":"not found"}. {"status":"pass","violations":[]}')],
    ['a pass that was cut off', reply('{"status":"pass","violations":[')],
    ['a pass with an empty list', reply('{"status":"pass","violations":[ ], "previous": 3}')],
    ['a pass in the field for it, whatever the text', reply('"status":"fail"', { status: 'pass' })],
    ['an approval that was cut off', reply('{"approved": true, "issues": [')],
    ['a suggestion', reply('{"approved": true, "issues": [{"severity": "suggestion", "descr')],
    ['a word that is about something else', reply('I could not open the file; it failed.')],
    ['prose', reply('It looks good to me. Passed: no issues.')],
    ['the form that was asked for', reply('{"approved": true/false, "issues": [{"severity": "blocker|warning"}]}')],
    ['the schema that was asked for', reply('{"status":{"enum":["pass","fail"]},"violations":{"type":"array"}}')],
    ['nothing', reply('')],
  ])('counts after %s', (_title, first) => {
    expect(keepRefusal('gate', first, PASS)).toBe(PASS);
    expect(keepRefusal('loop', first, APPROVED)).toBe(APPROVED);
    expect(keepRefusal('quality', first, PASSED)).toBe(PASSED);
  });
});

describe('the first, unreadable answer', () => {
  const first = reply('{"status":"fail","violations":[{"file":"a.ts"}]}');

  test('becomes a finding beside those of the repeated answer', () => {
    expect(keepRefusal('gate', first, PASS).violations[0]).toMatchObject({ file: '', line: null });
    expect(keepRefusal('gate', first, PASS).violations[0]?.issue).toContain('"file":"a.ts"');
    const hint = { severity: 'suggestion' as const, description: 'a' };
    const { issues } = keepRefusal('loop', first, { ...APPROVED, issues: [hint] });
    expect(issues[0]).toBe(hint);
    expect(issues[1]?.description).toContain('"file":"a.ts"');
    expect(keepRefusal('quality', first, PASSED).feedback).toMatch(/^Fine\.\n\nThe reviewer .*"file":"a\.ts"/s);
  });

  test('is cut to a readable length', () => {
    const long = reply(`{"status":"fail","x":"${'x'.repeat(10_000)}`);
    expect(keepRefusal('gate', long, PASS).violations[0]?.issue.length).toBeLessThan(2200);
  });
});

test('keeps a repeated refusal as it is', () => {
  const fail: Answers['gate'] = { status: 'fail', violations: [], message: 'no' };
  expect(keepRefusal('gate', reply('{"status":"fail"'), fail)).toBe(fail);
  const loopRefusal: Answers['loop'] = { ...APPROVED, issues: [{ severity: 'warning', description: 'a' }] };
  expect(keepRefusal('loop', reply('approved: false'), loopRefusal)).toBe(loopRefusal);
  const qualityRefusal: Answers['quality'] = { passed: false, feedback: 'no' };
  expect(keepRefusal('quality', reply('passed: false'), qualityRefusal)).toBe(qualityRefusal);
});
