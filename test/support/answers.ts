import type { VerdictKind } from '@onceover/agents/dispatch/answer-schemas';
import fc from 'fast-check';

/** A reply of an agent, with the name of what was done to it. */
export type MadeReply = { readonly title: string; readonly text: string; readonly structured?: unknown };

const text = fc.oneof(
  fc.constantFrom(
    '',
    'Fine.',
    'The test expects status: fail, and gets it.',
    'Gut so.',
    '良い',
    'a } and a { "b": [1]',
    '`x`',
  ),
  fc.string({ maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '{', '}', '"', '[', ']', ':', ',', '\n', "'", '`', '\\'),
    maxLength: 30,
  }),
);
const word = fc.constantFrom('a.ts', 'T1', 'Clear', 'src/b.ts');

const PASSES: { readonly [K in VerdictKind]: fc.Arbitrary<object> } = {
  gate: fc.record(
    {
      status: fc.constant('pass'),
      violations: fc.constant([]),
      previous: fc.array(
        fc.record(
          { id: word, state: fc.constantFrom('fixed', 'withdrawn'), why: text },
          { requiredKeys: ['id', 'state'] },
        ),
        {
          maxLength: 2,
        },
      ),
      message: text,
    },
    { requiredKeys: ['status', 'violations'] },
  ),
  loop: fc.record(
    {
      approved: fc.constant(true),
      issues: fc.array(
        fc.record(
          {
            severity: fc.constant('suggestion'),
            level: word,
            category: word,
            description: text,
            location: word,
            task: word,
            suggestion: text,
            challenge: text,
          },
          { requiredKeys: ['severity', 'description'] },
        ),
        { maxLength: 2 },
      ),
      summary: text,
      levels: fc.constantFrom({ tasks: true }, { tasks: { passed: true, issues_count: 0 }, spec: { passed: true } }),
      evidence: fc.record({ verified: fc.array(text, { maxLength: 2 }), missing: fc.constant([]) }),
    },
    { requiredKeys: ['approved', 'issues'] },
  ),
  quality: fc.record(
    {
      passed: fc.constant(true),
      feedback: text,
      criteria_results: fc.array(
        fc.record(
          { criterion: word, passed: fc.constant(true), feedback: fc.option(text) },
          { requiredKeys: ['criterion', 'passed'] },
        ),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['passed'] },
  ),
};

const OPTIONAL: { readonly [K in VerdictKind]: readonly string[] } = {
  gate: ['previous', 'message', 'session_id', 'usage'],
  loop: ['summary', 'levels', 'evidence', 'session_id', 'usage'],
  quality: ['feedback', 'criteria_results', 'session_id', 'usage'],
};

const usage = {
  session_id: 's-1',
  usage: { input_tokens: 5, cached_input_tokens: 3, output_tokens: 2, cost_usd: null },
};
const fence = (language: string) => (json: string) => `\`\`\`${language}\n${json}\n\`\`\``;
const before = (leadIn: string) => (json: string) => `${leadIn}\n\n${json}`;

/** Ordinary ways to write an answer. None of them says anything about the change. */
const WRAPPINGS: Readonly<Record<string, (json: string) => string>> = {
  plain: (json) => json,
  fenced: fence(''),
  'fenced with a language': fence('json'),
  'fenced after an announcement': (json) => before("Here's my review:")(fence('json')(json)),
  'after an announcement': before('Based on my review of src/a.ts, here is the answer:'),
  'after a bold announcement': before('**Answer:**'),
  'after an announcement in German': before('Hier ist meine Prüfung der Änderung:'),
  'after the line of files': before('Files read: spec.md (120 lines), docs/design.md (80 lines)'),
  'with newlines around': (json) => `\n\n${json}\n\n`,
  'with a byte order mark': (json) => `\uFEFF${json}`,
  'with carriage returns': (json) => fence('json')(json).replaceAll('\n', '\r\n'),
};

const written = (answer: object) => fc.constantFrom(0, 2, '\t').map((indent) => JSON.stringify(answer, null, indent));
const wrapping = fc.constantFrom(...Object.entries(WRAPPINGS));

/** Good answers in ordinary wrappings. Each has to be read as a pass at once. */
export function goodAnswers(kind: VerdictKind): fc.Arbitrary<MadeReply> {
  const wrappedAnswers = fc
    .tuple(PASSES[kind].chain(written), wrapping)
    .map(([json, [title, wrap]]) => ({ title, text: wrap(json) }));
  const withNulls = fc
    .tuple(PASSES[kind], fc.subarray([...OPTIONAL[kind]]), wrapping)
    .map(([answer, names, [title, wrap]]) => ({
      title: `null for absent fields, ${title}`,
      text: wrap(JSON.stringify({ ...Object.fromEntries(names.map((name) => [name, null])), ...answer })),
    }));
  const withUsage = fc.tuple(PASSES[kind], wrapping).map(([answer, [title, wrap]]) => ({
    title: `session and usage, ${title}`,
    text: wrap(JSON.stringify({ ...answer, ...usage })),
  }));
  const fieldAnswers = fc
    .tuple(PASSES[kind], fc.constantFrom('', 'I have read the change and found nothing.', null))
    .map(([answer, said]) => ({
      title: 'in a field of the agent, beside text',
      text: said ?? JSON.stringify(answer),
      structured: answer,
    }));
  return fc.oneof(wrappedAnswers, withNulls, withUsage, fieldAnswers);
}

const REFUSALS: { readonly [K in VerdictKind]: readonly object[] } = {
  gate: [
    { status: 'fail', violations: [] },
    { status: 'fail', violations: [{ file: 'a.ts', line: 1, issue: 'It loses data.', priority: 'high' }] },
    { status: 'pass', violations: [{ file: 'a.ts', line: 1, issue: 'It loses data.', priority: 'low' }] },
    { status: 'pass', violations: [], previous: [{ id: 'F1', state: 'open', why: 'It is still there.' }] },
  ],
  loop: [
    { approved: false, issues: [], summary: 'No.' },
    { approved: true, issues: [{ severity: 'warning', description: 'It loses data.' }], summary: '' },
    { approved: true, issues: [], summary: '', levels: { tasks: { passed: false, issues_count: 1 } } },
  ],
  quality: [
    { passed: false, feedback: 'No.' },
    { passed: true, feedback: '', criteria_results: [{ criterion: 'Clear', passed: false }] },
  ],
};

const SENTENCES = [
  'It loses data.',
  'Wait, no: the verdict is fail.',
  'The SQL injection in a.ts has to be fixed first!',
  'I would not merge this',
  'Es gehen Daten verloren. Das muss zuerst behoben werden.',
  'これは直す必要があります。',
  'No se puede aceptar; hay un error.',
  'Это нельзя принимать.',
  '- a.ts:1 loses data',
  '# Problems\n\n1. a.ts loses data',
  '<thinking>It loses data.</thinking>',
];
const sentence = fc.constantFrom(...SENTENCES);
const foreignValue = fc.oneof(
  fc.constantFrom<unknown>(
    'a.ts loses data',
    'needs work',
    ['a.ts loses data'],
    { a: { b: ['loses data'] } },
    2,
    false,
  ),
  fc.constantFrom<unknown>(null, '', [], {}, 0, true, 'none'),
  fc.jsonValue({ maxDepth: 2 }),
);
const foreignName = fc.oneof(
  fc.constantFrom(
    'issues_found',
    'problems',
    'evidence_against',
    'verdict',
    'condition',
    'note',
    'but',
    'Status',
    'STATUS',
  ),
  fc.constantFrom(
    'ѕtatus',
    'status\u200b',
    'ｓｔａｔｕｓ',
    'Probleme',
    '問題',
    'violatíons',
    '...',
    '',
    'a.ts loses data',
  ),
);

/** Puts one more field into one of the objects of an answer: the answer itself or an item of one of its lists. */
function withField(answer: object, name: string, value: unknown, at: number): object {
  const places: object[] = [answer, ...Object.values(answer).flatMap((field) => (Array.isArray(field) ? field : []))];
  const place = places[at % places.length];
  const add = (object: unknown): unknown => {
    if (object === place) return { ...(object as object), [name]: value };
    if (Array.isArray(object)) return object.map(add);
    return object;
  };
  return place === answer
    ? { ...answer, [name]: value }
    : Object.fromEntries(Object.entries(answer).map(([key, field]) => [key, add(field)]));
}

/** Replaces the first `from` in a text; `null` if there is none. */
const replaced = (json: string, from: string | RegExp, to: string) => {
  const changed = json.replace(from, () => to);
  return changed === json ? null : changed;
};

const LOOK_ALIKES: readonly (readonly [string | RegExp, string])[] = [
  ['"pass"', '"p\u0430ss"'],
  ['"pass"', '"ｐａｓｓ"'],
  ['"pass"', '"pass\u200b"'],
  ['"pass"', '"PASS"'],
  ['"pass"', '"passed"'],
  ['"pass"', 'true'],
  ['true', '"true"'],
  ['true', 'True'],
  ['true', '1'],
  ['{', '｛'],
  [':', '：'],
  ['"', '“'],
  [/"(status|approved|passed)"/, '"\u0455tatus"'],
  [/"(status|approved|passed)"/, '"Status "'],
  [/"(violations|issues)"/, '"violat\u0456ons"'],
];

const ELISIONS: readonly (readonly [string | RegExp, string])[] = [
  ['[]', '[...]'],
  ['[]', '[…]'],
  ['[]', '[ ... 3 problems ... ]'],
  ['[]', '[/* 3 problems omitted for brevity */]'],
  ['[]', '[ // see above\n]'],
  ['[]', '[# none left\n]'],
  ['[]', '["a.ts loses data"]'],
  ['[]', '[{}]'],
  ['[]', '[null]'],
  ['[]', '[[]]'],
  ['[]', '{}'],
  ['[]', '"none"'],
  ['[]', '""'],
  ['[]', '0'],
  ['[]', 'null'],
  ['[]', '[,]'],
  [/\}$/, ', ...}'],
  [/\}$/, ',}'],
  [/\}$/, ', "...": "..."}'],
  [/\}$/, ' /* but it loses data */}'],
  [/\}$/, '} // but it loses data'],
  [/^\{/, '{ // not really\n'],
  [/^\{/, '{# not really\n'],
  [/^\{/, '{,'],
];

const OTHER_FORMATS: readonly ((answer: object) => string)[] = [
  (answer) =>
    Object.entries(answer)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join('\n'),
  (answer) =>
    `---\n${Object.entries(answer)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join('\n')}\n...`,
  (answer) =>
    Object.entries(answer)
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
      .join('\n'),
  (answer) => JSON.stringify(answer).replace(/"([a-z_]+)":/g, '$1:'),
  (answer) => JSON.stringify(answer).replaceAll('"', "'"),
  (answer) => `<answer>${JSON.stringify(answer)}</answer>`,
  (answer) => `<tool_call>\n{"name":"StructuredOutput","arguments":${JSON.stringify(answer)}}\n</tool_call>`,
  (answer) => `StructuredOutput(${JSON.stringify(answer)})`,
  (answer) => `const answer = ${JSON.stringify(answer)};`,
  (answer) => `\`${JSON.stringify(answer)}\``,
  (answer) => `> ${JSON.stringify(answer)}`,
  (answer) => JSON.stringify([answer]),
  (answer) => JSON.stringify(JSON.stringify(answer)),
  (answer) => JSON.stringify({ name: 'StructuredOutput', arguments: answer }),
  (answer) => JSON.stringify({ answer }),
  (answer) => JSON.stringify({ result: answer, is_error: false }),
  (answer) => JSON.stringify({ type: 'function', function: { name: 'answer', arguments: JSON.stringify(answer) } }),
  (answer) => `event: message\ndata: ${JSON.stringify(answer)}`,
];

/** Replies that are no pass, made from a pass by one change, and then wrapped like any other answer. */
export function noPasses(kind: VerdictKind): fc.Arbitrary<MadeReply> {
  const pass = PASSES[kind];
  const json = pass.chain(written);
  const refusal = fc.constantFrom(...REFUSALS[kind]).chain(written);
  const joiner = fc.constantFrom('\n', '\n\n', ' ', ',', ' and ', '\nAfter the fix:\n');
  const madeReply = (title: string, of: fc.Arbitrary<string | null>): fc.Arbitrary<MadeReply> =>
    fc
      .tuple(
        of.filter((changed) => changed !== null),
        wrapping,
      )
      .map(([changed, [name, wrap]]) => ({ title: `${title}, ${name}`, text: wrap(changed) }));
  const pairs = (choices: typeof ELISIONS) =>
    fc
      .tuple(fc.constant(PASS_FIELDS[kind]).chain(written), fc.constantFrom(...choices))
      .map(([one, [from, to]]) => replaced(one, from, to));
  return fc.oneof(
    madeReply('a refusal', refusal),
    madeReply(
      'a pass and a refusal',
      fc.tuple(json, joiner, refusal).map((parts) => parts.join('')),
    ),
    madeReply(
      'a refusal and a pass',
      fc.tuple(refusal, joiner, json).map((parts) => parts.join('')),
    ),
    madeReply(
      'two passes',
      fc.tuple(json, joiner, json).map((parts) => parts.join('')),
    ),
    madeReply(
      'a pass and another object',
      fc
        .tuple(
          json,
          joiner,
          fc.object().map((o) => JSON.stringify(o)),
        )
        .map((parts) => parts.join('')),
    ),
    madeReply(
      'a sentence before',
      fc.tuple(sentence, json).map((parts) => parts.join('\n')),
    ),
    madeReply(
      'a sentence after',
      fc.tuple(json, joiner, sentence).map((parts) => parts.join('')),
    ),
    madeReply(
      'cut off',
      fc.tuple(json, fc.nat()).map(([one, at]) => one.slice(0, at % one.length)),
    ),
    madeReply(
      'cut at its beginning',
      fc.tuple(json, fc.nat()).map(([one, at]) => one.slice(1 + (at % (one.length - 1)))),
    ),
    madeReply('elided or commented', pairs(kind === 'quality' ? ELISIONS.filter(([, to]) => to !== 'null') : ELISIONS)),
    madeReply('a look-alike', pairs(LOOK_ALIKES)),
    madeReply(
      'another format',
      fc.tuple(pass, fc.constantFrom(...OTHER_FORMATS)).map(([answer, write]) => write(answer)),
    ),
    madeReply(
      'a field that the schema does not have',
      fc
        .tuple(pass, foreignName, foreignValue, fc.nat())
        .map(([answer, name, value, at]) => JSON.stringify(withField(answer, name, value, at))),
    ),
    madeReply(
      'a key twice',
      fc.tuple(json, fc.constantFrom(...REFUSALS[kind]), fc.boolean()).map(([one, other, isFirst]) => {
        const fields = JSON.stringify(other).slice(1, -1);
        return isFirst ? `{${fields},${one.trim().slice(1)}` : `${one.trim().slice(0, -1)},${fields}}`;
      }),
    ),
    madeReply(
      'a missing field',
      fc.tuple(pass, fc.nat()).map(([answer, at]) => {
        const required = REQUIRED[kind];
        const name = required[at % required.length] ?? '';
        return JSON.stringify(Object.fromEntries(Object.entries(answer).filter(([key]) => key !== name)));
      }),
    ),
    fc
      .tuple(pass, refusal)
      .map(([answer, said]) => ({ title: 'a refusal beside the field', text: said, structured: answer })),
    fc.tuple(pass, foreignName, foreignValue, fc.nat()).map(([answer, name, value, at]) => ({
      title: 'a field that the schema does not have, in the field',
      text: '',
      structured: withField(answer, name, value, at),
    })),
  );
}

const REQUIRED: { readonly [K in VerdictKind]: readonly string[] } = {
  gate: ['status', 'violations'],
  loop: ['approved', 'issues'],
  quality: ['passed'],
};

const PASS_FIELDS = {
  gate: { status: 'pass', violations: [] },
  loop: { approved: true, issues: [], summary: '' },
  quality: { passed: true, feedback: '', criteria_results: [] },
} as const;
