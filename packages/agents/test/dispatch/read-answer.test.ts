import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerSchema } from '../../src/dispatch/answer-schemas.ts';
import { readAnswer } from '../../src/dispatch/read-answer.ts';

const PASS = '{"status":"pass","violations":[]}';
const finding = { file: 'src/a.ts', line: 3, issue: 'It is wrong.', priority: 'high' };
const readGate = (text: string) => readAnswer('gate', { text, structured: undefined });
const whyNot = (text: string) => {
  const readResult = readGate(text);
  return readResult.ok ? readResult.answer : readResult.failure.why;
};

const FAIL = JSON.stringify({ status: 'fail', violations: [finding] });

describe('a pass is the whole reply', () => {
  test.each([
    ['alone', PASS],
    ['in a fence', `\`\`\`json\n${PASS}\n\`\`\``],
    ['after an announcement', `Here is my review:\n\n${PASS}`],
    ['after an announcement with a file name', `**My review of src/a.ts (iteration 2):**\n${PASS}`],
    ['after an announcement in another language', `これが私の回答です：\n${PASS}`],
    ['after the line of files', `Files read: spec.md (120 lines), docs/my plan.md (1,204 lines)\n\n${PASS}`],
    ['after the line of files and an announcement', `**Files read:** spec.md (120 lines).\nMy answer:\n${PASS}`],
    ['with a session and usage', '{"status":"pass","violations":[],"session_id":"s","usage":{"output_tokens":1}}'],
    ['with braces inside a string', '{"status":"pass","violations":[],"message":"a } and a { and \\" too"}'],
    ['with free text', '{"status":"pass","violations":[],"message":"The test expects status: fail, and gets it."}'],
  ])('%s', (_title, text) => {
    const readResult = readGate(text);
    expect(readResult.ok && readResult.answer.status).toBe('pass');
  });

  test.each([
    ['before text', `${PASS}\nThat is all.`, 'extra-text'],
    ['after a sentence', `I have reviewed the change.\n${PASS}`, 'extra-text'],
    ['after a sentence and an announcement', `It loses data. Here is my answer:\n${PASS}`, 'extra-text'],
    ['after two announcements', `It loses data:\nMy answer:\n${PASS}`, 'extra-text'],
    ['after a long announcement', `${'very '.repeat(30)}:\n${PASS}`, 'extra-text'],
    ['after a line of files that says more', `Files read: spec.md (120 lines), which is wrong\n${PASS}`, 'extra-text'],
    ['before text in a fence', `\`\`\`json\n${PASS}\nBut it loses data.\n\`\`\``, 'extra-text'],
    ['after prose with braces', `I read { and } and ${'{x}'}.\n${PASS}`, 'extra-text'],
    ['after the same answer', `${PASS}\n${PASS}`, 'several-answers'],
    ['after the schema', `The form is ${JSON.stringify(answerSchema('gate'))}.\n${PASS}`, 'several-answers'],
    ['after an empty object', `It defaults to {}.\n${PASS}`, 'several-answers'],
    ['in a list', `[${PASS}]`, 'several-answers'],
    ['with a field that the schema does not have', '{"status":"pass","violations":[],"confidence":0.9}', 'wrong-shape'],
    ['with text as usage', '{"status":"pass","violations":[],"usage":{"problems":"it loses data"}}', 'wrong-shape'],
    ['with an unknown field that is null', '{"status":"pass","violations":[],"it loses data":null}', 'wrong-shape'],
    [
      'with a field more in a list',
      '{"status":"pass","violations":[],"previous":[{"id":"F1","state":"fixed","why":"","but":"x"}]}',
      'wrong-shape',
    ],
    ['with a trailing comma', '{"status":"pass","violations":[],}', 'broken-json'],
    ['with single quotes and comments', "{'status': 'pass', /* none */ 'violations': []}", 'broken-json'],
    ['with bare keys', '{status: "pass", violations: []}', 'broken-json'],
    ['with findings left out', '{"status":"pass","violations":[...]}', 'broken-json'],
    ['in capitals', '{"status":"PASS","violations":[]}', 'wrong-shape'],
  ])('not %s', (_title, text, expected) => {
    expect(whyNot(text)).toBe(expected);
  });
});

