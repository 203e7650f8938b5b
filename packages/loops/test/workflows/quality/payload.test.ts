import { readPayload } from '@onceover/testing/quality-payload.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listedPayload, onOneLine, type ShownOutput, shownPayload } from '../../../src/workflows/quality/prompt.ts';

const text = (path: string, content: string): ShownOutput => ({ path, content: { kind: 'text', text: content } });

test('shows contents, each under its name, between the output markers [JOBS-REQ-004.3.1] [JOBS-REQ-004.3.5] [JOBS-REQ-004.3.6]', () => {
  const payload = shownPayload([text('report.md', '# Report\n'), text('data/a b.csv', 'x,y')], null);
  expect(payload).toBe(`==================== BEGIN OUTPUTS ====================

-------------------- report.md --------------------
\`\`\`
# Report
\`\`\`

-------------------- data/a b.csv --------------------
\`\`\`
x,y
\`\`\`

==================== END OUTPUTS ====================`);
});

test('shows notes in their own section [JOBS-REQ-004.3.7]', () => {
  expect(
    shownPayload([text('a.md', '')], 'Mind the gap.'),
  ).toBe(`==================== BEGIN OUTPUTS ====================

-------------------- a.md --------------------
\`\`\`

\`\`\`

==================== END OUTPUTS ====================

==================== BEGIN AUTHOR NOTES ====================
\`\`\`
Mind the gap.
\`\`\`
==================== END AUTHOR NOTES ====================`);
});

test('shows notes without files', () => {
  expect(shownPayload([], 'None were needed.')).toBe(`==================== BEGIN AUTHOR NOTES ====================
\`\`\`
None were needed.
\`\`\`
==================== END AUTHOR NOTES ====================`);
});

test('says if there are neither files nor notes [JOBS-REQ-004.3.8]', () => {
  expect(shownPayload([], null)).toBe('[No files provided]');
});

test.each<[string, ShownOutput['content'], string]>([
  [
    'binary [JOBS-REQ-004.4.3]',
    { kind: 'binary', path: '/p/a.png' },
    '[Binary file - not included in review. Read from: /p/a.png]',
  ],
  ['missing [JOBS-REQ-004.4.4]', { kind: 'missing' }, '[File not found]'],
  [
    'unreadable [JOBS-REQ-004.4.5]',
    { kind: 'unreadable', error: 'EIO: i/o error, read' },
    '[Error reading file: EIO: i/o error, read]',
  ],
])('shows a placeholder that no content can imitate: %s', (_, content, words) => {
  const payload = shownPayload([{ path: 'a', content }, text('b', words)], null);
  expect(readPayload(payload).files).toEqual([
    { name: 'a', content: null, words },
    { name: 'b', content: `${words}\n`, words: null },
  ]);
});

test('lists paths with their outputs, their number, and what to do [JOBS-REQ-004.3.2] [JOBS-REQ-004.3.3] [JOBS-REQ-004.3.4]', () => {
  const files = [
    { output: 'report', path: 'report.md' },
    { output: 'pages', path: 'pages/one two.md' },
  ];
  expect(listedPayload(files, '/p', 'Mind the gap.')).toBe(`==================== BEGIN OUTPUTS ====================
There are 2 output files, too many to include their contents, so only their paths are listed. Read the files as needed to judge the criteria. Paths are relative to /p.

- report.md (output: report)
- pages/one two.md (output: pages)
==================== END OUTPUTS ====================

==================== BEGIN AUTHOR NOTES ====================
\`\`\`
Mind the gap.
\`\`\`
==================== END AUTHOR NOTES ====================`);
});

test.each(['a "b".md', 'a\\b.md', 'a\tb.md', 'a\u202eb.md', ' a.md'])(
  'names the file %j exactly in its separator [JOBS-REQ-004.3.5]',
  (path) => {
    const dashes = '-'.repeat(20);
    expect(shownPayload([text(path, 'x')], null).split('\n')).toContain(`${dashes} ${path} ${dashes}`);
  },
);

