import { describe, expect, test } from 'vitest';
import { demoAnswer } from '../../src/demo/answer.ts';
import { CHANGE, FIRST_FIX, SECOND_FIX } from '../../src/demo/project.ts';
import { freshGatePrompt, resumedGatePrompt, type SlotPast } from '../../src/prompt/gate.ts';
import { finding } from '../support/run-samples.ts';

const NOTHING: SlotPast = { open: [], declined: [], since: null };

/** Files as a diff shows those that are new. */
function added(...files: readonly (readonly [path: string, text: string])[]): string {
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

describe('a scripted reviewer', () => {
  test.each([
    ['careful', 'reduce without a first value', line, 'fail'],
    ['careful', 'reduce with one', 'const sum = list.reduce((sum, one) => sum + one, 0);', 'pass'],
    ['careful', 'what the other one knows', 'price.toFixed(1)', 'pass'],
    ['exact', 'one digit', 'price.toFixed(1)', 'fail'],
    ['exact', 'no digit', 'price.toFixed()', 'fail'],
    ['exact', 'two digits', 'price.toFixed(2)', 'pass'],
    ['exact', 'what the other one knows', line, 'pass'],
    ['nobody', 'both', `${line} price.toFixed(1)`, 'pass'],
  ] as const)('%s is shown %s', (name, _title, text, status) => {
    const { answer } = demoAnswer(name, fresh(added(['src/a.ts', `\n${text}\n`])), { seen: [] });
    expect([answer.status, answer.violations.map((one) => [one.file, one.line, one.code])]).toEqual([
      status,
      status === 'pass' ? [] : [['src/a.ts', 2, text]],
    ]);
  });

  test.each([
    ['taken out', `--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1 @@\n one\n-${line}\n`],
    ['context', `--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,3 @@\n ${line}\n+two\n`],
    ['in a file that is gone', `--- a/src/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-${line}\n`],
    ['nowhere', ''],
  ])('says nothing of a mistake that is %s in the diff', (_title, diff) => {
    expect(demoAnswer('careful', fresh(diff), { seen: [] }).answer).toMatchObject({ status: 'pass', violations: [] });
  });

  test('says nothing of a mistake that only the rubric or an earlier finding names', () => {
    const prompt = fresh(added(['a.ts', 'one\n']), { open: [finding({ id: 'F7', code: line })] });
    expect(demoAnswer('careful', `${prompt}\n\n+${line}`, { seen: [] }).answer).toEqual({
      status: 'pass',
      violations: [],
      previous: [{ id: 'F7', state: 'fixed', why: 'The line is gone.' }],
    });
  });

  test('numbers the lines as they are now, file by file', () => {
    const diff = `--- a/a.ts\n+++ b/a.ts\n@@ -10,3 +20,4 @@ before\n one\n-two\n+${line}\n three\n${added(['b.ts', `${line}\n`])}`;
    const { violations } = demoAnswer('careful', fresh(diff), { seen: [] }).answer;
    expect(violations.map((one) => `${one.file}:${one.line}`)).toEqual(['a.ts:21', 'b.ts:1']);
  });

  test('remembers what it saw: a mistake is open until a delta takes it away, and found again when one brings it back', () => {
    const first = demoAnswer('careful', fresh(added(['a.ts', `${line}\n`])), { seen: [] });
    const open = [finding({ id: 'F1', code: line })];
    const ask = (delta: string, past: Partial<SlotPast>, memory: typeof first.memory) =>
      demoAnswer('careful', resumedGatePrompt('', delta, { ...NOTHING, ...past }).dynamic, memory);
    const elsewhere = ask(added(['b.ts', 'two\n']), { open }, first.memory);
    expect(elsewhere.answer).toMatchObject({
      status: 'fail',
      violations: [],
      previous: [{ id: 'F1', state: 'open' }],
    });
    const mended = ask(`--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-${line}\n+three\n`, { open }, elsewhere.memory);
    expect(mended.answer).toMatchObject({ status: 'pass', violations: [], previous: [{ id: 'F1', state: 'fixed' }] });
    const back = ask(`--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,2 @@\n three\n+${line}\n`, {}, mended.memory);
    expect(back.answer.violations).toMatchObject([{ file: 'a.ts', line: 2 }]);
    expect(ask('', {}, mended.memory).answer.status).toBe('pass');
  });

  test('the planted mistakes are one for each reviewer, and each fix mends one', () => {
    const findings = (...files: readonly { readonly path: string; readonly text: string }[]) => {
      const now = new Map([...CHANGE, ...files].map(({ path, text }) => [path, text]));
      const prompt = fresh(added(...now));
      return ['careful', 'exact'].map((name) =>
        demoAnswer(name, prompt, { seen: [] }).answer.violations.map(({ file }) => file),
      );
    };
    expect(findings()).toEqual([['src/cart.ts'], ['src/receipt.ts']]);
    expect(findings(...FIRST_FIX)).toEqual([[], ['src/receipt.ts']]);
    expect(findings(...FIRST_FIX, ...SECOND_FIX)).toEqual([[], []]);
  });
});