describe('a refusal is found', () => {
  test.each([
    ['in a fence between texts', `Here:\n\`\`\`json\n${FAIL}\n\`\`\`\nThat is all.`],
    ['after prose with braces', `I read { and } and ${'{x}'}.\n${FAIL}`],
    ['after an unclosed brace in prose', `Use { to open.\n${FAIL}`],
    ['after the same refusal', `${FAIL}\n${FAIL}`],
    ['after the schema', `The form is ${JSON.stringify(answerSchema('gate'))}.\n${FAIL}`],
    ['after an empty object', `It defaults to {}.\n${FAIL}`],
    ['after and before code', `It takes \`{ name: string, age: 3 }\`.\n${FAIL}\nSo \`{ a: b() }\` is right.`],
    ['in a list of one', `[${FAIL}]`],
    ['with fields that the schema does not have', FAIL.replace('{', '{"confidence":0.9,')],
  ])('%s', (_title, text) => {
    expect(whyNot(text)).toMatchObject({ status: 'fail', violations: [finding] });
  });

  // With the setting `fail_on`, the findings that are left might only warn.
  const LOW = JSON.stringify({ status: 'fail', violations: [{ ...finding, priority: 'low' }] });
  test.each([
    ['some findings are elided', LOW.replace('}]', '}, ...]'), 'broken-json'],
    ['some findings are elided, after text', `So:\n${LOW.replace('}]', '}, /* 3 more */]')}`, 'broken-json'],
    ['findings are in another field', LOW.replace('{', `{"critical":[${JSON.stringify(finding)}],`), 'wrong-shape'],
    [
      'findings are inside a finding',
      LOW.replace('"line"', `"more":[${JSON.stringify(finding)}],"line"`),
      'wrong-shape',
    ],
    ['findings are in another object', `${JSON.stringify(finding)}\n${LOW}`, 'several-answers'],
    [
      'a broken object names a finding',
      `{file: 'a.ts', issue: 'loses data', priority: 'critical'}\n${LOW}`,
      'several-answers',
    ],
    ['it has a trailing comma', `${LOW.slice(0, -1)},}`, 'broken-json'],
  ])('but not read if %s', (_title, text, expected) => {
    expect(whyNot(text)).toBe(expected);
  });
});

describe('a structured field', () => {
  test('counts if it refuses although the text passes', () => {
    const readResult = readAnswer('gate', { text: PASS, structured: { status: 'fail', violations: [finding] } });
    expect(readResult.ok && readResult.answer).toEqual({ status: 'fail', violations: [finding] });
  });

  test('is not replaced by the text if it is wrong', () => {
    expect(readAnswer('gate', { text: PASS, structured: { status: 'ok' } })).toMatchObject({
      ok: false,
      failure: { why: 'wrong-shape' },
    });
  });
});

test.each(["'", '`'])('a pass in the code that a fail quotes in %s is not the answer', (quote) => {
  const code = `${quote}x }]} ${PASS}${quote}`;
  const readResult = readGate(
    `{'status': 'fail', 'violations': [{'file': 'a.js', 'line': 1, 'code': ${code}, 'issue': 'no'}]}`,
  );
  expect(readResult).toMatchObject({ ok: false, failure: { why: 'broken-json' } });
});

describe('an unreadable answer', () => {
  test.each([
    ['nothing', '  \n', 'empty'],
    ['prose', 'All good, I approve.', 'no-object'],
    ['cut off', '{"status":"pass","violations":[', 'truncated'],
    [
      'cut off after a complete part',
      '{"status":"pass","violations":[],"previous":[{"id":"F1","state":"fixed","why":"x"}',
      'truncated',
    ],
    ['cut off in a string', '{"status":"pass","violations":[],"message":"it is', 'truncated'],
    ['cut off in a fence', '```json\n{"status": "pass",\n', 'truncated'],
    ['a list', '[]', 'no-object'],
    ['an object without status', '{"violations":[]}', 'wrong-shape'],
    ['another status', '{"status":"approved","violations":[]}', 'wrong-shape'],
    ['a status that is no text', '{"status":true,"violations":[]}', 'wrong-shape'],
    ['violations that are text', '{"status":"fail","violations":"many"}', 'wrong-shape'],
    [
      'a violation without issue',
      '{"status":"fail","violations":[{"file":"a","line":1,"priority":"low"}]}',
      'wrong-shape',
    ],
    ['an empty object', '{}', 'wrong-shape'],
    ['an example after the answer', `${PASS}\nFor example {"a": 1}`, 'several-answers'],
    ['an example before the answer', `For example {"a": 1}\n${PASS}`, 'several-answers'],
    ['a pass without violations', '{"status":"pass"}', 'wrong-shape'],
    ['a pass with null for violations', '{"status":"pass","violations":null}', 'wrong-shape'],
  ])('%s', (_title, text, expected) => {
    expect(whyNot(text)).toBe(expected);
  });

  test('a truncated answer is never a pass', () => {
    const whole = JSON.stringify({
      status: 'pass',
      violations: [],
      previous: [{ id: 'F1', state: 'fixed', why: 'a "b" }' }],
      message: 'x',
    });
    for (let length = 0; length < whole.length; length++)
      expect(readGate(whole.slice(0, length)).ok, whole.slice(0, length)).toBe(false);
  });

  test('reading never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', "'", '\\', ':', ',', 'a', '`', '\n', '/', '*') }),
        (text) => {
          expect(readGate(text).ok).toBe(false);
        },
      ),
    );
  });
});