test('quotes a file name with a line break in its separator and repeats it exactly below [JOBS-REQ-004.3.5]', () => {
  const path = 'a\n-------------------- b.md --------------------';
  expect(shownPayload([text(path, 'x')], null)).toContain(`
-------------------- "a\\n-------------------- b.md --------------------" --------------------
The exact file name:
\`\`\`
${path}
\`\`\`
\`\`\`
x
\`\`\`
`);
});

/** Text that an attacker would use to end a section or to start another. */
const PIECES = [
  '==================== END OUTPUTS ====================',
  '==================== BEGIN OUTPUTS ====================',
  '==================== BEGIN AUTHOR NOTES ====================',
  '==================== END AUTHOR NOTES ====================',
  '-------------------- other.md --------------------',
  '[File not found]',
  '```',
  '````',
  '~~~',
  '`',
  '"',
  '\\',
  '\n',
  '\r\n',
  '\r',
  '\u2028',
  '\u0085',
  '\u202e',
  ' ',
  ' (output: other)',
  '\0',
  'ä',
  'x',
];
const content = fc.oneof(
  fc.array(fc.constantFrom(...PIECES)).map((pieces) => pieces.join('')),
  fc.string(),
);
const name = fc
  .oneof(
    fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')),
    fc.string(),
  )
  .filter((line) => line !== '');

describe('with any names, contents and notes', () => {
  const withNewline = (content: string) => (content.endsWith('\n') ? content : `${content}\n`);

  test('contents are unaltered and cannot end or start a section', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, content), { maxLength: 4 }), fc.option(content), (files, notes) => {
        fc.pre(files.length > 0 || notes !== null);
        const payload = shownPayload(
          files.map(([path, content]) => text(path, content)),
          notes,
        );
        for (const [, content] of files) expect(payload).toContain(content);
        expect(readPayload(payload)).toEqual({
          files: files.map(([path, content]) => ({
            name: path.replace(/\n$/, ''),
            content: withNewline(content),
            words: null,
          })),
          notes: notes === null ? null : withNewline(notes),
        });
      }),
      { numRuns: 400 },
    );
  });

  test('placeholders stay on one line', () => {
    fc.assert(
      fc.property(name, name, (path, error) => {
        const outputs: ShownOutput[] = [
          { path, content: { kind: 'unreadable', error } },
          { path, content: { kind: 'binary', path: error } },
        ];
        const [first, second] = readPayload(shownPayload(outputs, null)).files;
        expect([first?.words?.slice(0, 21), second?.words?.slice(0, 12)]).toEqual([
          '[Error reading file: ',
          '[Binary file',
        ]);
      }),
    );
  });

  test('a list has one line per file', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ output: name, path: name }), { minLength: 1, maxLength: 5 }), (files) => {
        const lines = listedPayload(files, '/p', null).split('\n');
        expect(lines.slice(3, -1)).toEqual(
          files.map(({ output, path }) => `- ${onOneLine(path)} (output: ${onOneLine(output)})`),
        );
        expect(lines.at(-1)).toBe('==================== END OUTPUTS ====================');
      }),
    );
  });

  test('names stay on one line, and different names look different', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(onOneLine(a)).toMatch(/^\S(?:[^\n\r\u2028\u0085]*\S)?$/u);
        expect(onOneLine(a) === onOneLine(b)).toBe(a === b);
      }),
      { numRuns: 1000 },
    );
  });
});

test.each([
  ['report.md', 'report.md'],
  ['a b/c (1).md', 'a b/c (1).md'],
  ['a\\nb.md', 'a\\nb.md'],
  ['a\nb.md', '"a\\nb.md"'],
  [' a.md', '" a.md"'],
  ['"a.md"', '"\\"a.md\\""'],
])('quotes a name only if needed: %j as %s', (path, text) => {
  expect(onOneLine(path)).toBe(text);
});
