import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerKind, Answers } from '../../src/dispatch/answer-schemas.ts';
import { readAnswer } from '../../src/dispatch/read-answer.ts';
import { refuses } from '../../src/dispatch/refusals.ts';

const verdictOf = <K extends AnswerKind>(kind: K, text: string, structuredAnswer?: unknown) => {
  const readResult = readAnswer(kind, { text, structured: structuredAnswer });
  return readResult.ok ? (refuses(kind, readResult.answer) ? 'refusal' : 'pass') : readResult.failure.why;
};

const FINDING = '{"file":"src/a.ts","line":1,"issue":"Loses data.","priority":"high"}';
const PASS = '{"status":"pass","violations":[]}';
const FAIL = `{"status":"fail","violations":[${FINDING}]}`;

describe('an answer that refuses and passes at once is not a pass', () => {
  test.each<[title: string, text: string, expected: string]>([
    ['the same key twice', '{"status":"fail","status":"pass","violations":[]}', 'duplicate-key'],
    ['the same key twice, once escaped', '{"status":"fail","stat\\u0075s":"pass","violations":[]}', 'duplicate-key'],
    ['violations twice', `{"status":"pass","violations":[${FINDING}],"violations":[]}`, 'duplicate-key'],
    ['the same key twice in JSON to repair', "{status: 'fail', status: 'pass', violations: []}", 'broken-json'],
    [
      'a refusal, then an example of a pass',
      `${FAIL}\nAfter the fix I would say:\n\`\`\`json\n${PASS}\n\`\`\``,
      'several-answers',
    ],
    ['an example of a pass, then a refusal', `A pass is ${PASS}. But: ${FAIL}`, 'several-answers'],
    ['two different refusals', `${FAIL} {"status":"fail","violations":[],"message":"No."}`, 'several-answers'],
    ['a list of answers', `[${FAIL},${PASS}]`, 'several-answers'],
    ['a list with a text in it', `["src/a.ts loses data", ${PASS}]`, 'several-answers'],
    ['a list that is cut off', `[${PASS}, `, 'truncated'],
    ['a list of findings, then a pass', `Findings: [${FINDING}]\n${PASS}`, 'several-answers'],
    ['a refusal with bare keys', `{status: fail}\n${PASS}`, 'several-answers'],
    ['a refusal with typographic quotes', `{“status”: “fail”, “violations”: []}\n${PASS}`, 'several-answers'],
    ['a refusal in a list in a list', `[[${FAIL}],[${PASS}]]`, 'several-answers'],
    ['a refusal in the form of a loop', `{"approved":false,"issues":[],"summary":""}\n${PASS}`, 'several-answers'],
    ['a refusal around the pass', `{"status":"fail","answer":${PASS},"violations":[]}`, 'wrong-shape'],
    ['a refusal inside the pass', `{"status":"pass","violations":[],"answer":${FAIL}}`, 'wrong-shape'],
    ['a refusal in the message', JSON.stringify({ status: 'pass', violations: [], message: FAIL }), 'several-answers'],
    ['problems under another key', `{"status":"pass","violations":[],"issues":[${FINDING}]}`, 'wrong-shape'],
    [
      'problems under the key in capitals',
      `{"status":"pass","violations":[],"Violations":[${FINDING}]}`,
      'wrong-shape',
    ],
    ['problems as a text', '{"status":"pass","violations":[],"problems":"a.ts loses data"}', 'wrong-shape'],
    ['a number of problems', '{"status":"pass","violations":[],"critical_issues":2}', 'wrong-shape'],
    ['a list under any key', '{"status":"pass","violations":[],"todo":["a.ts loses data"]}', 'wrong-shape'],
    ['another verdict', '{"status":"pass","violations":[],"approved":false}', 'wrong-shape'],
    ['another verdict in words', '{"status":"pass","violations":[],"verdict":"needs work"}', 'wrong-shape'],
    ['violations as a text', '{"status":"pass","violations":"a.ts loses data"}', 'wrong-shape'],
    ['violations as an object', `{"status":"pass","violations":{"a":${FINDING}}}`, 'wrong-shape'],
    ['violations as one finding', `{"status":"pass","violations":${FINDING}}`, 'refusal'],
    ['violations in a list', `{"status":"pass","violations":[[${FINDING}]]}`, 'wrong-shape'],
    ['a schema that refuses', `{"type":"object","properties":{"status":"fail"}}\n${PASS}`, 'several-answers'],
  ])('%s', (_title, text, expected) => {
    expect(verdictOf('gate', text)).toBe(expected);
  });

  test('the text refuses, and the structured field passes', () => {
    expect(verdictOf('gate', FAIL, JSON.parse(PASS))).toBe('several-answers');
    expect(verdictOf('gate', PASS, JSON.parse(PASS))).toBe('pass');
    expect(verdictOf('gate', 'All good.', JSON.parse(PASS))).toBe('pass');
  });

  test.each<[AnswerKind, string, string]>([
    [
      'loop',
      '{"approved":false,"issues":[],"summary":"No."}\n{"approved":true,"issues":[],"summary":""}',
      'several-answers',
    ],
    ['loop', '{"approved":false,"approved":true,"issues":[],"summary":""}', 'duplicate-key'],
    ['loop', '{"approved":true,"issues":[],"summary":"","findings":[{"description":"x"}]}', 'wrong-shape'],
    ['loop', '{"approved":true,"issues":null,"summary":""}', 'wrong-shape'],
    ['loop', '{"approved":true,"issues":[],"summary":"","evidence":{"verified":["a"],"missing":[]}}', 'pass'],
    ['quality', '{"passed":false,"feedback":"No."}\n{"passed":true,"feedback":""}', 'several-answers'],
    ['quality', '{"passed":false,"passed":true,"feedback":""}', 'duplicate-key'],
    ['quality', '{"passed":true,"feedback":"","failures":["a"]}', 'wrong-shape'],
    ['fixer', '{"summary":"a"}\n{"summary":"b"}', 'several-answers'],
    ['fixer', '{"summary":"a","dispositions":[],"dispositions":[]}', 'duplicate-key'],
    ['fixer', 'I wrote {"a":1}. {"summary":"a"}', 'pass'],
  ])('an answer of kind %s: %s', (kind, text, expected) => {
    expect(verdictOf(kind, text)).toBe(expected);
  });
});

