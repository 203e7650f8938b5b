import { freshGatePrompt, resumedGatePrompt, type SlotPast } from '@onceover/gates/src/run/do/prompt.ts';
import { finding } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { STORY } from '../../src/demo/project.ts';
import { demoAnswer } from '../../src/demo/reviewer.ts';

const NOTHING: SlotPast = { open: [], declined: [], since: null };

/** Returns the diff of new files. */
function addedFilesDiff(...files: readonly (readonly [path: string, text: string])[]): string {
  return files
    .map(([path, text]) => {
      const lines = text.replace(/\n$/, '').split('\n');
      const body = lines.map((line) => `+${line}\n`).join('');
      return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${body}`;
    })
    .join('');
}

function fresh(diff: string, past: Partial<SlotPast> = {}): string {
  const { stable, dynamic } = freshGatePrompt({ diff, part: null }, 'Look closely.', { ...NOTHING, ...past });
  return `${stable}\n\n${dynamic}`;
}

const line = 'const sum = list.reduce((sum, one) => sum + one);';

const NO_OTHERS = { diff: '', named: [], omitted: 0 };

describe('a scripted reviewer', () => {
  test.each([
    ['careful', 'reduce without an initial value', line, 'fail'],
    ['careful', 'reduce with one', 'const sum = list.reduce((sum, one) => sum + one, 0);', 'pass'],
    ['careful', 'the mistake of the other reviewer', 'price.toFixed(1)', 'pass'],
    ['exact', 'one digit', 'price.toFixed(1)', 'fail'],
    ['exact', 'no digit', 'price.toFixed()', 'fail'],
    ['exact', 'two digits', 'price.toFixed(2)', 'pass'],
    ['exact', 'the mistake of the other reviewer', line, 'pass'],
    ['stranger', 'both mistakes', `${line} price.toFixed(1)`, 'pass'],
  ] as const)('%s reviews %s', (name, _title, text, status) => {
    const { answer } = demoAnswer(name, fresh(addedFilesDiff(['src/a.ts', `\n${text}\n`])), { seen: [] });
    expect([
      answer.status,
      answer.violations.map((violation) => [violation.file, violation.line, violation.code]),
    ]).toEqual([status, status === 'pass' ? [] : [['src/a.ts', 2, text]]]);
  });

  test.each([
    ['removed', `--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1 @@\n one\n-${line}\n`],
    ['context', `--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,3 @@\n ${line}\n+two\n`],
    ['in a deleted file', `--- a/src/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-${line}\n`],
    ['nowhere', ''],
  ])('does not report a mistake that is %s in the diff', (_title, diff) => {
    expect(demoAnswer('careful', fresh(diff), { seen: [] }).answer).toMatchObject({ status: 'pass', violations: [] });
  });

  test('does not report a mistake that only the rubric or an earlier finding quotes', () => {
    const prompt = fresh(addedFilesDiff(['a.ts', 'one\n']), { open: [finding({ id: 'F7', code: line })] });
    expect(demoAnswer('careful', `${prompt}\n\n+${line}`, { seen: [] }).answer).toEqual({
      status: 'pass',
      violations: [],
      previous: [{ id: 'F7', state: 'fixed', why: 'The line is gone.' }],
    });
  });

  test('numbers the lines of each file after the change', () => {
    const diff = `--- a/a.ts\n+++ b/a.ts\n@@ -10,3 +20,4 @@ before\n one\n-two\n+${line}\n three\n${addedFilesDiff(['b.ts', `${line}\n`])}`;
    const { violations } = demoAnswer('careful', fresh(diff), { seen: [] }).answer;
    expect(violations.map((violation) => `${violation.file}:${violation.line}`)).toEqual(['a.ts:21', 'b.ts:1']);
  });

  test('remembers a mistake until a later diff removes it, and reports it again when it comes back', () => {
    const first = demoAnswer('careful', fresh(addedFilesDiff(['a.ts', `${line}\n`])), { seen: [] });
    const open = [finding({ id: 'F1', code: line })];
    const review = (delta: string, past: Partial<SlotPast>, memory: typeof first.memory) =>
      demoAnswer(
        'careful',
        resumedGatePrompt('', { diff: delta, whole: [], others: NO_OTHERS }, { ...NOTHING, ...past }).dynamic,
        memory,
      );
    const elsewhere = review(addedFilesDiff(['b.ts', 'two\n']), { open }, first.memory);
    expect(elsewhere.answer).toMatchObject({
      status: 'fail',
      violations: [],
      previous: [{ id: 'F1', state: 'open' }],
    });
    const fixReview = review(`--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-${line}\n+three\n`, { open }, elsewhere.memory);
    expect(fixReview.answer).toMatchObject({
      status: 'pass',
      violations: [],
      previous: [{ id: 'F1', state: 'fixed' }],
    });
    const back = review(`--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,2 @@\n three\n+${line}\n`, {}, fixReview.memory);
    expect(back.answer.violations).toMatchObject([{ file: 'a.ts', line: 2 }]);
    expect(review('', {}, fixReview.memory).answer.status).toBe('pass');
  });

  test('finds one planted mistake per reviewer, and each fix removes one', () => {
    const [change = [], firstFix = [], secondFix = []] = STORY.map(({ writes }) => writes);
    const findings = (...files: readonly { readonly path: string; readonly text: string }[]) => {
      const now = new Map([...change, ...files].map(({ path, text }) => [path, text]));
      const prompt = fresh(addedFilesDiff(...now));
      return ['careful', 'exact'].map((name) =>
        demoAnswer(name, prompt, { seen: [] }).answer.violations.map(({ file }) => file),
      );
    };
    expect(findings()).toEqual([['src/cart.ts'], ['src/receipt.ts']]);
    expect(findings(...firstFix)).toEqual([[], ['src/receipt.ts']]);
    expect(findings(...firstFix, ...secondFix)).toEqual([[], []]);
  });
});
