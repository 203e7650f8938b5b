import { composePrompt, type PromptSection, sentText } from '@onceover/base/kernel/prompt';
import fc from 'fast-check';
import { expect, test } from 'vitest';

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

test.each([
  ['a new session', {}, 'Role.\n\nDiff.'],
  ['no stable part', { stable: '' }, 'Diff.'],
  ['no dynamic part', { dynamic: '' }, 'Role.'],
  ['a resumed session', { sessionId: 's1' }, 'Diff.'],
  ['a forked session', { forkOf: 's1' }, 'Diff.'],
])('the text that is sent has the length that is budgeted: %s', (_, fields, expected) => {
  const question = { stable: 'Role.', dynamic: 'Diff.', sessionId: null, ...fields };
  expect(sentText(question)).toBe(expected);
  const { stable: first, dynamic: second } = question;
  const composed = composePrompt([stable(first), dynamic(second)]);
  if (question.sessionId === null && !('forkOf' in fields)) expect(sentText(question)).toHaveLength(composed.length);
});