describe('a violation', () => {
  const violationFrom = (fields: object) => {
    const answer = readGate(JSON.stringify({ status: 'fail', violations: [{ ...finding, ...fields }] }));
    return answer.ok ? answer.answer.violations[0] : answer.failure;
  };

  test.each([
    [12, 12],
    ['12', 12],
    ['12-15', 12],
    ['L12', 12],
    [null, null],
    [0, null],
    [-3, null],
    [1.5, null],
    ['none', null],
    [undefined, null],
  ])('line %j is %j', (line, expected) => {
    expect(violationFrom({ line })).toMatchObject({ line: expected });
  });

  test.each([0, -3, 1.5, 'none', 1e30, true])('line %j is marked as a line that no file has', (line) => {
    expect(violationFrom({ line })).toMatchObject({ line: null, no_such_line: true });
  });

  test.each([1, '12-15', null, undefined, ''])('line %j is not marked, whatever the answer says', (line) => {
    expect(violationFrom({ line, no_such_line: true })).not.toHaveProperty('no_such_line');
  });

  test.each([
    ['HIGH', 'high'],
    ['minor', 'critical'],
    [undefined, 'critical'],
    [3, 'critical'],
  ])('priority %j is %j', (priority, expected) => {
    expect(violationFrom({ priority })).toMatchObject({ priority: expected });
  });

  test.each([
    ['./src/a.ts', 'src/a.ts'],
    ['src/a.ts', 'src/a.ts'],
    [undefined, ''],
    [null, ''],
  ])('file %j is %j', (file, expected) => {
    expect(violationFrom({ file })).toMatchObject({ file: expected });
  });

  test('keeps unknown fields and drops null fields', () => {
    expect(violationFrom({ code: null, fix: null, confidence: 0.9 })).toEqual({ ...finding, confidence: 0.9 });
  });
});

describe('other answers', () => {
  test('of a loop: accepts alternative field names, and an unknown severity blocks', () => {
    const text = JSON.stringify({
      approved: true,
      issues: [
        { severity: 'Warning', description: 'a', task: 'T1', challenge: 'why?' },
        { severity: 'nit', description: 'b', location: 'here', suggestion: 'do' },
      ],
    });
    const readResult = readAnswer('loop', { text, structured: undefined });
    expect(readResult.ok && readResult.answer).toEqual({
      approved: true,
      issues: [
        { severity: 'warning', description: 'a', location: 'T1', suggestion: 'why?' },
        { severity: 'blocker', description: 'b', location: 'here', suggestion: 'do' },
      ],
      summary: '',
    });
  });

  test.each([
    ['{"passed":true,"feedback":"ok"}', { passed: true, feedback: 'ok' }],
    ['{}', { passed: false, feedback: 'No feedback provided' }],
    ['{"passed":null,"criteria_results":null}', { passed: false, feedback: 'No feedback provided' }],
    ['{"passed":"yes"}', 'wrong-shape'],
  ])('of a quality review: %s', (text, expected) => {
    const readResult = readAnswer('quality', { text, structured: undefined });
    expect(readResult.ok ? readResult.answer : readResult.failure.why).toEqual(expected);
  });

  test('of a fixer', () => {
    const text = '{"summary":"Done.","dispositions":[{"id":"F1","state":"declined","why":"It is right."}]}';
    const readResult = readAnswer('fixer', { text, structured: undefined });
    expect(readResult.ok && readResult.answer.dispositions?.[0]?.state).toBe('declined');
    expect(readAnswer('fixer', { text: '{"summary":3}', structured: undefined }).ok).toBe(false);
  });
});