const prose = fc
  .array(
    fc.constantFrom(
      'I read src/a.ts.',
      'It looks fine.',
      '- a point',
      '`x => x + 1`',
      'Use { to open.',
      '# Review',
      'a["b"]',
    ),
    {
      maxLength: 4,
    },
  )
  .map((lines) => lines.join('\n'));
const pretty = fc.constantFrom(0, 2);
const inFence = fc.constantFrom(
  (text: string) => text,
  (text: string) => `\`\`\`json\n${text}\n\`\`\``,
  (text: string) => `\`\`\`\n${text}\n\`\`\``,
);
const answerText = (answer: fc.Arbitrary<object>) =>
  fc.tuple(answer, pretty, inFence).map(([object, indent, fence]) => fence(JSON.stringify(object, null, indent)));

const words = fc.string({ unit: fc.constantFrom('a', ' ', '{', '}', '"', '[', ']', ':', 'ok', '\n', "'", '`') });
const previous = fc.array(
  fc.record({ id: fc.constantFrom('F1', 'F2'), state: fc.constantFrom('fixed', 'withdrawn'), why: words }),
);
const PASSES = {
  gate: fc.record(
    { status: fc.constant('pass'), violations: fc.constant([]), previous, message: words },
    { requiredKeys: ['status', 'violations'] },
  ),
  loop: fc.record({ approved: fc.constant(true), issues: fc.constant([]), summary: words }),
  quality: fc.record({ passed: fc.constant(true), feedback: words }),
};
const violation = fc.record({
  file: fc.constant('a.ts'),
  line: fc.constant(1),
  issue: words,
  priority: fc.constant('low'),
});
const REFUSALS: { readonly [K in keyof typeof PASSES]: fc.Arbitrary<object> } = {
  gate: fc.oneof(
    fc.record({ status: fc.constant('fail'), violations: fc.array(violation) }),
    fc.record({ status: fc.constant('pass'), violations: fc.array(violation, { minLength: 1 }) }),
    fc.record({ status: fc.constantFrom('fail', 'rejected', 'FAILED') }),
    fc.record({ problems: fc.array(violation, { minLength: 1 }) }),
    violation,
  ),
  loop: fc.record({ approved: fc.constant(false), issues: fc.constant([]), summary: words }),
  quality: fc.record({ passed: fc.constant(false), feedback: words }),
};

describe.each(['gate', 'loop', 'quality'] as const)('any answer of kind %s', (kind) => {
  const pass: fc.Arbitrary<object> = PASSES[kind];

  test('with a refusal in it is never a pass', () => {
    const parts = fc.tuple(
      fc.array(answerText(pass), { maxLength: 2 }),
      answerText(REFUSALS[kind]),
      fc.array(answerText(pass), { maxLength: 2 }),
    );
    const answerTexts = fc
      .tuple(parts, fc.constantFrom('\n', ' ', ' and ', ','))
      .map(([[a, b, c], by]) => [...a, b, ...c].join(by));
    const textAndWrapper = fc.tuple(
      answerTexts,
      fc.constantFrom(
        (t: string) => t,
        (t: string) => `[${t}]`,
        (t: string) => `So: ${t}.`,
      ),
    );
    fc.assert(
      fc.property(prose, textAndWrapper, prose, (before, [text, wrap], after) => {
        expect(verdictOf(kind, `${before}\n${wrap(text)}\n${after}`)).not.toBe('pass');
      }),
    );
  });

  test('with the same key twice is never a pass', () => {
    fc.assert(
      fc.property(pass, REFUSALS[kind], fc.boolean(), (good, bad, isFirst) => {
        const [a, b] = (isFirst ? [bad, good] : [good, bad]).map((answer) => JSON.stringify(answer));
        const text = `${a?.slice(0, -1)},${b?.slice(1)}`;
        expect(verdictOf(kind, text)).not.toBe('pass');
      }),
    );
  });
});

test('a refusal has a place among the answers of its kind', () => {
  const fail: Answers['gate'] = { status: 'fail', violations: [] };
  expect(refuses('gate', fail)).toBe(true);
  expect(refuses('gate', { status: 'pass', violations: [], previous: [{ id: 'F1', state: 'open', why: '' }] })).toBe(
    true,
  );
});
