import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composePrompt, type PromptSection } from '../../src/dispatch/prompt.ts';

const stable = (text: string): PromptSection => ({ kind: 'stable', text });
const dynamic = (text: string): PromptSection => ({ kind: 'dynamic', text });

test('puts stable sections first, in their order, and leaves out empty ones', () => {
  expect(
    composePrompt([stable('Role.'), dynamic('Diff.'), stable('Schema.\n'), stable(' '), dynamic('Iteration 2.')]),
  ).toEqual({
    stable: 'Role.\n\nSchema.',
    dynamic: 'Diff.\n\nIteration 2.',
    length: 'Role.\n\nSchema.\n\nDiff.\n\nIteration 2.'.length,
  });
});

test('counts the characters of the text that is sent', () => {
  expect(composePrompt([stable('Role.'), dynamic('Diff.')]).length).toBe('Role.\n\nDiff.'.length);
  expect(composePrompt([dynamic('Diff.')]).length).toBe('Diff.'.length);
  expect(composePrompt([stable('Role.')]).length).toBe('Role.'.length);
});

test('keeps the stable part byte-identical, whatever the dynamic sections contain', () => {
  const texts = fc.array(fc.string(), { maxLength: 4 });
  fc.assert(
    fc.property(texts, texts, texts, fc.boolean(), (stableTexts, first, second, before) => {
      const compose = (changing: readonly string[]) => {
        const dynamicSections = changing.map(dynamic);
        return composePrompt(
          before ? [...dynamicSections, ...stableTexts.map(stable)] : [...stableTexts.map(stable), ...dynamicSections],
        );
      };
      expect(compose(first).stable).toBe(compose(second).stable);
    }),
  );
});
