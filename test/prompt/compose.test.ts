import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composePrompt, type PromptSection } from '../../src/prompt/compose.ts';

const stable = (text: string): PromptSection => ({ kind: 'stable', text });
const dynamic = (text: string): PromptSection => ({ kind: 'dynamic', text });

test('stable sections come first, in their order; empty ones leave no trace', () => {
  expect(
    composePrompt([stable('Role.'), dynamic('Diff.'), stable('Schema.\n'), stable(' '), dynamic('Iteration 2.')]),
  ).toEqual({
    stable: 'Role.\n\nSchema.',
    dynamic: 'Diff.\n\nIteration 2.',
    length: 'Role.\n\nSchema.\n\nDiff.\n\nIteration 2.'.length,
  });
});

test('its length is that of what is sent: the parts as one text, or the only one', () => {
  expect(composePrompt([stable('Role.'), dynamic('Diff.')]).length).toBe('Role.\n\nDiff.'.length);
  expect(composePrompt([dynamic('Diff.')]).length).toBe('Diff.'.length);
  expect(composePrompt([stable('Role.')]).length).toBe('Role.'.length);
});

test('the stable part is the same bytes whatever the dynamic sections say and wherever they stand', () => {
  const texts = fc.array(fc.string(), { maxLength: 4 });
  fc.assert(
    fc.property(texts, texts, texts, fc.boolean(), (fixed, first, second, before) => {
      const made = (changing: readonly string[]) => {
        const rest = changing.map(dynamic);
        return composePrompt(before ? [...rest, ...fixed.map(stable)] : [...fixed.map(stable), ...rest]);
      };
      expect(made(first).stable).toBe(made(second).stable);
    }),
  );
});
